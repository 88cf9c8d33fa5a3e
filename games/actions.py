"""What changes a player or a deal."""

from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop
from knox.models import AuthToken

from games.engine import deal as engine
from games.errors import Problem
from games.models import Deal, Player
from games.names import clean_name, name_key, name_taken


def sign_up(*, name: str, password: str, email: str = "") -> Player:
    """A new player. Raises Problem: 400 for a name that may not be, 409 for one that is taken."""
    name = clean_name(name)
    player = Player(name=name, name_key=name_key(name), email=email)
    player.set_password(password)
    try:
        with transaction.atomic():
            player.save()
    except IntegrityError:
        raise name_taken() from None
    return player


def log_in(*, name: str, password: str) -> Player:
    """The player of that name and password. Raises Problem (401): it does not say which of the two is wrong."""
    player = authenticate(username=name, password=password)
    if not isinstance(player, Player):
        raise Problem(401, "credentials", gettext_noop("There is no player with this name and password."))
    return player


def issue_token(*, player: Player) -> tuple[AuthToken, str]:
    """A new API token and its text, shown this once. The player's expired ones are cleared away."""
    AuthToken.objects.filter(user=player, expiry__lt=timezone.now()).delete()
    return AuthToken.objects.create(player)


def store_deal(*, deal: engine.Deal) -> Deal:
    """The stored deal of that ruleset and order: one row however it is named. Its PY1 code is kept once known."""
    stored, _created = Deal.objects.get_or_create(
        ruleset=deal.ruleset.letter, order=deal.order, defaults={"seed": deal.seed_letters}
    )
    if stored.seed is None and deal.seed_letters:
        stored.seed = deal.seed_letters
        stored.save(update_fields=["seed"])
    return stored
