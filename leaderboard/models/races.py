"""Races, who entered them, and how far they are."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from games.models import Attempt, Deal, Player, write_code
from leaderboard import races
from leaderboard.models.people import Club


class Race(models.Model):
    """A deal with a window, in which a player has one ranked attempt. A daily is the race of a UTC day.

    A sprint's race is one of its rounds: only who has a seat in it enters, and everybody's time runs from its start.
    Its phase is `races.phase` of the stored times and now. invite_code: who enters must send it ("": everybody).
    club: whose members alone may enter (None: everybody).
    seed: the letters of the deal's PY1 code, where there is one; the deal itself gets them when somebody is shown the
    cards, so that no answer tells of a deal that is still to come. chosen: whether the host chose the cards.
    A daily's code is committed to before its day: `commitment` is `races.commit` of its day, code and nonce and the
    commitment minted before it in its ruleset (`previous`, "" for the first). committed: whether that was stored
    before the day began. A withdrawn daily stays on the record, and another takes its day.
    """

    DAILY, OPEN, SANDBOX, SPRINT = "daily", "open", "sandbox", "sprint"

    kind = models.CharField(max_length=8)
    name = models.CharField(max_length=60, blank=True)
    host = models.ForeignKey(Player, models.PROTECT, null=True, blank=True, related_name="hosted_races")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="races")
    ruleset = models.CharField(max_length=1)
    seed = models.CharField(max_length=7, null=True)
    chosen = models.BooleanField(default=False)
    invite_code = models.CharField(max_length=32, blank=True)
    club = models.ForeignKey(Club, models.PROTECT, null=True, blank=True, related_name="races")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    made_at = models.DateTimeField(db_default=Now())

    day = models.DateField(null=True)
    nonce = models.CharField(max_length=32, blank=True)
    previous = models.CharField(max_length=64, blank=True)
    commitment = models.CharField(max_length=64, blank=True)
    minted_at = models.DateTimeField(null=True)
    committed = models.BooleanField(default=False)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_because = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "ruleset"],
                condition=Q(day__isnull=False, withdrawn_at=None),
                name="one_daily_a_day_and_ruleset",
            ),
            models.UniqueConstraint(
                fields=["ruleset", "previous"],
                condition=~Q(commitment=""),
                name="one_chain_of_commitments_a_ruleset",
            ),
            models.CheckConstraint(
                condition=Q(kind="daily", day__isnull=False) | Q(kind__in=["open", "sandbox", "sprint"], day=None),
                name="a_daily_has_a_day",
            ),
            models.UniqueConstraint(fields=["opens_at"], condition=Q(kind="sandbox"), name="one_sandbox_at_a_time"),
            models.CheckConstraint(condition=Q(closes_at__gt=F("opens_at")), name="a_race_closes_after_it_opens"),
        ]
        indexes = [models.Index(fields=["-opens_at", "-id"], name="races_by_opening")]

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.ruleset} {self.day or self.pk}"

    @property
    def grace(self) -> timedelta:
        """How long after its close who has entered plays on: with a sprint's round all attempts in it are over."""
        return timedelta(0) if self.kind == self.SPRINT else races.GRACE_LIFE

    def phase_at(self, now: datetime) -> str:
        """`races.phase`, of one that was not withdrawn."""
        return races.phase(now, self.opens_at, self.closes_at, self.grace)

    @property
    def host_name(self) -> str | None:
        """Who made it, unless they are banned."""
        return self.host.name if self.host and self.host.is_active else None

    @property
    def code(self) -> str:
        """The code of its deal."""
        return write_code(self.ruleset, self.deal.order, self.seed or self.deal.seed)


class Entry(models.Model):
    """A player in a race, once. An unranked one plays for practice, and `unranked_because` says why.

    seen_before: the player had been shown the same cards (their order, whatever the ruleset) before entering; where
    an attempt on the deal was open then, that attempt goes on. own_deal: the host chose the cards. guest: the player
    had not signed up.
    """

    SEEN_BEFORE, OWN_DEAL, GUEST = "seen_before", "own_deal", "guest"

    race = models.ForeignKey(Race, models.PROTECT, related_name="entries", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="entries")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="entries")
    ranked = models.BooleanField()
    unranked_because = models.CharField(max_length=16, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["race", "player"], name="one_entry_a_player"),
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(ranked=True), name="a_ranked_attempt_is_in_one_race"
            ),
            models.CheckConstraint(
                condition=Q(ranked=True, unranked_because="") | (Q(ranked=False) & ~Q(unranked_because="")),
                name="an_unranked_entry_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.race}"


class Progress(models.Model):
    """What a race shows of an entry while it is played; written only by `progress`, read by `feed`.

    state: "playing", how the attempt ended, "held" or "voided". One that says "playing" is over once `ends_at` is
    past. removed: cards of the tableau's 28. moves: those that count. pass_number: the pass that it stands in.
    """

    entry = models.OneToOneField(Entry, models.CASCADE, primary_key=True, related_name="progress")
    race = models.ForeignKey(Race, models.PROTECT, related_name="+", db_index=False)
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="+")
    state = models.CharField(max_length=8)
    removed = models.SmallIntegerField()
    moves = models.IntegerField()
    pass_number = models.SmallIntegerField(db_column="pass")
    ends_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["race", "changed_at"], name="progress_by_change"),
            models.Index(
                fields=["race", "entry"], include=["ends_at"], condition=Q(state="playing"), name="who_is_playing"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.removed}/28"
