"""The second factor of a log-in: the code of an app, or a recovery code."""

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.utils.translation import gettext_noop

from games import throttles
from games.errors import Problem
from games.models import Player

ONCE = throttles.Limit(1, 120)  # seconds, longer than a code is valid


def check_second_factor(player: Player, code: str) -> None:
    """Raises Problem: 401 `second_factor` where the player needs a code and this is none, 429 after many tries."""
    if not is_mfa_enabled(player):
        return
    if not code:
        message = gettext_noop("This player logs in with two factors: send the code too.")
        raise Problem(401, "second_factor", message, "code")
    find_authenticator(player, code).record_usage()


def find_authenticator(player: Player, code: str) -> Authenticator:
    """The authenticator whose code this is; no code is good twice. Raises Problem (401, 429)."""
    throttles.count("code", player.pk)
    for authenticator in Authenticator.objects.filter(user=player).select_related("user"):
        if authenticator.wrap().validate_code(code) and _is_first_use(authenticator, code):
            return authenticator
    raise Problem(401, "second_factor", gettext_noop("This code is not right, or was used before."), "code")


def _is_first_use(authenticator: Authenticator, code: str) -> bool:
    # allauth remembers an app's codes in the cache, which each process has for itself; recovery codes in their row
    if authenticator.type != Authenticator.Type.TOTP:
        return True
    return throttles.take("used code", f"{authenticator.user_id} {normalize_user_code(code)}", ONCE) is None
