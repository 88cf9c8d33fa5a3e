"""What moderators decide, what players report, and from what addresses attempts were started."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from games.models import Attempt, Player


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
