"""The picture of the difficulties: a histogram for each ruleset, as SVG that reads on light and on dark pages."""

from collections.abc import Sequence
from dataclasses import dataclass

COLUMNS, WIDTH, HEIGHT, GAP = 4, 200, 90, 34
BINS, MOST = 25, 1000
MARGIN, HEAD = 24, 64
STYLE = """
    text { font: 12px sans-serif; fill: #333 }
    .name { font-weight: bold } .axis { stroke: #888; stroke-width: 1 } .small { font-size: 10px }
    .easy { fill: #2a9d8f } .medium { fill: #d99a1c } .hard { fill: #c8452f }
    @media (prefers-color-scheme: dark) { text { fill: #ddd } .axis { stroke: #999 } }
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """One histogram: numbers from 0 to 1000, easy up to `easy`, medium up to `medium`."""

    name: str
    numbers: Sequence[int]
    easy: int
    medium: int


def draw(panels: Sequence[Panel]) -> str:
    """The whole picture."""
    rows = -(-len(panels) // COLUMNS)
    width = 2 * MARGIN + COLUMNS * WIDTH + (COLUMNS - 1) * GAP
    height = HEAD + rows * (HEIGHT + 2 * GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "  <title>How hard the winnable deals of each ruleset are</title>",
        f"  <style>{STYLE}  </style>",
        f'  <text class="name" x="{MARGIN}" y="22">Hardness of winnable deals, from 0 to 1000, by ruleset</text>',
        *_draw_legend(),
    ]
    for place, panel in enumerate(panels):
        row, column = divmod(place, COLUMNS)
        x, y = MARGIN + column * (WIDTH + GAP), HEAD + row * (HEIGHT + 2 * GAP)
        parts += [f'  <g transform="translate({x} {y})">', *_draw_panel(panel), "  </g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_legend() -> list[str]:
    return [
        f'  <rect class="{label}" x="{MARGIN + 90 * k}" y="32" width="10" height="10"/>'
        f'<text x="{MARGIN + 90 * k + 15}" y="41">{label}</text>'
        for k, label in enumerate(("easy", "medium", "hard"))
    ]


def _draw_panel(panel: Panel) -> list[str]:
    """Bars of three colours on each other: a bin may hold a threshold."""
    bins = [[0, 0, 0] for _ in range(BINS)]
    for number in panel.numbers:
        third = (number > panel.easy) + (number > panel.medium)
        bins[min(number * BINS // MOST, BINS - 1)][third] += 1
    scale = HEIGHT / max(map(sum, bins))
    step = WIDTH / BINS
    parts = [f'    <text class="name" y="12">{panel.name}</text>']
    for place, counts in enumerate(bins):
        top = HEIGHT + 18.0
        for label, count in zip(("easy", "medium", "hard"), counts, strict=True):
            if count:
                size = count * scale
                top -= size
                parts.append(
                    f'    <rect class="{label}" x="{place * step:.1f}" y="{top:.1f}" '
                    f'width="{step - 1:.1f}" height="{size:.1f}"/>'
                )
    base = HEIGHT + 18
    parts.append(f'    <path class="axis" d="M0 {base}H{WIDTH}"/>')
    for number in (0, 500, 1000):
        anchor = {0: "start", 500: "middle", 1000: "end"}[number]
        x = WIDTH * number // MOST
        parts.append(f'    <text class="small" x="{x}" y="{base + 13}" text-anchor="{anchor}">{number}</text>')
    return parts
