"""One player, one deal, one attempt: what is stored of a game."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from knox.models import AuthToken

from games.engine import deal as engine
from games.names import name_key

DIFFICULTIES = ("easy", "medium", "hard")


class PlayerManager(BaseUserManager["Player"]):
    """What Django's log-in and createsuperuser ask of a user model, by the name's key."""

    def get_by_natural_key(self, username: str | None) -> "Player":
        return self.get(name_key=name_key(username or ""))

    def create_superuser(self, name: str, password: str, email: str = "") -> "Player":
        player = self.model(name=name, name_key=name_key(name), email=email, is_staff=True, is_superuser=True)
        player.set_password(password)
        player.save()
        return player


class Player(AbstractBaseUser, PermissionsMixin):
    """A signed-up player. `name_key` is what makes names unique: two that look alike have the same.

    guest: has neither chosen a name nor a password, and plays for practice only, until it does.
    """

    name = models.CharField(max_length=24, unique=True)
    name_key = models.CharField(max_length=200, unique=True)
    email = models.EmailField(blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    guest = models.BooleanField(default=False, db_default=False)
    joined_at = models.DateTimeField(db_default=Now())
    renamed_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    objects = PlayerManager()

    USERNAME_FIELD = "name"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name

    @property
    def is_banned(self) -> bool:
        """Then nothing of theirs is shown; what a deleted account has played is."""
        return not self.is_active and self.deleted_at is None


class OldName(models.Model):
    """A name that a player had: links with it lead to the player, and nobody else gets it."""

    name_key = models.CharField(max_length=200, primary_key=True)
    player = models.ForeignKey(Player, models.CASCADE, related_name="old_names")

    def __str__(self) -> str:
        return self.name_key


class ApiToken(models.Model):
    """What a player gave an app: a token of knox's that may do no more than `scopes` (see `games.scopes`).

    A token without such a row is from a log-in with the password, and may do all.
    """

    token = models.OneToOneField(AuthToken, models.CASCADE, primary_key=True, related_name="given")
    name = models.CharField(max_length=40)
    scopes = ArrayField(models.CharField(max_length=8))

    def __str__(self) -> str:
        return self.name


class DeviceGrant(models.Model):
    """An app that waits for a player to let it in, with a code that the player types or follows (RFC 8628)."""

    digest = models.BinaryField(primary_key=True, max_length=32)
    user_code = models.CharField(max_length=8, unique=True)
    name = models.CharField(max_length=40)
    scopes = ArrayField(models.CharField(max_length=8))
    ends_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)
    player = models.ForeignKey(Player, models.CASCADE, null=True, related_name="+")
    refused = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class Deal(models.Model):
    """An order of the cards under a ruleset, stored once however it is named.

    `order` is the order's identity (the letters of its PY0 code), the same for every ruleset with the deck;
    `seed` the letters of its PY1 code where that is known.

    What the solver knows of it: `verdict` ("": it was not asked, "unknown": it found no proof), for a winnable one
    the best `line` known, its length `par` and whether that is proven, and how difficult it is. `pooled`: dealt to
    who asks for a difficulty. Who may see par and line: `actions.may_see_par`; before `told_from` answers are as if
    the solver had not been asked.
    """

    ruleset = models.CharField(max_length=1)
    order = models.CharField(max_length=48)
    seed = models.CharField(max_length=7, null=True)
    verdict = models.CharField(max_length=10, blank=True, db_default="")
    par = models.IntegerField(null=True)
    par_proven = models.BooleanField(db_default=False)
    line = models.TextField(blank=True, db_default="")
    difficulty = models.CharField(max_length=6, blank=True, db_default="")
    difficulty_number = models.IntegerField(null=True)
    pooled = models.BooleanField(db_default=False)
    told_from = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ruleset", "order"], name="deal_stored_once"),
            models.CheckConstraint(
                condition=Q(verdict__in=["", "winnable", "unwinnable", "unknown"]), name="verdict_is_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict="winnable", par__isnull=False)
                | (~Q(verdict="winnable") & Q(par=None, par_proven=False, line="", difficulty="", pooled=False)),
                name="only_a_winnable_deal_has_a_par",
            ),
            models.CheckConstraint(
                condition=Q(pooled=False) | (Q(par_proven=True) & ~Q(difficulty="")), name="the_pool_is_proven"
            ),
        ]
        indexes = [
            models.Index(fields=["order"], name="deal_by_order"),
            models.Index(fields=["ruleset", "difficulty"], condition=Q(pooled=True), name="deals_of_the_pool"),
            models.Index(fields=["-id"], condition=Q(verdict=""), name="deals_without_a_verdict"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """The deal code: PY1 where a seed is known, else PY0."""
        return write_code(self.ruleset, self.order, self.seed)

    @property
    def cards(self) -> engine.Deal:
        """The deal as the engine knows it."""
        return read_deal(self.code)


def write_code(ruleset: str, order: str, seed: str | None) -> str:
    """The deal code of a stored deal: PY1 where a seed is known, else PY0."""
    return f"PY1-{ruleset}-{seed}" if seed else f"PY0-{ruleset}-{order}"


@lru_cache(maxsize=4096)
def read_deal(code: str) -> engine.Deal:
    """The engine's deal of a code. Raises CodeError; the latest 4096 are kept."""
    return engine.Deal.from_code(code)


class Attempt(models.Model):
    """One player playing one deal once. It holds its replay: the canonical tokens and their times.

    `plies` counts the tokens and rises with every write: a compare-and-set on it is what keeps two writers
    apart. `clock` says whose clock the official time is from. Times are whole milliseconds since the start.
    `assisted`: it took a hint, and is practice for ever. `sandbox`: to try an app with; it stands on no board but the
    sandbox's. `unaided`: it takes no hints, ranked or not.

    paused_ms: how long the clock of a practice attempt has stood; paused_at: since when it stands now, or stood when
    the attempt ended. Times and official time leave that out.

    held: why a win stands outside all ranks until a moderator releases it ("" where it does not): "pace", under
    the human floor; "same_moves", the very moves of an earlier entry. voided_at: since when it counts for nothing;
    voided_because: "ban" where its player was banned, so that it counts again when the ban is lifted.
    digest: SHA-256 of the moves of a win by the server's clock, or of the moves and times that a client sent.
    A client's game is stored once, beside those that were voided.
    """

    SERVER, CLIENT = "server", "client"
    WON, RESIGNED, EXPIRED = "won", "resigned", "expired"

    player = models.ForeignKey(Player, models.PROTECT, related_name="attempts")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="attempts")
    ruleset = models.CharField(max_length=1)
    ranked = models.BooleanField()
    assisted = models.BooleanField(db_default=False)
    sandbox = models.BooleanField(db_default=False)
    unaided = models.BooleanField(db_default=False)
    paused_ms = models.IntegerField(db_default=0)
    paused_at = models.DateTimeField(null=True)
    clock = models.CharField(max_length=6)
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end = models.CharField(max_length=8, blank=True)

    moves = models.TextField(blank=True)
    times = ArrayField(models.IntegerField(), default=list)
    plies = models.IntegerField(default=0)
    rules = models.IntegerField()
    digest = models.BinaryField(null=True)

    official_ms = models.IntegerField(null=True)
    counted_moves = models.IntegerField(default=0)
    points = models.IntegerField(default=0)
    bonus = models.IntegerField(null=True)
    left = models.IntegerField()

    held = models.CharField(max_length=16, blank=True, default="", db_default="")
    voided_at = models.DateTimeField(null=True)
    voided_because = models.CharField(max_length=16, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "deal"], condition=Q(ended_at=None), name="one_open_attempt_a_deal"
            ),
            models.UniqueConstraint(
                fields=["player", "deal", "digest"],
                condition=Q(clock="client", voided_at=None),
                name="one_replay_a_game",
            ),
            models.CheckConstraint(condition=Q(clock__in=["server", "client"]), name="clock_is_known"),
            models.CheckConstraint(
                condition=Q(end__in=["", "won", "resigned", "expired"])
                & (Q(end="", ended_at=None) | (~Q(end="") & Q(ended_at__isnull=False))),
                name="an_end_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(end="won", official_ms__isnull=False) | (~Q(end="won") & Q(official_ms=None)),
                name="a_win_has_an_official_time",
            ),
            models.CheckConstraint(
                condition=Q(clock="server") | (Q(ranked=False, ended_at__isnull=False)),
                name="a_client_clock_is_never_ranked",
            ),
            models.CheckConstraint(
                condition=Q(ranked=False) | Q(assisted=False), name="an_assisted_one_is_never_ranked"
            ),
            models.CheckConstraint(
                condition=Q(paused_ms__gte=0) & (Q(ranked=False) | Q(paused_ms=0, paused_at=None)),
                name="a_paused_one_is_never_ranked",
            ),
        ]
        indexes = [
            models.Index(
                fields=["deal", "digest"],
                condition=Q(clock="server", digest__isnull=False),
                name="wins_with_the_same_moves",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player}, attempt {self.pk}"  # in the admin the cards are not for everybody

    def expire(self, *, now: datetime) -> Self:
        """Read an open attempt past its `ends_at` as expired, whether that is stored or not."""
        if not self.end and self.ends_at <= now:
            self.end, self.ended_at = self.EXPIRED, self.ends_at
        return self

    def count_paused(self, *, now: datetime) -> int:
        """Milliseconds that its clock has stood until now, or until its end."""
        if self.paused_at is None:
            return self.paused_ms
        return self.paused_ms + max(0, ((self.ended_at or now) - self.paused_at) // timedelta(milliseconds=1))


class Counter(models.Model):
    """How often something was done in a window of time (`games.throttles`). Unlogged: a crash may empty it."""

    key = models.UUIDField(primary_key=True)
    count = models.IntegerField()
    ends_at = models.DateTimeField(db_index=True)
