"""Make the generated vector files (more-*.tsv) with the naive implementation: python -m tests.engine.make_vectors.

Everything is seeded; a run writes the same files again (with the same version of Python). What is typed by hand
(positions, refusals, steps, games, documents) is not touched; make_perft.py makes perft.tsv.
"""

import json
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.engine.naive import JOKERS, PLACES, RULES, Game, Refused, Rules
from tests.engine.naive_replay import BASE32, deck_of, read_code, verify, write_code

VECTORS = Path(__file__).parent.parent / "vectors"
Random = random.Random


# -- deals


def random_code(rng: Random, rules: Rules) -> str:
    return f"PY1-{rules.letter}-" + "".join(rng.choice(BASE32) for _ in range(7))


def winnable_deal(rng: Random, rules: Rules) -> tuple[list[str], list[str]]:
    """Cards and a line that wins: cards without faces are played first, and get theirs as they leave."""
    while True:
        made = try_winnable_deal(rng, rules)
        if made is not None:
            return made


def try_winnable_deal(rng: Random, rules: Rules) -> tuple[list[str], list[str]] | None:
    deck = deck_of(rules)
    blanks = [f"{number:02}" for number in range(len(deck))]
    game = Game.deal(rules, blanks)
    groups = leaving_groups(rng, rules)
    faces: dict[str, str] = {}
    line: list[str] = []
    while not game.is_won():
        places = game.available()
        group = next((group for group in groups if len(group) <= len(places)), None)
        if group is None or rng.random() < 0.35:
            token = "D" if game.stock else "R"
            if token == "R" and not (game.waste and game.may_redeal() and rng.random() < 0.5):
                if group is None:
                    return None
                continue
            game.apply(token, [])
            line.append(token)
        else:
            groups.remove(group)
            taken = sorted(rng.sample(places, len(group)), key=PLACES.index)
            for place, face in zip(taken, group, strict=True):
                faces[str(game.card_at(place))] = face
            game.apply("", taken)
            line.append("".join(taken))
        if len(line) > 200:
            return None
    rest = [card for card in deck if card not in faces.values()]
    rng.shuffle(rest)
    return [faces.get(blank) or rest.pop() for blank in blanks], line


def leaving_groups(rng: Random, rules: Rules) -> list[list[str]]:
    """The whole deck without jokers in singles and pairs that may leave, in random order."""
    game = Game(rules)
    left = [card for card in deck_of(rules) if card not in JOKERS]
    rng.shuffle(left)
    groups = []
    while left:
        card = left.pop()
        if game.leaves_alone(card):
            groups.append([card])
        else:
            partner = next(other for other in left if game.pairs(card, other))
            left.remove(partner)
            groups.append([card, partner])
    rng.shuffle(groups)
    return groups


# -- games


def random_token(rng: Random) -> str:
    shape = rng.random()
    if shape < 0.05:
        letters = string.ascii_letters + string.digits + " -"
        return "".join(rng.choice(letters) for _ in range(rng.randrange(4)))
    if shape < 0.25:
        return rng.choice("DRU")
    places = [*PLACES, "a2", "c0", "g8", "h9"] if rng.random() < 0.2 else [*PLACES[:28], "S", "W"]
    first = rng.choice(places)
    return first if shape < 0.4 else first + rng.choice(places)


def near_token(rng: Random, game: Game) -> str:
    """A token of cards that are there or nearly so, which random_token seldom hits."""
    there = [place for place in PLACES if game.card_at(place) is not None]
    places = game.available() if rng.random() < 0.5 else there
    if not places or rng.random() < 0.1:
        return random_token(rng)
    return "".join(rng.sample(places, min(len(places), rng.choice((1, 2, 2)))))


def random_line(rng: Random, game: Game, plies: int, undo: float, greed: float) -> list[str]:
    """Play legal tokens on the game; `greed` is how often a removal goes before draw and redeal."""
    line: list[str] = []
    while len(line) < plies and not game.is_won():
        moves = game.legal_moves()
        removals = [token for token in moves if token not in ("D", "R")]
        if game.log and undo and (rng.random() < undo or not moves):
            token = "U"
        elif not moves:
            break
        else:
            token = rng.choice(removals if removals and rng.random() < greed else moves)
        if len(token) == 4 and rng.random() < 0.3:
            token = token[2:] + token[:2]
        game.play(token)
        line.append(token)
    return line


def random_position(rng: Random, rules: Rules) -> Game:
    if rng.random() < 0.3:
        cards, _line = winnable_deal(rng, rules)
    else:
        cards = read_code(random_code(rng, rules))[1]
    game = Game.deal(rules, cards)
    random_line(rng, game, rng.randrange(60), 0.0, rng.choice((0.5, 0.9, 1.0)))
    return game


# -- the files


def write(name: str, head: str, rows: Iterator[tuple[object, ...]]) -> None:
    lines = ["\t".join(map(str, row)) for row in rows]
    (VECTORS / name).write_text("\n".join([*head.splitlines(), *lines]) + "\n", encoding="utf-8")
    print(name, len(lines), "rows")


def position_rows(rng: Random) -> Iterator[tuple[object, ...]]:
    for rules in RULES.values():
        for _ in range(25):
            game = random_position(rng, rules)
            yield game.text(), game.outcome(), " ".join(game.legal_moves()) or "-"


def step_rows(rng: Random) -> Iterator[tuple[object, ...]]:
    for rules in RULES.values():
        for _ in range(25):
            game = random_position(rng, rules)
            moves = game.legal_moves()
            if moves:
                before, token = game.text(), rng.choice(moves)
                game.play(token)
                yield before, token, game.text()


def refusal_rows(rng: Random) -> Iterator[tuple[object, ...]]:
    for rules in RULES.values():
        found: dict[str, int] = {}
        games = [random_position(rng, rules) for _ in range(60)]
        for _ in range(3000):
            game = rng.choice(games)
            token = rng.choice((random_token, lambda r, game=game: near_token(r, game)))(rng)
            try:
                game.check(token)
            except Refused as refused:
                found[refused.reason] = found.get(refused.reason, 0) + 1
                if found[refused.reason] <= 4:
                    yield game.text(), json.dumps(token), refused.reason, refused.place or "-"


def game_rows(rng: Random) -> Iterator[tuple[object, ...]]:
    for rules in RULES.values():
        makers: list[Callable[[Random, Rules], tuple[str, list[str]]]]
        makers = [won_game] * 3 + [won_game_with_detours] * 3 + [open_game] * 4 + [long_game] * 2 + [bad_game] * 3
        for make in makers:
            code, line = make(rng, rules)
            times = "-"
            if rng.random() < 0.5:
                stamps = sorted(rng.randrange(900_000) for _ in line)
                times = json.dumps(stamps)
            moves = " ".join(line)
            verdict = verify(*read_code(code), moves, None if times == "-" else json.loads(times))
            yield code, moves, times, json.dumps(verdict, ensure_ascii=False)


def won_game(rng: Random, rules: Rules) -> tuple[str, list[str]]:
    cards, line = winnable_deal(rng, rules)
    return write_code(rules, cards), line


def won_game_with_detours(rng: Random, rules: Rules) -> tuple[str, list[str]]:
    """A won game in which steps aside are taken back."""
    cards, line = winnable_deal(rng, rules)
    game = Game.deal(rules, cards)
    played: list[str] = []
    for token in line:
        while rng.random() < 0.3 and not game.is_won():
            aside = random_line(rng, game, rng.randrange(1, 5), 0.0, 0.5)
            if game.is_won():
                return write_code(rules, cards), played + aside
            for _ in aside:
                game.play("U")
            played += [*aside, *("U" for _ in aside)]
        game.play(token)
        played.append(token)
    return write_code(rules, cards), played


def open_game(rng: Random, rules: Rules) -> tuple[str, list[str]]:
    code = random_code(rng, rules)
    game = Game.deal(*read_code(code)[:2])
    return code, random_line(rng, game, rng.randrange(30, 120), rng.choice((0.0, 0.0, 0.1)), 0.8)


def long_game(rng: Random, rules: Rules) -> tuple[str, list[str]]:
    code = random_code(rng, rules)
    game = Game.deal(*read_code(code)[:2])
    return code, random_line(rng, game, 400, 0.45, 0.3)


def bad_game(rng: Random, rules: Rules) -> tuple[str, list[str]]:
    code = random_code(rng, rules)
    game = Game.deal(*read_code(code)[:2])
    line = random_line(rng, game, rng.randrange(40), 0.1, 0.7)
    return code, [*line, near_token(rng, game), "D"]


def main() -> None:
    made = "# Made by tests/engine/make_vectors.py with the naive implementation; not typed by hand.\n"
    head = '# position\toutcome (won, dead_end, unfinished)\tall legal moves in order, "-" for none'
    write("more-positions.tsv", made + head, position_rows(Random("positions")))
    head = "# position\ttoken\tposition after it"
    write("more-steps.tsv", made + head, step_rows(Random("steps")))
    head = '# position\ttoken as a JSON string\treason code\tthe place the sentence is about, "-" for none'
    write("more-refusals.tsv", made + head, refusal_rows(Random("refusals")))
    head = '# deal code\tmoves\ttimes as JSON, "-" for none\tverdict as JSON without its sentence ("detail")'
    write("more-games.tsv", made + head, game_rows(Random("games")))


if __name__ == "__main__":
    main()
