"""Ranked wins as they are shown to others: who may be named, what is told of one, and its picture."""

from datetime import date
from hashlib import sha256
from typing import NamedTuple

from django.db.models import Q
from django.utils.formats import date_format
from django.utils.translation import gettext, override

from games.engine.rulesets import RULESETS
from games.models import Attempt
from leaderboard import drawing, races, standings
from leaderboard.models import Entry, Race, ResultPicture
from leaderboard.words import write_time

SHOWN = Q(ranked=True, sandbox=False, end=Attempt.WON, held="", voided_at=None) & Q(
    player__is_active=True, player__deleted_at=None
)
PICTURE_LANGUAGE = "en"  # who fetches previews does not say what language they are for


class Result(NamedTuple):
    """A ranked win. rank, total: where it stands now, in its race or else in its ruleset; None where it is not the
    player's row there."""

    attempt: Attempt
    race: Race | None
    rank: int | None
    total: int | None

    @property
    def day(self) -> date:
        return (self.race and self.race.day) or races.day_of(self.attempt.started_at)


def find_result(attempt: int) -> Result | None:
    """The win of an attempt; None where it may not be shown: not ranked, held, void, or its player gone or banned."""
    found = Attempt.objects.select_related("deal", "player").filter(SHOWN, pk=attempt).first()
    if found is None:
        return None
    entry = Entry.objects.select_related("race__deal").filter(attempt=found, ranked=True).first()
    board = "race" if entry else "ruleset"
    places = (place for place in standings.read_places(found.pk) if place["board"] == board and place["best"])
    place = next(places, {"rank": None, "total": None})
    return Result(found, entry.race if entry else None, place["rank"], place["total"])


def tell(result: Result) -> str:
    """The short text that is shared beside the address, in the language of the request."""
    attempt = result.attempt
    params = {
        "ruleset": gettext(RULESETS[attempt.ruleset].name),
        "day": write_day(result.day),
        "time": write_time(attempt.official_ms or 0),
        "facts": tell_facts(result),
    }
    return gettext("Pyramidion · %(ruleset)s · %(day)s – %(time)s, %(facts)s") % params


def tell_facts(result: Result) -> str:
    """41 moves, rank 3 of 120."""
    params = {"moves": result.attempt.counted_moves, "rank": result.rank, "total": result.total}
    if result.rank is None:
        return gettext("%(moves)s moves") % params
    return gettext("%(moves)s moves, rank %(rank)s of %(total)s") % params


def write_day(day: date) -> str:
    """1 Dec 2026."""
    return date_format(day, gettext("j M Y"))


# The picture


def _write_words(result: Result) -> drawing.Words:
    with override(PICTURE_LANGUAGE):
        return drawing.Words(
            ruleset=gettext(RULESETS[result.attempt.ruleset].name),
            day=write_day(result.day),
            name=result.attempt.player.name,
            time=write_time(result.attempt.official_ms or 0),
            facts=tell_facts(result),
        )


def address_picture(result: Result) -> str:
    """The name of the picture as it is now: a hash of all that is on it."""
    return sha256(repr((drawing.LOOK, *_write_words(result))).encode()).hexdigest()


def read_picture(result: Result) -> bytes:
    """The PNG of a result: the stored one, or where its words have changed a new one, which is stored."""
    words = address_picture(result)
    stored = ResultPicture.objects.filter(attempt=result.attempt, words=words).first()
    if stored:
        return bytes(stored.png)
    png = drawing.draw_result(_write_words(result))
    row = ResultPicture(attempt=result.attempt, words=words, png=png)
    ResultPicture.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["attempt"], update_fields=["words", "png"]
    )
    return png
