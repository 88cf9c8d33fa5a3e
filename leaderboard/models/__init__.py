"""The tables of the leaderboard, by what they are about."""

from leaderboard.models.boards import Board, Epoch, ResultPicture, SeasonDay, SeasonPoints, Standing, TimeBucket
from leaderboard.models.fairness import AddressKey, Report, Ruling, ShownTo
from leaderboard.models.people import Club, Follow, Membership
from leaderboard.models.races import Entry, Progress, Race
from leaderboard.models.sprints import Rating, RatingChange, Round, Seat, Sprint, SprintPlayer

__all__ = [
    "AddressKey",
    "Board",
    "Club",
    "Entry",
    "Epoch",
    "Follow",
    "Membership",
    "Progress",
    "Race",
    "Rating",
    "RatingChange",
    "Report",
    "ResultPicture",
    "Round",
    "Ruling",
    "SeasonDay",
    "SeasonPoints",
    "Seat",
    "ShownTo",
    "Sprint",
    "SprintPlayer",
    "Standing",
    "TimeBucket",
]
