"""Tokens for apps: made by their player, or asked for by an app that shows a code."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop
from knox.models import AuthToken

from games.errors import Problem
from games.models import ApiToken, DeviceGrant, Player

MOST_TOKENS = 50
TOKEN_LIFE = timedelta(days=365)
GRANT_SECONDS = 600
POLL_SECONDS = 5
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words


def give_token(*, player: Player, name: str, scopes: Sequence[str]) -> tuple[AuthToken, str]:
    """A token for an app, and its text, shown this once. Raises Problem: 409 `too_many`, 403 for a guest."""
    if player.guest:
        raise Problem(403, "guest", gettext_noop("Sign up first: then apps can play for you."))
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        if ApiToken.objects.filter(token__user=player).count() >= MOST_TOKENS:
            message = gettext_noop("You have given %(most)s tokens: end one first.")
            raise Problem(409, "too_many", message, params={"most": MOST_TOKENS})
        token, text = AuthToken.objects.create(player, expiry=TOKEN_LIFE)
        ApiToken.objects.create(token=token, name=name, scopes=list(scopes))
    return token, text


def end_token(*, player: Player, digest: str) -> None:
    """Take a token back; twice is once."""
    AuthToken.objects.filter(user=player, digest=digest, given__isnull=False).delete()


def end_all(*, player: Player, but_apps: bool = False) -> None:
    """Take every token back, also those that an app has been allowed but not fetched.

    but_apps: only those that came from a log-in with the password.
    """
    mine = AuthToken.objects.filter(user=player)
    if but_apps:
        mine.filter(given=None).delete()
        return
    mine.delete()
    DeviceGrant.objects.filter(player=player).delete()


def has_apps(*, player: Player) -> bool:
    """Whether an app has a token of the player's, or has been allowed one and not fetched it yet."""
    now = timezone.now()
    given = ApiToken.objects.filter(token__user=player, token__expiry__gt=now)
    return given.exists() or DeviceGrant.objects.filter(player=player, ends_at__gt=now).exists()


class Asked(NamedTuple):
    """What an app gets that asks: its secret, and the code for the player."""

    device_code: str
    user_code: str


def ask(*, name: str, scopes: Sequence[str]) -> Asked:
    """Let an app ask for a token."""
    now = timezone.now()
    DeviceGrant.objects.filter(ends_at__lt=now).delete()
    while True:
        device_code = secrets.token_urlsafe(32)
        user_code = "".join(secrets.choice(CODE_LETTERS) for _ in range(8))
        try:
            with transaction.atomic():
                DeviceGrant.objects.create(
                    digest=_digest(device_code),
                    user_code=user_code,
                    name=name,
                    scopes=list(scopes),
                    ends_at=now + timedelta(seconds=GRANT_SECONDS),
                )
        except IntegrityError:
            continue
        return Asked(device_code, user_code)


def find_grant(user_code: str) -> DeviceGrant:
    """The app that shows a code, while nobody has answered it. Raises Problem (404)."""
    code = "".join(letter for letter in user_code.upper() if letter in CODE_LETTERS)
    open_ones = DeviceGrant.objects.filter(player=None, refused=False, ends_at__gt=timezone.now())
    found = open_ones.filter(user_code=code).first()
    if found is None:
        raise Problem(404, "user_code", gettext_noop("No app waits with this code; it may be too old."), "code")
    return found


def answer(*, player: Player, user_code: str, allow: bool) -> None:
    """Let an app in, or not. Raises Problem: 404, 403 for a guest."""
    if player.guest:
        raise Problem(403, "guest", gettext_noop("Sign up first: then apps can play for you."))
    grant = find_grant(user_code)
    change = {"player": player} if allow else {"refused": True}
    if not DeviceGrant.objects.filter(pk=grant.pk, player=None, refused=False).update(**change):
        raise Problem(404, "user_code", gettext_noop("No app waits with this code; it may be too old."), "code")


def take(*, device_code: str) -> tuple[AuthToken, str]:
    """The token that an app asked for, once it was let in.

    Raises Problem (400, the codes of RFC 8628): `authorization_pending`, `slow_down`, `access_denied`, `expired_token`.
    """
    now = timezone.now()
    with transaction.atomic():
        grant = DeviceGrant.objects.select_for_update().filter(digest=_digest(device_code), ends_at__gt=now).first()
        if grant is None:
            raise _not_yet("expired_token", gettext_noop("This code is not known, or too old: ask again."))
        if grant.player is not None:
            grant.delete()
            return give_token(player=grant.player, name=grant.name, scopes=grant.scopes)
        too_soon = grant.asked_at is not None and now < grant.asked_at + timedelta(seconds=POLL_SECONDS - 1)
        DeviceGrant.objects.filter(pk=grant.pk).update(asked_at=now)
    if grant.refused:
        raise _not_yet("access_denied", gettext_noop("The player did not let the app in."))
    if too_soon:
        raise _not_yet("slow_down", gettext_noop("Ask again in %(seconds)s seconds."))
    raise _not_yet("authorization_pending", gettext_noop("The player has not answered yet."))


def _not_yet(code: str, message: str) -> Problem:
    return Problem(400, code, message, "device_code", params={"seconds": POLL_SECONDS})


def _digest(device_code: str) -> bytes:
    return sha256(device_code.encode()).digest()
