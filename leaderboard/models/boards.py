"""Boards, the attempts that stand on them, and the points of seasons."""

from django.db import models

from games.models import Attempt, Deal, Player
from leaderboard.models.races import Race


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


class ResultPicture(models.Model):
    """The picture that link previews show of a ranked win (`leaderboard.results`); drawn anew when its words change.

    words: SHA-256 in hex of what is written on it, the picture's address.
    """

    attempt = models.OneToOneField(Attempt, models.CASCADE, primary_key=True, related_name="picture")
    words = models.CharField(max_length=64)
    png = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.attempt}"
