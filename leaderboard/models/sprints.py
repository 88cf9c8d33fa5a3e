"""Sprints, their rounds, and ratings."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from games.models import Player
from leaderboard.models.races import Race


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
    """A player in a sprint. heard_at: when the player last sent something; of who was taken along into a rematch, in
    the sprint before until the player comes. left_at: since when out of it."""

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

    @property
    def has_come(self) -> bool:
        return self.heard_at >= self.joined_at


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
