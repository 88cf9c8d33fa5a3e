"""Do thresholds split a sample in thirds, and does the picture show it?"""

import re
from xml.etree import ElementTree

from games.management.calibration import measure_winnable
from games.management.commands.calibrate import Sample, make_panel, write_row
from games.management.small_multiples import draw

SVG = "{http://www.w3.org/2000/svg}"


def test_thresholds_split_a_sample_in_thirds() -> None:
    for count in range(3, 40):
        numbers = [7 * k for k in range(count)]
        easy, medium = Sample("B", numbers, count, 0.5).thresholds
        sizes = [
            sum(number <= easy for number in numbers),
            sum(easy < number <= medium for number in numbers),
            sum(number > medium for number in numbers),
        ]
        assert max(sizes) - min(sizes) <= 1


def test_a_row_of_the_thresholds_is_python() -> None:
    row = write_row(Sample("B", [10, 20, 30], 5, 0.25))
    assert row == '    "B": (10, 20),  # 3 of 5, 25.0 % won\n'


def test_only_deals_that_can_be_won_are_measured() -> None:
    assert measure_winnable("PY1-N-AAAAAAJ") is None
    number, wins = measure_winnable("PY1-N-AAAAAAS") or (0, 0)
    assert 0 < number < 1000
    assert wins > 0


def test_the_picture_has_a_bar_of_the_right_colour_for_every_deal() -> None:
    numbers = [0, 0, 0, 400, 410, 440, 900, 950, 1000]
    picture = ElementTree.fromstring(draw([make_panel(Sample(letter, numbers, 20, 0.5)) for letter in "BN"]))
    panels = picture.findall(f"{SVG}g")
    assert [panel.findtext(f"{SVG}text") for panel in panels] == ["B Classic", "N Relaxed"]
    for panel in panels:
        bars = panel.findall(f"{SVG}rect")
        heights = {label: sum(float(bar.attrib["height"]) for bar in bars if bar.attrib["class"] == label) for label in
                   ("easy", "medium", "hard")}  # fmt: skip
        assert heights["easy"] == 90
        assert heights["medium"] == heights["hard"] == 90
        assert all(0 <= float(bar.attrib["x"]) <= 200 for bar in bars)
    assert "prefers-color-scheme: dark" in re.sub(r"\s+", " ", ElementTree.tostring(picture, encoding="unicode"))
