"""Whom a player follows, and clubs."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from games.models import Player


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
