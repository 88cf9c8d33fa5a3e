"""Who is at the other end of a socket: by a token or by the session of the pages, and whether that still holds."""

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user
from django.http.cookie import parse_cookie
from django.http.request import split_domain_port, validate_host
from django.utils import timezone
from django.utils.module_loading import import_string
from knox.models import AuthToken

from games.models import Player
from games.rest import TokenAuthentication

Session = import_string(f"{settings.SESSION_ENGINE}.SessionStore")


Scope = dict[str, Any]


def read_header(scope: Scope, name: str) -> str | None:
    """A header of the handshake."""
    found = next((value for key, value in scope["headers"] if key == name.encode()), None)
    return None if found is None else found.decode("latin-1")


def is_allowed_origin(scope: Scope) -> bool:
    """Whether a page of this origin may open sockets: our own (scheme, host and port), or a CSRF_TRUSTED_ORIGINS.

    A client without an Origin is no page: it may, but cookies do not count for it (`read_cookies`).
    "null" (a sandbox, a file) is nobody's.
    """
    origin = read_header(scope, "origin")
    if origin is None:
        return True
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    host = (read_header(scope, "host") or "").lower()
    domain, _port = split_domain_port(host)
    if not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    return origin.lower() == f"{'https' if is_secure(scope) else 'http'}://{host}"


def is_secure(scope: Scope) -> bool:
    """Whether the client's side of the connection is encrypted, as BEHIND_HTTPS lets a proxy say."""
    if header := settings.SECURE_PROXY_SSL_HEADER:
        name, value = header
        return read_header(scope, name.removeprefix("HTTP_").replace("_", "-").lower()) == value
    return scope.get("scheme") == "wss"


def read_cookies(scope: Scope) -> dict[str, str]:
    """The cookies of the handshake, where a page of an allowed origin sends them."""
    return parse_cookie(read_header(scope, "cookie") or "") if read_header(scope, "origin") else {}


class Caller(NamedTuple):
    """A player at a socket, and what they came with: the digest of a token, or the key of a session.

    password: as it is stored; a change of it ends the sessions.
    """

    player: int
    digest: str
    session: str
    password: str


def find_by_token(token: str) -> Caller:
    """Raises Problem (401)."""
    player, found = TokenAuthentication().authenticate_credentials(token.encode(errors="replace"))
    return Caller(player.pk, found.digest, "", "")


def find_by_session(key: str) -> Caller | None:
    """None where nobody has logged in by that session, or may not any more."""
    player = get_user(SimpleNamespace(session=Session(key)))  # type: ignore[arg-type]
    if not isinstance(player, Player) or not player.is_active:
        return None
    return Caller(player.pk, "", key, player.password)


def find_gone(callers: Collection[Caller]) -> set[Caller]:
    """Those whose token was revoked or has expired, whose session has ended, or who were deactivated."""
    now = timezone.now()
    tokens = AuthToken.objects.filter(digest__in={caller.digest for caller in callers})
    digests = set(tokens.exclude(expiry__lt=now).values_list("digest", flat=True))
    sessions = Session.get_model_class().objects.filter(pk__in={caller.session for caller in callers})
    keys = set(sessions.filter(expire_date__gt=now).values_list("pk", flat=True))
    players = Player.objects.filter(pk__in={caller.player for caller in callers}, is_active=True)
    passwords = dict(players.values_list("pk", "password"))
    return {caller for caller in callers if not _still_holds(caller, digests, keys, passwords)}


def _still_holds(caller: Caller, digests: set[str], keys: set[str], passwords: dict[int, str]) -> bool:
    if caller.digest:
        return caller.player in passwords and caller.digest in digests
    return caller.session in keys and passwords.get(caller.player) == caller.password
