"""Races and who entered them; boards and the attempts that stand on them."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from games.models import Attempt, Deal, Player, write_code


class Follow(models.Model):
    """Whose results a player wants to see beside the own."""

    follower = models.ForeignKey(Player, models.CASCADE, related_name="follows")
    followed = models.ForeignKey(Player, models.CASCADE, related_name="+")
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "followed"], name="one_follow_a_pair"),
            models.CheckConstraint(condition=~Q(follower=F("followed")), name="nobody_follows_themselves"),
        ]

    def __str__(self) -> str:
        return f"{self.follower} follows {self.followed}"


class Club(models.Model):
    """Players who have boards and races of their own. A dissolved one has no members; its races stay."""

    name = models.CharField(max_length=40)
    invite_code = models.CharField(max_length=16, unique=True)
    made_at = models.DateTimeField(db_default=Now())
    dissolved_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A player in a club. Managers invite and remove members; the one owner also makes managers, and dissolves it."""

    OWNER, MANAGER, MEMBER = "owner", "manager", "member"

    club = models.ForeignKey(Club, models.CASCADE, related_name="memberships", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, default=MEMBER)
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "player"], name="one_membership_a_player"),
            models.UniqueConstraint(fields=["club"], condition=Q(role="owner"), name="one_owner_a_club"),
            models.CheckConstraint(condition=Q(role__in=["owner", "manager", "member"]), name="a_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.player}, {self.role} of {self.club}"


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


class Board(models.Model):
    """A ranking of won attempts in one order. Held and void ones stand on none.

    kind "deal": everybody's wins on a deal by one clock, practice too. The others hold ranked wins: "race" those of
    its entries, "ruleset" all, and "day", "week", "month" and "year" those of the UTC days in `period`
    (`periods.read_period`; "" on the others). An attempt's day is that of its race, or else that of its start.
    """

    DEAL, RACE, RULESET = "deal", "race", "ruleset"

    kind = models.CharField(max_length=8)
    ruleset = models.CharField(max_length=1)
    deal = models.ForeignKey(Deal, models.PROTECT, null=True, related_name="boards")
    race = models.ForeignKey(Race, models.PROTECT, null=True, related_name="boards")
    period = models.CharField(max_length=10, blank=True, default="", db_default="")
    clock = models.CharField(max_length=6)
    order = models.CharField(max_length=6)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["deal", "race", "ruleset", "period", "clock", "order"],
                nulls_distinct=False,
                name="board_stored_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.deal or self.race or self.ruleset} {self.period} by {self.order}"


class Epoch(models.Model):
    """One row: how often something was taken back that boards showed. Pages kept from before are not shown any more."""

    id = models.SmallIntegerField(primary_key=True)
    number = models.BigIntegerField()


class Standing(models.Model):
    """A player's best whole attempt on a board; key1 to key3 are `ranking.sort_key`, less is better.

    What a page shows of the attempt is here once more, and never changes: to look a hundred attempts up would cost
    more than all the rest of a page.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="standings")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="standings")
    key1 = models.IntegerField()
    key2 = models.IntegerField()
    key3 = models.IntegerField()
    ended_at = models.DateTimeField()
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    points = models.IntegerField()
    bonus = models.IntegerField(null=True)
    ranked = models.BooleanField()
    assisted = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["board", "player"], name="one_standing_a_player")]
        indexes = [
            models.Index(fields=["board", "key1", "key2", "key3", "ended_at", "attempt"], name="standings_in_order")
        ]

    def __str__(self) -> str:
        return f"{self.player} on {self.board}"


class TimeBucket(models.Model):
    """A part of how many standings of a time board lie in [bucket << shift, (bucket + 1) << shift) ms.

    shift: one of `ranking.BUCKET_SHIFTS`. The count of a bucket is the sum over its shards (a part may be below zero).
    A rank is the sum of few buckets on each level and a count inside one of the finest: exact, and as quick on a
    board of millions as on a small one.
    """

    pk = models.CompositePrimaryKey("board_id", "shift", "bucket", "shard")
    board = models.ForeignKey(Board, models.CASCADE, related_name="buckets", db_index=False)
    shift = models.SmallIntegerField()
    bucket = models.IntegerField()
    shard = models.SmallIntegerField()
    count = models.IntegerField()


class SeasonDay(models.Model):
    """A daily whose points are final, and how many stood in its ranks then."""

    race = models.OneToOneField(Race, models.PROTECT, primary_key=True, related_name="season_day")
    settled_at = models.DateTimeField()
    field = models.IntegerField()


class SeasonPoints(models.Model):
    """What a daily gave a player in its season: the rank when it became final, and `ranking.season_points`.

    Where the attempt is held or void, it counts as nothing; the others keep theirs.
    """

    day = models.ForeignKey(SeasonDay, models.PROTECT, related_name="points", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="season_points")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="season_points")
    rank = models.IntegerField()
    points = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "player"], name="one_row_a_player_and_day")]


class Ruling(models.Model):
    """What a moderator decided, and why: the log of fair play. by: None for the server itself.

    Of a player's bans the latest ban or unban says whether one holds; `until`: when it ends by itself.
    """

    HOLD, RELEASE, VOID, RESTORE, BAN, UNBAN = "hold", "release", "void", "restore", "ban", "unban"

    what = models.CharField(max_length=8)
    player = models.ForeignKey(Player, models.CASCADE, related_name="rulings")
    attempt = models.ForeignKey(Attempt, models.CASCADE, null=True, related_name="rulings")
    because = models.CharField(max_length=300)
    by = models.ForeignKey(Player, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(db_default=Now())
    until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["player", "-id"], name="rulings_of_a_player")]

    def __str__(self) -> str:
        return f"{self.what} {self.attempt_id or self.player}: {self.because}"


class Report(models.Model):
    """A player's word to the moderators about somebody's name (attempt: None) or result, and what came of it."""

    UPHELD, DISMISSED = "upheld", "dismissed"

    reporter = models.ForeignKey(Player, models.CASCADE, related_name="reports")
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    attempt = models.ForeignKey(Attempt, models.CASCADE, null=True, related_name="reports")
    because = models.CharField(max_length=300)
    made_at = models.DateTimeField(db_default=Now())
    outcome = models.CharField(max_length=10, blank=True, default="")
    answer = models.CharField(max_length=300, blank=True, default="")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["reporter", "player", "attempt"],
                condition=Q(outcome=""),
                nulls_distinct=False,
                name="one_open_report_about_a_thing",
            )
        ]

    def __str__(self) -> str:
        return f"{self.reporter} about {self.attempt_id or self.player}"


class ShownTo(models.Model):
    """From what address an attempt was started, for 30 days: hashed with the key of this period and of the one before.

    Two starts within a period of each other share a key, whenever it was changed; once both keys are gone nobody can
    tell the address.
    """

    attempt = models.OneToOneField(Attempt, models.CASCADE, primary_key=True, related_name="shown_to")
    now = models.UUIDField(db_index=True)
    before = models.UUIDField(db_index=True)
    shown_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.attempt}"


class AddressKey(models.Model):
    """The secret with which addresses are hashed in a period of 30 days, numbered since 1970."""

    period = models.IntegerField(primary_key=True)
    secret = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.period}"


class ResultPicture(models.Model):
    """The picture that link previews show of a ranked win (`leaderboard.results`); drawn anew when its words change.

    words: SHA-256 in hex of what is written on it, the picture's address.
    """

    attempt = models.OneToOneField(Attempt, models.CASCADE, primary_key=True, related_name="picture")
    words = models.CharField(max_length=64)
    png = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.attempt}"


class Sprint(models.Model):
    """A race that starts everyone together, in one round or the best of 3 or 5; its rules are `sprints`.

    Its phase is `sprints.phase` of the stored times and now. deal: the cards of its one round, chosen by `maker`;
    None: the server deals, and the sprint is rated. starts_at: the set time, or when the first round starts; None
    while it waits for the host. ended_at: when the last round was over. rematch: the sprint of the same people.
    """

    maker = models.ForeignKey(Player, models.PROTECT, related_name="+")
    host = models.ForeignKey(Player, models.PROTECT, related_name="+")
    ruleset = models.CharField(max_length=1)
    difficulty = models.CharField(max_length=6, blank=True)
    deal = models.CharField(max_length=60, blank=True)
    invite_code = models.CharField(max_length=32, blank=True)
    most = models.SmallIntegerField()
    best_of = models.SmallIntegerField()
    made_at = models.DateTimeField(db_default=Now())
    starts_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    rematch = models.OneToOneField("self", models.SET_NULL, null=True, related_name="rematch_of")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(most__gte=2, most__lte=100), name="two_to_a_hundred_sprint"),
            models.CheckConstraint(condition=Q(best_of__in=[1, 3, 5]), name="best_of_one_three_or_five"),
        ]
        indexes = [models.Index(fields=["-id"], condition=Q(ended_at=None), name="sprints_not_over")]

    def __str__(self) -> str:
        return f"sprint {self.pk}"


class SprintPlayer(models.Model):
    """A player in a sprint. heard_at: when the player last sent something. left_at: since when out of it."""

    sprint = models.ForeignKey(Sprint, models.CASCADE, related_name="members", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="+")
    joined_at = models.DateTimeField()
    heard_at = models.DateTimeField()
    ready = models.BooleanField(default=False)
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sprint", "player"], name="one_place_in_a_sprint")]

    def __str__(self) -> str:
        return f"{self.player} in {self.sprint}"


class Round(models.Model):
    """A round of a sprint: a race that opens at everybody's start. over_at: when it was over.

    settled_at: when that was stored; the ratings follow the rounds in this order.
    """

    sprint = models.ForeignKey(Sprint, models.CASCADE, related_name="rounds", db_index=False)
    number = models.SmallIntegerField()
    race = models.OneToOneField(Race, models.PROTECT, related_name="round")
    over_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sprint", "number"], name="one_round_of_a_number")]

    def __str__(self) -> str:
        return f"round {self.number} of {self.sprint}"


class Seat(models.Model):
    """A player in a round, from its countdown on. out_at: since when out of it, before the own attempt had ended."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="seats", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="+")
    out_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "player"], name="one_seat_a_player")]

    def __str__(self) -> str:
        return f"{self.player} in {self.round}"


class Rating(models.Model):
    """What is believed of a player in a ruleset now: `rating.Skill`."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="ratings")
    ruleset = models.CharField(max_length=1)
    mu = models.FloatField()
    sigma = models.FloatField()
    rounds = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "ruleset"], name="one_rating_a_ruleset")]
        indexes = [models.Index(fields=["ruleset", "-mu", "player"], name="ratings_in_order")]

    def __str__(self) -> str:
        return f"{self.player} in {self.ruleset}"


class RatingChange(models.Model):
    """What a player's rating was after a round, in which the player came on that rank."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="changes", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="rating_changes")
    rank = models.SmallIntegerField()
    mu = models.FloatField()
    sigma = models.FloatField()
    rounds = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "player"], name="one_change_a_round")]

    def __str__(self) -> str:
        return f"{self.player} after {self.round}"
