"""Drawing the picture of a result, which link previews show. Pure: words in, PNG out."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
LOOK = 1  # rises when the drawing changes, so that pictures are drawn anew

_FONT = Path(__file__).parent / "fonts/DejaVuSans-Bold.ttf"
_MARGIN = 80
_WIDTH = 720  # of a line of text, in pixels: the pyramid stands to the right
_LEAST = 24  # points of a name that is too long for its line
_NOWHERE = "\U0010ffff"  # no font has it

_SKY, _GROUND, _INK, _QUIET = "#12363a", "#0c2629", "#fbf6ea", "#a9c9c6"
_LIGHT, _SHADE, _GOLD = "#d29a2e", "#9a6c17", "#e6ba64"


class Words(NamedTuple):
    """What is written on the picture, line by line. name: left out where the font has not all of its letters."""

    ruleset: str
    day: str
    name: str
    time: str
    facts: str


def draw_result(words: Words) -> bytes:
    """A PNG of SIZE: no card and no move, so that it can be shown to who has not played yet."""
    image = Image.new("RGB", SIZE, _SKY)
    draw = ImageDraw.Draw(image)
    _draw_pyramid(draw)
    _write(draw, 70, "Pyramidion", 34, _GOLD)
    _write(draw, 130, words.ruleset, 60, _INK)
    _write(draw, 208, words.day, 32, _QUIET)
    if can_write(words.name):
        _write(draw, 300, words.name, 48, _INK)
    _write(draw, 362, words.time, 110, _GOLD)
    _write(draw, 500, words.facts, 38, _INK)
    file = BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def can_write(text: str) -> bool:
    """Whether the font has every letter of a text."""
    font = _read_font(32)
    missing = bytes(font.getmask(_NOWHERE))
    return all(char == " " or bytes(font.getmask(char)) != missing for char in text)


def _write(draw: ImageDraw.ImageDraw, y: int, text: str, points: int, colour: str) -> None:
    """A line of text; smaller where it is too long."""
    while points > _LEAST and draw.textlength(text, _read_font(points)) > _WIDTH:
        points -= 2
    draw.text((_MARGIN, y), text, colour, _read_font(points))


def _draw_pyramid(draw: ImageDraw.ImageDraw) -> None:
    """The pyramid of the site's icon, on its ground."""
    top, left, right, foot = (930, 150), 720, 1140, 570
    draw.rectangle((0, foot, SIZE[0], SIZE[1]), _GROUND)
    draw.polygon([top, (left, foot), (right, foot)], _LIGHT)
    draw.polygon([top, (right, foot), (top[0], foot)], _SHADE)
    rows = 7
    for row in range(1, rows):
        y = top[1] + (foot - top[1]) * row / rows
        half = (right - left) / 2 * row / rows
        draw.line([(top[0] - half, y), (top[0] + half, y)], _SKY, 3)


@cache
def _read_font(points: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONT, points, layout_engine=ImageFont.Layout.BASIC)
