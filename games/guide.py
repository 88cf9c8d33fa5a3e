"""The rules of a ruleset in sentences, made from its fields. Source: rules.md."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from games.engine.cards import RANKS, VALUES
from games.engine.rulesets import RULESETS, Ruleset
from games.examples import find_opening, list_covering, write_rank

KING = VALUES[RANKS.index("K")]


class Part(NamedTuple):
    """A heading and its sentences. name: what a page may draw beside them."""

    name: str
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
    if ruleset.target != KING:
        facts.append(_("Pairs make %(target)s.") % {"target": ruleset.target})
    facts += _tell_specials(ruleset)
    return " ".join(facts)


def write_guide(ruleset: Ruleset) -> list[Part]:
    """The rules in parts: aim, layout, moves, stock, undo, points, tips, history."""
    return [
        Part("aim", _("Aim"), _tell_aim(ruleset)),
        Part("layout", _("Layout"), _tell_layout(ruleset)),
        Part("removals", _("Removing cards"), _tell_removals(ruleset)),
        Part("stock", _("Stock and waste") if ruleset.stock != "reserve" else _("Reserve"), _tell_stock(ruleset)),
        Part("undo", _("Undo and end"), _tell_undo(ruleset)),
        Part("points", _("Points"), _tell_points(ruleset)),
        Part("tips", _("Tips"), _give_tips(ruleset)),
        Part("history", _("Where it comes from"), _tell_history(ruleset)),
    ]


def explain_table(ruleset: Ruleset) -> str:
    """What the drawing of the whole table shows."""
    opening = find_opening(ruleset.letter)
    first, second = (write_rank(opening.card(cell)[0]) for cell in opening.pair)
    places = {
        "first": first,
        "second": second,
        "target": ruleset.target,
        "alone": write_rank(opening.card(opening.alone)[0]),
    }
    return " ".join(
        [
            _("The table before the first move. All seven cards of the lowest row are free."),
            _("With the golden edge: %(first)s and %(second)s make %(target)s and leave together.") % places,
            _("With the green edge: %(alone)s leaves alone.") % places,
        ]
    )


def explain_covering(ruleset: Ruleset) -> str:
    """What the drawing of covered cards shows."""
    under, over = (write_rank(card[0]) for card in list_covering(ruleset))
    places = {"under": under, "over": over, "target": ruleset.target}
    lines = [_("Two cards of the lowest row are gone, and nothing lies on the 4 any more: it is free.")]
    if ruleset.lenient:
        lines.append(
            _("Only one card lies on the %(under)s, so it is free, too, and may leave with that %(over)s.") % places
        )
    elif ruleset.cover_pairs:
        lines.append(
            _("The %(over)s is the last card on the %(under)s: together they make %(target)s and may leave.") % places
        )
    else:
        lines.append(
            _("The %(over)s still lies on the %(under)s: they make %(target)s, but cannot leave together.") % places
        )
    lines.append(_("The 9 waits for both cards on it."))
    return " ".join(lines)


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
    if ruleset.stock == "reserve":
        return [_("The 28 cards of the pyramid must be removed; cards in the reserve may stay.")]
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
    if ruleset.target < KING:
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


def _give_tips(ruleset: Ruleset) -> list[str]:
    lines = [_("Take the pairs that free the most cards, and both legs of the pyramid in turn.")]
    if ruleset.cover_pairs:
        lines.append(_("Partners that lie on each other are no trap: clear the other card, and both leave at once."))
    else:
        lines.append(_("Before the first move, look for partners that lie on each other: they decide the order."))
    if ruleset.lenient:
        lines.append(_("Of two cards that lie on a third only one must go: choose the one whose partner is at hand."))
    if ruleset.target == KING:
        lines.append(_("A king costs no partner: take it as soon as it is free."))
    else:
        lines.append(_("What leaves alone costs no partner: take it as soon as it is free."))
    if ruleset.jokers:
        lines.append(_("Keep a joker for the card whose partners all lie too deep."))
    return lines + _give_stock_tips(ruleset) + _give_counting_tips(ruleset)


def _give_stock_tips(ruleset: Ruleset) -> list[str]:
    if ruleset.stock == "reserve":
        return [
            _("Every card is in sight: think the game through to its end before you touch the first one."),
            _("Two ends of the reserve may leave together; that opens columns without using up the pyramid."),
        ]
    lines = [_("Keep the stock's cards for partners in the pyramid that cannot meet otherwise.")]
    if ruleset.stock == "open":
        lines.append(_("Before each draw compare the tops of stock and waste: as a pair they make room."))
    if ruleset.passes == 1:
        lines.append(
            _("Every draw buries the top of the waste, and no redeal brings it back: see first if it has a partner.")
        )
    elif ruleset.passes is None:
        lines.append(_("No card of the stock is lost, so there is no hurry: what counts is the order in the pyramid."))
    else:
        lines.append(_("The first pass shows the order of the stock; plan the last one with it."))
    return lines


def _give_counting_tips(ruleset: Ruleset) -> list[str]:
    lines = []
    if ruleset.goal == "all":
        lines.append(_("Nothing may stay behind: count the partners left before you use up the last of a rank."))
    if ruleset.scoring == "points" and ruleset.passes != 1:
        lines.append(
            _("A redeal costs as much as ten seconds of the bonus: do not spend longer than that on saving one.")
        )
    if ruleset.undo_counts:
        lines.append(_("Taking back is dear where moves count: think before, not after."))
    else:
        lines.append(_("Stuck? Take back to the last fork and try the other way; the moves stay counted."))
    return lines


def _tell_history(ruleset: Ruleset) -> list[str]:
    lines = [
        _("English books of patience have had Pyramid since the early twentieth century; there are no official rules."),
        _("Its nicknames are Tut's Tomb, for the pharaoh's chamber under the stones, and Pile of 28, for who counts."),
    ]
    if ruleset.goal == "all":
        lines.append(_("That stock and waste must go, too, is what the literature calls the strict win."))
    else:
        lines.append(_("That clearing the pyramid is enough, the relaxed win, is usual on screens."))
    if ruleset.stock == "reserve":
        lines.append(_("Giza lays the whole stock out in the open: what was luck becomes thinking."))
    elif ruleset.passes == 1:
        lines.append(_("One pass and no redeal is the rule as it stands in the books."))
    elif ruleset.passes is None:
        lines.append(
            _("The books know no redeal; running through the stock without end is the kindest of the variants.")
        )
    else:
        lines.append(
            _("The books know no redeal; how many are allowed is a matter of agreement, up to three passes as a rule.")
        )
    if ruleset.stock == "open":
        lines.append(_("That the tops of stock and waste may leave together is a variant that the books name."))
    if ruleset.lenient or ruleset.cover_pairs:
        lines.append(
            _("Whether a card may be played from under its last cover differs from house to house; here it may.")
        )
    if ruleset.jokers or ruleset.target != KING:
        lines.append(
            _("Jokers and sums of ten or eleven make a family of patiences: who can reckon one, can play them all.")
        )
    return lines
