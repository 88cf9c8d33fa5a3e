"""Where the bars, lines and squares of the pages' pictures lie. Pure: numbers in, places in a picture out.

A picture is drawn as SVG with plain attributes: the pages allow no style of their own.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from leaderboard.pages import Histogram

WIDTH, HEIGHT = 600, 100  # of bars and lines; the page stretches them
NICE_MS = (1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000)
MOST_OF = 0.95


class Bar(NamedTuple):
    """A bar of a histogram: so many times in [low, high) ms. own: whether the viewer's is among them."""

    x: float
    y: float
    width: float
    height: float
    times: int
    low: int
    high: int
    own: bool


def draw_bars(histogram: Histogram, own_ms: int | None = None) -> list[Bar]:
    """The bars of the times, the most frequent as high as the picture."""
    step = WIDTH / max(1, len(histogram.counts))
    most = max(histogram.counts, default=0) or 1
    bars = []
    for place, count in enumerate(histogram.counts):
        low = histogram.from_ms + place * histogram.width_ms
        high = low + histogram.width_ms
        height = max(HEIGHT * count / most, 1.5 if count else 0)  # a single one among thousands is seen, too
        box = (round(place * step, 2), round(HEIGHT - height, 2), round(step * 0.86, 2), round(height, 2))
        bars.append(Bar(*box, count, low, high, own_ms is not None and low <= own_ms < high))
    return bars


def count_times(times: Sequence[int], bins: int) -> Histogram:
    """How times (ms) are spread, in at most so many bins of a round width; the slowest few may be left to `slower`."""
    if not times:
        return Histogram(0, NICE_MS[0], [], 0)
    ordered = sorted(times)
    low, high = ordered[0], ordered[int(MOST_OF * (len(ordered) - 1))]
    width = next((ms for ms in NICE_MS if high // ms - low // ms < bins), -(-(high + 1) // bins))
    first, last = low // width, high // width
    counts = [0] * (last - first + 1)
    slower = 0
    for ms in ordered:
        if ms // width > last:
            slower += 1
        else:
            counts[ms // width - first] += 1
    return Histogram(first * width, width, counts, slower)


class Line(NamedTuple):
    """A line through values from the left to the right; `low` and `high` are the values at its bottom and top."""

    points: str
    low: int
    high: int


def draw_line(values: Sequence[int]) -> Line | None:
    """None for fewer than two values: they make no line."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    step = WIDTH / (len(values) - 1)
    scale = HEIGHT / ((high - low) or 1)
    places = ((round(i * step, 1), round((high - value) * scale, 1)) for i, value in enumerate(values))
    return Line(" ".join(f"{x},{y}" for x, y in places), low, high)


class Curve(NamedTuple):
    """A line through values from the left to the right with a band around it; `low` and `high` as of a Line."""

    points: str
    band: str
    low: int
    high: int


def draw_curve(values: Sequence[tuple[int, int]]) -> Curve | None:
    """A curve of (value, margin on either side); None for fewer than two: they make no line."""
    if len(values) < 2:
        return None
    low, high = min(value - margin for value, margin in values), max(value + margin for value, margin in values)
    step = WIDTH / (len(values) - 1)
    scale = HEIGHT / ((high - low) or 1)

    def place(i: int, value: int) -> str:
        return f"{round(i * step, 1)},{round((high - value) * scale, 1)}"

    line = [place(i, value) for i, (value, _margin) in enumerate(values)]
    above = [place(i, value + margin) for i, (value, margin) in enumerate(values)]
    below = [place(i, value - margin) for i, (value, margin) in enumerate(values)]
    return Curve(" ".join(line), " ".join(above + below[::-1]), low, high)


CELL = 12  # with the gap to the next
WEEKS = 27


class Square(NamedTuple):
    """A day: kind is "won", "played", "frozen" or "" (nothing)."""

    x: int
    y: int
    day: date
    kind: str


class HeatMap(NamedTuple):
    """The days of half a year, a column a week from Monday, today in the last one; months: (x, first day) of each."""

    squares: list[Square]
    months: list[tuple[int, date]]
    width: int
    height: int


def draw_days(kinds: dict[date, str], today: date) -> HeatMap:
    """The days up to today; kinds: what became of the days on which something did."""
    first = today - timedelta(days=today.weekday() + 7 * (WEEKS - 1))
    days = [first + timedelta(days=n) for n in range((today - first).days + 1)]
    squares = [
        Square(CELL * ((day - first).days // 7), CELL * (day.weekday() + 1), day, kinds.get(day, "")) for day in days
    ]
    months = [(square.x, square.day) for square in squares if square.day.day == 1 and square.x < CELL * (WEEKS - 2)]
    return HeatMap(squares, months, CELL * WEEKS, CELL * 8)
