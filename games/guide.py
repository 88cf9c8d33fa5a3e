"""The rules of a ruleset in sentences, made from its fields. Source: rules.md."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from games.engine.cards import RANKS, VALUES
from games.engine.rulesets import RULESETS, Ruleset


class Part(NamedTuple):
    """A heading and its sentences."""

    title: str
    lines: list[str]


def list_groups() -> list[tuple[str, list[Ruleset]]]:
    """The rulesets as the window for a new game groups them, each in one group."""
    groups = [
        (_("Classic rules"), "NSOTBD"),
        (_("With points"), "MPLJEX"),
        (_("For beginners"), "CF"),
        (_("For experts"), "A"),
        (_("For thinkers"), "G"),
    ]
    return [(title, [RULESETS[letter] for letter in letters]) for title, letters in groups]


def summarize(ruleset: Ruleset) -> str:
    """What makes it, in a line."""
    facts = [_tell_passes(ruleset) if ruleset.stock != "reserve" else _("A reserve instead of a stock.")]
    if ruleset.stock == "open":
        facts.append(_("The top of the stock is open and plays."))
    if ruleset.goal == "all":
        facts.append(_("All 52 cards must go."))
    if ruleset.target != VALUES[RANKS.index("K")]:
        facts.append(_("Pairs make %(target)s.") % {"target": ruleset.target})
    facts += _tell_specials(ruleset)
    return " ".join(facts)


def write_guide(ruleset: Ruleset) -> list[Part]:
    """The rules in parts: aim, layout, moves, stock, undo, points."""
    return [
        Part(_("Aim"), _tell_aim(ruleset)),
        Part(_("Layout"), _tell_layout(ruleset)),
        Part(_("Removing cards"), _tell_removals(ruleset)),
        Part(_("Stock and waste") if ruleset.stock != "reserve" else _("Reserve"), _tell_stock(ruleset)),
        Part(_("Undo and end"), _tell_undo(ruleset)),
        Part(_("Points"), _tell_points(ruleset)),
    ]


def list_pairs(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The ranks that leave together ("T" is 10), the high one first; without jokers."""
    values = dict(zip(RANKS, range(1, 14), strict=True))
    return [
        (high, low)
        for high, value in reversed(values.items())
        for low, other in values.items()
        if value + other == ruleset.target and value >= other
    ]


def list_singles(ruleset: Ruleset) -> list[str]:
    """The ranks that leave alone."""
    return [rank for value, rank in enumerate(RANKS, 1) if value >= ruleset.target]


def _tell_passes(ruleset: Ruleset) -> str:
    if ruleset.passes is None:
        return _("The stock may be run through as often as you like.")
    if ruleset.passes == 1:
        return _("The stock is run through once; there is no redeal.")
    return _("The stock may be run through %(passes)s times.") % {"passes": ruleset.passes}


def _tell_specials(ruleset: Ruleset) -> list[str]:
    lines = []
    if ruleset.lenient:
        lines.append(_("A card with one card still lying on it plays, too."))
    if ruleset.jokers:
        lines.append(_("Two jokers pair with any card."))
    if ruleset.cover_pairs:
        lines.append(_("A card may leave together with the last card that lies on it."))
    return lines


def _tell_aim(ruleset: Ruleset) -> list[str]:
    if ruleset.goal == "all":
        return [_("All cards must be removed: the pyramid, the stock and the waste.")]
    return [_("The 28 cards of the pyramid must be removed; cards in stock and waste may stay.")]


def _tell_layout(ruleset: Ruleset) -> list[str]:
    lines = [
        _("28 cards lie face up in seven rows, each half covered by two cards of the next row."),
        _("A card is free once no card lies on it. At first that is the row at the bottom."),
    ]
    if ruleset.lenient:
        lines.append(_("Under this ruleset a card is free already when only one card lies on it."))
    if ruleset.jokers:
        lines.append(_("Two jokers are shuffled in: 54 cards, 26 of them in the stock."))
    return lines


def _tell_removals(ruleset: Ruleset) -> list[str]:
    target = {"target": ruleset.target}
    lines = [_("Two free cards whose values make %(target)s leave together. Suits do not matter.") % target]
    lines.append(_("The ace counts 1, jack 11, queen 12 and king 13; all others count what they show."))
    if ruleset.target < VALUES[RANKS.index("K")]:
        lines.append(_("A card worth %(target)s or more leaves alone and never pairs.") % target)
    else:
        lines.append(_("A king leaves alone, with one tap."))
    if ruleset.jokers:
        lines.append(_("A joker leaves with any other free card, a king or the other joker too, but never alone."))
    if ruleset.cover_pairs:
        lines.append(_("A card with one last card on it may leave together with that card, if the sum is right."))
    return lines


def _tell_stock(ruleset: Ruleset) -> list[str]:
    if ruleset.stock == "reserve":
        return [
            _("24 cards lie face up in eight columns of three. The end card of each column plays."),
            _("Nothing is drawn, and there is no redeal."),
        ]
    lines = []
    if ruleset.start:
        lines.append(_("One card lies on the waste from the start."))
    if ruleset.stock == "open":
        lines.append(_("The top card of the stock lies face up and plays where it lies; drawing puts it on the waste."))
        lines.append(_("The top cards of stock and waste may leave together."))
    else:
        lines.append(_("Drawing turns a card of the stock to the waste. The top of the waste plays."))
    lines.append(_tell_passes(ruleset))
    if ruleset.passes != 1:
        lines.append(_("Redealing an empty stock turns the waste over: the cards come in the same order again."))
    return lines


def _tell_undo(ruleset: Ruleset) -> list[str]:
    if ruleset.undo is None:
        lines = [_("All moves can be taken back. A move taken back stays counted.")]
    else:
        lines = [
            _("The last %(undo)s moves can be taken back. A move taken back stays counted.") % {"undo": ruleset.undo}
        ]
    if ruleset.undo_counts:
        lines.append(_("Taking back counts as a move itself."))
    if ruleset.tells_hopeless:
        lines.append(_("The game says unasked when it can no longer be won."))
    lines.append(_("Without a move the game stands at a dead end; moves can still be taken back."))
    return lines


def _tell_points(ruleset: Ruleset) -> list[str]:
    return {
        "tens": [_("10 points for each card of the pyramid.")],
        "cards": [_("One point for each card of the pyramid.")],
        "points": [
            _("20 points for a pair, 15 for a single card, 10 off for a redeal."),
            _("A win within ten minutes adds a point for each second left."),
        ],
        "none": [_("No points: time and moves count.")],
    }[ruleset.scoring]
