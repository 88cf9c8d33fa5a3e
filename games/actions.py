"""What changes a player or a deal, and what one player may know of a deal."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth import authenticate
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast, Now
from django.utils import timezone
from django.utils.translation import gettext_noop
from knox.models import AuthToken

from games import solving
from games.engine import deal as engine
from games.engine.hint import Hint, hint, hint_hopeless, hint_line
from games.engine.view import View
from games.errors import Problem
from games.models import Attempt, Deal, OldName, Player
from games.names import clean_name, name_key, name_taken
from games.second_factor import check_second_factor


def sign_up(*, name: str, password: str, email: str = "") -> Player:
    """A new player. Raises Problem: 400 for a name that may not be, 409 for one that is taken."""
    name = clean_name(name)
    player = Player(name=name, name_key=name_key(name), email=email.lower())
    player.set_password(password)
    with _taking_name(player):
        player.save()
    return player


@contextmanager
def _taking_name(player: Player) -> Iterator[None]:
    """A transaction in which a player gets `player.name`. Raises Problem (409) where somebody has it, or had it."""
    try:
        with transaction.atomic():
            yield
            if OldName.objects.filter(name_key=player.name_key).exclude(player=player).exists():
                raise name_taken()
    except IntegrityError:
        raise name_taken() from None


NAME_LETTERS = "bdfghkmnprtvwz"  # none that looks like another, and no word


def _draw_name(kind: str) -> str:
    return f"{kind} {''.join(secrets.choice(NAME_LETTERS) for _ in range(8))}"


def start_guest() -> Player:
    """A new guest: a player with a name by chance and no password, for practice until `claim_guest`."""
    while True:
        name = _draw_name("Guest")
        player = Player(name=name, name_key=name_key(name), guest=True)
        player.set_unusable_password()
        try:
            with transaction.atomic():
                player.save()
        except IntegrityError:
            continue
        return player


def claim_guest(*, player: Player, name: str, password: str, email: str = "") -> Player:
    """Make a guest a signed-up player: the same one, with all its games.

    Raises Problem: 400 for a name that may not be, 409 for one that is taken, 409 `not_a_guest`.
    """
    name = clean_name(name)
    claimed = Player(pk=player.pk, name=name, name_key=name_key(name), email=email.lower())
    claimed.set_password(password)
    with _taking_name(claimed):
        changed = Player.objects.filter(pk=player.pk, guest=True).update(
            name=name, name_key=claimed.name_key, email=claimed.email, password=claimed.password, guest=False
        )
    if not changed:
        raise Problem(409, "not_a_guest", gettext_noop("You have signed up already."))
    return claimed


DAYS_A_NAME = 30


def rename(*, player: Player, name: str) -> Player:
    """Give a player another name, or the same one written otherwise, once in DAYS_A_NAME days.

    The very same name changes nothing, and does not count. The old name leads to the player from then on, who may
    have it back, and nobody else.
    Raises Problem: 400 or 409 for the name, 409 `renamed` too soon, 403 for a guest.
    """
    name = clean_name(name)
    with transaction.atomic():
        renamed = Player.objects.select_for_update().get(pk=player.pk)
        if renamed.guest:
            raise Problem(403, "guest", gettext_noop("Sign up first: then you choose a name."))
        if renamed.name == name:
            return renamed
        now = timezone.now()
        if renamed.renamed_at and now < renamed.renamed_at + timedelta(days=DAYS_A_NAME):
            message = gettext_noop("A name can be changed once in %(days)s days.")
            raise Problem(409, "renamed", message, "name", params={"days": DAYS_A_NAME})
        old_key, renamed.name, renamed.name_key, renamed.renamed_at = renamed.name_key, name, name_key(name), now
        if renamed.name_key != old_key:
            OldName.objects.get_or_create(name_key=old_key, player=renamed)
        with _taking_name(renamed):
            renamed.save(update_fields=["name", "name_key", "renamed_at"])
        renamed.old_names.filter(name_key=renamed.name_key).delete()
    return renamed


def anonymise(*, player: Player) -> None:
    """Let nothing tell whose games a player's are, and nobody log in as that player. Inside a transaction.

    The games stay, and every rank with them.
    """
    gone = Player.objects.select_for_update().get(pk=player.pk)
    gone.name = _draw_name("Guest" if gone.guest else "Deleted")
    gone.name_key, gone.email, gone.is_active = name_key(gone.name), "", False
    gone.renamed_at, gone.deleted_at = None, timezone.now()
    gone.set_unusable_password()
    gone.save(update_fields=["name", "name_key", "email", "is_active", "renamed_at", "deleted_at", "password"])
    Session.objects.filter(pk__in=UserSession.objects.filter(user=gone).values("session_key")).delete()
    for belongings in (AuthToken, EmailAddress, Authenticator, UserSession):
        belongings.objects.filter(user=gone).delete()
    gone.old_names.all().delete()
    games = Attempt.objects.filter(player=gone).values(text=Cast("pk", TextField()))
    about = Q(content_type__model="player", object_id=str(gone.pk))
    about |= Q(content_type__model="attempt", object_id__in=games)
    LogEntry.objects.filter(about).update(object_repr=gone.name)  # of the admin, by the name at that time


def log_in(*, name: str, password: str, code: str = "") -> Player:
    """The player of that name and password, and second factor where one is needed.

    Raises Problem: 401 `credentials`, which does not say which of the two is wrong; 401 `second_factor`; 429.
    """
    player = authenticate(username=name, password=password)
    if not isinstance(player, Player):
        raise Problem(401, "credentials", gettext_noop("There is no player with this name and password."))
    check_second_factor(player, code)
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


def store_proof(
    *,
    deal: Deal,
    verdict: str,
    line: Sequence[str] | None,
    par_proven: bool,
    difficulty: str = "",
    number: int | None = None,
    pooled: bool = False,
) -> bool:
    """Keep what the solver found out about a deal; False where it was proven meanwhile. See `Deal` for the fields."""
    unproven = Deal.objects.filter(pk=deal.pk, verdict__in=["", "unknown"])
    stored = unproven.update(
        verdict=verdict,
        line=" ".join(line or ()),
        par=None if line is None else len(line),
        par_proven=par_proven,
        difficulty=difficulty,
        difficulty_number=number,
        pooled=pooled,
    )
    return stored == 1


# What one player may know of a deal


def may_see_par(viewer: Player | AnonymousUser, deal: Deal) -> bool:
    """Whether par and line of a deal may be shown: to who has ended an attempt on it.

    Not while the viewer is playing the same cards under any ruleset.
    """
    if not isinstance(viewer, Player):
        return False
    over = Q(ended_at__isnull=False) | Q(ends_at__lte=Now())
    mine = Attempt.objects.filter(player=viewer, deal__order=deal.order)
    return mine.filter(over, deal=deal).exists() and not mine.exclude(over).exists()


def pick_pooled(*, ruleset: str, difficulty: str, practice_of: Player | None = None) -> Deal | None:
    """A deal of the pool whose cards nobody has been shown: how others played them can be read, and par as well.

    practice_of: one that this player has not been shown is enough, and rather one that others have: the rest is kept
    for ranked attempts.
    """
    met = Attempt.objects.filter(deal__order=OuterRef("order"))
    pool = Deal.objects.filter(ruleset=ruleset, difficulty=difficulty, pooled=True)
    if practice_of is None:
        return pool.filter(~Exists(met)).order_by("?").first()
    return pool.filter(~Exists(met.filter(player=practice_of))).order_by(Exists(met).desc(), "?").first()


# Hints

A_WAY = gettext_noop("This begins a way to win: %(moves)s moves. There was no time to look for a shorter one.")


class GivenHint(NamedTuple):
    """A hint for an attempt as it stood at `ply`.

    par_from_here: the proven fewest moves. hopeless: True and False are proven, None is unknown.
    """

    attempt: int
    ply: int
    hint: Hint
    par_from_here: int | None = None
    hopeless: bool | None = None


def give_hint(*, player: Player, attempt: int) -> GivenHint:
    """A hint for an open practice attempt, which is assisted from then on.

    While cards are unseen it comes from what the player sees; then from the solver, if it answers in time.
    Raises Problem: 404 no such attempt of this player; 409 `attempt_ended` with the true state, `ranked`, `in_sprint`,
    and `cards_in_play` where such an attempt of the player on the same cards is open.
    """
    game = _assist(player, attempt)
    view = View.of(game.deal.cards, game.moves.split(" ") if game.moves else [])
    position = view.position
    if position is not None and position.is_dead_end:
        return GivenHint(game.pk, game.plies, hint_hopeless(view), hopeless=True)
    solved = solving.find_shortest(position, seconds=solving.HINT_SECONDS) if position else None
    if solved is None:
        found = hint(view)
        assert found is not None, "who has not won and is at no dead end has a move"
        return GivenHint(game.pk, game.plies, found)
    if solved.line is None:
        return GivenHint(game.pk, game.plies, hint_hopeless(view), hopeless=True)
    moves = len(solved.line)
    if not solved.par_proven:
        return GivenHint(game.pk, game.plies, Hint(solved.line[0], "a_way", A_WAY, {"moves": moves}), hopeless=False)
    return GivenHint(game.pk, game.plies, hint_line(view, solved.line), moves, hopeless=False)


def _assist(player: Player, attempt: int) -> Attempt:
    """The attempt, marked as assisted; the mark is set only where it is open practice at that moment."""
    mine = Attempt.objects.filter(pk=attempt, player=player, clock=Attempt.SERVER)
    in_play = Attempt.objects.filter(
        player=player, ended_at=None, ends_at__gt=Now(), deal__order=OuterRef("deal__order")
    )
    in_play = in_play.filter(Q(ranked=True) | Q(unaided=True))
    while True:
        game = mine.select_related("deal").annotate(now=Now(), in_play=Exists(in_play)).first()
        if game is None:
            raise Problem(404, "not_found", gettext_noop("You have no such attempt."))
        if game.expire(now=game.now).end:
            state = {"ply": game.plies, "moves": game.moves, "end": game.end}
            raise Problem(409, "attempt_ended", gettext_noop("This attempt has ended."), extra={"state": state})
        if game.ranked:
            raise Problem(409, "ranked", gettext_noop("There are no hints in a ranked attempt."))
        if game.unaided:
            raise Problem(409, "in_sprint", gettext_noop("There are no hints in a sprint."))
        if game.in_play:
            message = gettext_noop("There are no hints while you play the same cards in a ranked attempt.")
            raise Problem(409, "cards_in_play", message)
        if game.assisted or mine.filter(ranked=False, ended_at=None, ends_at__gt=Now()).update(assisted=True):
            return game


def tell_hopeless(*, deal: engine.Deal, moves: str) -> bool:
    """Whether to say unasked that the game cannot be won any more: under rulesets that do, where all cards have been
    seen and it is proven within a fifth of a second."""
    if not deal.ruleset.tells_hopeless:
        return False
    position = View.of(deal, moves.split(" ") if moves else []).position
    if position is None:
        solving.prepare()
        return False
    if position.is_won:
        return False
    return position.is_dead_end or solving.is_hopeless(position, seconds=solving.UNASKED_SECONDS)
