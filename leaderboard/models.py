"""Boards and the attempts that stand on them."""

from django.db import models

from games.models import Attempt, Deal, Player


class Board(models.Model):
    """A ranking of won attempts in one order.

    kind "deal": everybody's wins on a deal by one clock, practice too. kind "ruleset": ranked wins, all time.
    """

    DEAL = "deal"
    RULESET = "ruleset"

    kind = models.CharField(max_length=8)
    ruleset = models.CharField(max_length=1)
    deal = models.ForeignKey(Deal, models.PROTECT, null=True, related_name="boards")
    clock = models.CharField(max_length=6)
    order = models.CharField(max_length=6)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["deal", "clock", "kind", "ruleset", "order"],
                nulls_distinct=False,
                name="board_stored_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.deal or self.ruleset} by {self.order}"


class Standing(models.Model):
    """A player's best whole attempt on a board; key1 to key3 are `ranking.sort_key`, less is better."""

    board = models.ForeignKey(Board, models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="standings")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="standings")
    key1 = models.IntegerField()
    key2 = models.IntegerField()
    key3 = models.IntegerField()
    ended_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["board", "player"], name="one_standing_a_player")]
        indexes = [
            models.Index(fields=["board", "key1", "key2", "key3", "ended_at", "attempt"], name="standings_in_order")
        ]

    def __str__(self) -> str:
        return f"{self.player} on {self.board}"


class TimeBucket(models.Model):
    """How many standings of a time board lie in [100 * bucket, 100 * bucket + 100) ms.

    A rank is the sum of the buckets below and a count inside one: exact, and quick on a board of millions.
    """

    pk = models.CompositePrimaryKey("board_id", "bucket")
    board = models.ForeignKey(Board, models.CASCADE, related_name="buckets", db_index=False)
    bucket = models.IntegerField()
    count = models.IntegerField()
