"""What the pages' scripts say, by short names; the page carries these sentences in its language."""

from django.utils.translation import gettext, gettext_noop

_ = gettext_noop
WORDS = {
    # refusals: one short line each
    "sum": _("The sum must be %(target)s."),
    "covered": _("Another card blocks this card."),
    "not_single": _("This card cannot leave alone."),
    "stock_empty": _("No card is left in the stock."),
    "stock_not_empty": _("Redeal only when the stock is empty."),
    "no_redeal_left": _("No redeal is left."),
    "waste_empty": _("There is nothing to redeal."),
    "nothing_to_undo": _("There is nothing to undo."),
    "after_end": _("The game is won; nothing can follow."),
    "refused": _("This move is not possible."),
    # what a move did, for who hears the game
    "drawn": _("Drawn: %(card)s."),
    "redealt": _("The waste is the stock again."),
    "undone": _("Taken back."),
    "removed_pair": _("%(first)s and %(second)s removed. %(left)s left."),
    "removed_single": _("%(first)s removed. %(left)s left."),
    "selected": _("%(card)s chosen. Partners: %(partners)s."),
    "no_partner": _("%(card)s chosen. No partner is available."),
    "deselected": _("Nothing is chosen."),
    # cards and places
    "card": _("%(rank)s of %(suit)s"),
    "A": _("Ace"),
    "J": _("Jack"),
    "Q": _("Queen"),
    "K": _("King"),
    "letter_J": _("J"),
    "letter_Q": _("Q"),
    "letter_K": _("K"),
    "c": _("clubs"),
    "d": _("diamonds"),
    "h": _("hearts"),
    "s": _("spades"),
    "X": _("Joker"),
    "in_row": _("%(card)s, row %(row)s, card %(column)s"),
    "free": _("available"),
    "covered_by": _("covered by %(cards)s"),
    "and": _("%(first)s and %(second)s"),
    "on_waste": _("%(card)s, on top of the waste"),
    "on_stock": _("%(card)s, on top of the stock"),
    "in_reserve": _("%(card)s, end of reserve column %(column)s"),
    "under_reserve": _("%(card)s, in reserve column %(column)s, covered"),
    "stock_of": _("Stock, cards: %(count)s. Draw."),
    "stock_redeal": _("The stock is empty. Redeal."),
    "stock_over": _("The stock is empty, and no redeal is left."),
    "foundation_of": _("Foundation, cards: %(count)s"),
    # the status
    "pass_of": _("Pass %(pass)s of %(passes)s"),
    "pass_any": _("Pass %(pass)s"),
    "copied": _("Deal code copied."),
    "ranked": _("Ranked"),
    "practice": _("Practice"),
    "assisted": _("Practice with hints"),
    "daily": _("Daily"),
    "offline": _("No connection. Your moves are kept and will be sent."),
    "online": _("Connected again."),
    "apart": _("This game went on elsewhere. This is how it stands."),
    "loading": _("The cards are being dealt."),
    "failed": _("The server could not be reached. Please try again."),
    "tip": _("Two free cards that make %(target)s leave together."),
    # hints
    "looking": _("Looking for a hint."),
    "no_hints": _("There are no hints in a ranked game."),
    "dead_end": _("No move is left."),
    "hopeless": _("This game can no longer be won."),
    # the end
    "you_won": _("Won!"),
    "given_up": _("Given up"),
    "expired": _("The time for this game is over."),
    "rank_of": _("Rank %(rank)s of %(total)s"),
    "rank_deal": _("on this deal"),
    "rank_race": _("in this race"),
    "rank_ruleset": _("in this ruleset"),
    "best_now": _("This is your best."),
    "over_par": _("%(over)s over par (%(par)s)"),
    "at_par": _("Exactly par: no game can be shorter."),
    "showing_line": _("A shortest way to win, move by move."),
    # before a game
    "counts_daily": _("Today's deal, the same for everybody. One attempt: the clock runs from the first look at the cards until the win, also while you are away. No hints."),  # noqa: E501
    "counts_guest": _("As a guest you play it for practice. Sign up first to stand in the ranks."),
    "counts_ranked": _("One attempt on cards that the server deals. The clock runs on, and there are no hints."),
    "counts_practice": _("As often as you like, with hints and undo. It counts for the board of this deal alone."),
    "guest_ranked": _("Ranked games are for signed-up players."),
    "no_pool": _("No proven deal of this difficulty is left for you; these are any cards."),
    # the first page
    "players": _("Players: %(count)s"),
    "play": _("Play"),
    "go_on": _("Go on"),
    "look": _("Look"),
    "easy": _("easy"),
    "medium": _("medium"),
    "hard": _("hard"),
    "nobody": _("Nobody has won it yet."),
    "dealing": _("It is being dealt: a moment."),
    "my_win": _("Won in %(time)s, %(moves)s moves"),
    "my_left": _("Cards left: %(left)s"),
    "next_in": _("New deals in %(time)s"),
}  # fmt: skip


def write_words() -> dict[str, str]:
    """All of them in the language of the request."""
    return {name: gettext(sentence) for name, sentence in WORDS.items()}
