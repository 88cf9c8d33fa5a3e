"""From what a search found to tokens, and their proof: a line is replayed before anybody sees it."""

from collections.abc import Iterable

from games.engine.cards import DECK_SIZE
from games.engine.deal import Deal
from games.engine.moves import RESERVE_CELLS, TABLEAU_CELLS, TABLEAU_SIZE, write_token
from games.engine.position import Position
from games.engine.replay import verify
from games.engine.solver.board import Board, bits_of
from games.engine.solver.steps import Times


class Recorder:
    """Follows a line over the bits of a board and keeps its tokens. drawn: all bits below the stock top."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.tokens: list[str] = []
        self.left = board.full
        self.drawn = board.top - 1
        self.names = {1 << i: TABLEAU_CELLS[i] for i in range(TABLEAU_SIZE)}
        bit = 1 << TABLEAU_SIZE
        for name, column in zip(RESERVE_CELLS, board.position.reserve, strict=False):
            for _ in column:
                self.names[bit] = name
                bit <<= 1

    def draw_to(self, top: int, lost: int) -> None:
        """Draw until `top` is the first card of the stock; the singles `lost` leave it instead of being drawn."""
        line = self.left & self.board.line
        if top <= self.drawn:
            self._draw(line & ~self.drawn, lost)
            self.tokens.append("R")
            self.drawn = 0
        self._draw(self.left & line & ~self.drawn & top - 1, lost)
        self.drawn = top - 1

    def reach(self, loose: int) -> None:
        """Draw until the loose cards can leave."""
        for _ in range(3 * self.board.size):
            if not loose & ~self._tops():
                return
            if not self._drop(self.board.dropped):
                self._step()
        raise AssertionError(f"cards that never come up: {self.board.position}")

    def clear(self) -> None:
        """Take off the singles that are left in stock and waste, and nothing else is."""
        while self.left:
            if not self._drop(self.left):
                self._step()

    def remove(self, gone: int) -> None:
        """Take cards off: a single or a pair, then the singles of the layout that come free."""
        board = self.board
        pair = gone & (board.line | ~board.alone)
        if pair.bit_count() == 1 and not pair & board.alone:
            # The other card is worth the target itself: it leaves with a joker.
            pair |= next(bit for bit in bits_of(gone & board.pairs[pair.bit_length() - 1]) if self._is_exposed(bit))
        if pair:
            self.tokens.append(write_token(tuple(map(self._name, bits_of(pair)))))
            self.left &= ~pair
        rest = gone & ~pair
        while rest:
            bit = next(bit for bit in bits_of(rest) if self._is_exposed(bit))
            self.tokens.append(self._name(bit))
            self.left ^= bit
            rest ^= bit

    def _tops(self) -> int:
        """The top of the waste, and that of an open stock."""
        line = self.left & self.board.line
        behind, ahead = line & self.drawn, line & ~self.drawn
        waste = 1 << behind.bit_length() - 1 if behind else 0
        return waste | (ahead & -ahead if self.board.open else 0)

    def _drop(self, singles: int) -> int:
        """Take off one of the singles where it can leave; 0 if there is none."""
        found = self._tops() & singles
        bit = found & -found
        if bit:
            self.tokens.append(self._name(bit))
            self.left ^= bit
        return bit

    def _step(self) -> None:
        ahead = self.left & self.board.line & ~self.drawn
        self.tokens.append("D" if ahead else "R")
        self.drawn = ((ahead & -ahead) << 1) - 1 if ahead else 0

    def _draw(self, cards: int, lost: int) -> None:
        self.tokens += ["S" if bit & lost else "D" for bit in bits_of(cards)]
        self.left &= ~(cards & lost)

    def _is_exposed(self, bit: int) -> bool:
        return self.board.is_exposed(self.left & self.board.cells, bit.bit_length() - 1)

    def _name(self, bit: int) -> str:
        return self.names[bit] if bit & self.board.cells else "W" if bit & self.drawn else "S"


def write_way(board: Board, states: list[int]) -> list[str]:
    """The tokens of a way through the states of the search for a shortest line."""
    times = Times(board)
    recorder = Recorder(board)
    before, clock = board.full, times.start
    for state in states:
        gone = before & ~state & times.body
        before = state & times.body
        top = times.bits[state >> times.shift & 31]
        if not before and gone and not gone & ~(board.alone & board.line):
            recorder.clear()
        elif state & ~times.body != clock and not gone & ~board.passing:
            recorder.draw_to(top, gone)
        elif gone:
            recorder.remove(gone)
            if board.line:
                recorder.drawn = top - 1
        clock = state & ~times.body
    return recorder.tokens


def write_win(board: Board, removals: Iterable[int]) -> list[str]:
    """The tokens of removals, each the cards that leave together, and of the draws between them.

    The singles of the line that the removals leave out (`board.dropped`) leave as soon as they are met.
    """
    recorder = Recorder(board)
    for gone in removals:
        recorder.reach(gone & board.line)
        recorder.remove(gone)
    if board.goal_all:
        recorder.clear()
    return recorder.tokens


def prove_line(position: Position, tokens: list[str]) -> tuple[str, ...]:
    """The tokens of a winning line, replayed; AssertionError if they do not win.

    From the start of a deal the judge replays them, from elsewhere the position itself does, move by move.
    """
    cards = [*position.tableau, *position.waste, *position.stock]
    for depth in range(3):
        cards += [column[depth] for column in position.reserve if depth < len(column)]
    if None not in cards and len(cards) == DECK_SIZE + position.ruleset.jokers:
        deal = Deal.from_cards(position.ruleset.letter, [card for card in cards if card is not None])
        if Position.start(deal) == position:
            verdict = verify(deal, " ".join(tokens))
            assert verdict.legal, f"not a line of {position}: {tokens}"
            assert verdict.outcome == "won", f"not a winning line of {position}: {tokens}"
            return tuple(tokens)
    end = position
    for token in tokens:
        end = end.play(token)
    assert end.is_won, f"not a winning line of {position}: {tokens}"
    return tuple(tokens)
