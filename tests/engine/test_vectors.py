"""Do the engine and the naive implementation give every answer written down in tests/vectors?"""

import json
from typing import Any

import pytest

from tests.engine import naive
from tests.engine.both import Engine, Naive, read_rows

REASONS_OF_TOKENS = {
    *("syntax", "no_such_cell", "same_card", "after_end", "stock_empty", "stock_not_empty", "no_redeal_left"),
    *("waste_empty", "nothing_to_undo", "not_open", "gone", "covered", "sum", "not_single"),
}
REASONS_OF_DOCUMENTS = {"json", "shape", "format", "deal", "times"}

both = pytest.mark.parametrize("player", [Engine, Naive], ids=["engine", "naive"])
typed_and_made = ("", "more-")


def tell(wrong: list[str]) -> str:
    return "\n".join([f"{len(wrong)} rows are answered otherwise:", *wrong[:20]])


@both
def test_deals_start_with_their_cards_where_the_layout_puts_them(player: Any) -> None:
    rows = list(read_rows("starts.tsv"))
    assert [text[0] for _where, (_code, text) in rows] == list(naive.RULES)
    wrong = [f"{where}: {text}" for where, (code, text) in rows if player.start(code) != text]
    assert not wrong, tell(wrong)


@both
@pytest.mark.parametrize("kind", typed_and_made)
def test_positions_have_their_outcome_and_exactly_their_legal_moves(player: Any, kind: str) -> None:
    wrong = []
    for where, (text, outcome, moves) in read_rows(f"{kind}positions.tsv"):
        expected = (text, outcome, moves.split(" ") if moves != "-" else [])
        written, state, listed = player.describe(text)
        if (written, state, listed) != expected:
            wrong.append(f"{where}: {outcome}, {moves}; not {state}, {' '.join(listed)}, {written}")
    assert not wrong, tell(wrong)


@both
@pytest.mark.parametrize("kind", typed_and_made)
def test_moves_lead_to_their_positions(player: Any, kind: str) -> None:
    wrong = []
    for where, (text, token, after) in read_rows(f"{kind}steps.tsv"):
        answer = player.play(text, token)
        if answer != after:
            wrong.append(f"{where}: {token} gives {after}; not {answer}")
    assert not wrong, tell(wrong)


@both
@pytest.mark.parametrize("kind", typed_and_made)
def test_tokens_are_refused_for_their_reason_and_place(player: Any, kind: str) -> None:
    wrong = []
    for where, (text, token, reason, place) in read_rows(f"{kind}refusals.tsv"):
        answer = player.play(text, json.loads(token))
        # Only these sentences name the place; elsewhere the reason says all.
        named = reason in ("no_such_cell", "gone", "covered")
        if (answer[0], answer[1] if named else None) != (reason, place if named else None):
            wrong.append(f"{where}: {token} is {reason} of {place}; not {answer}")
    assert not wrong, tell(wrong)


@both
@pytest.mark.parametrize("kind", typed_and_made)
def test_replays_get_their_whole_verdict_in_the_order_of_its_names(player: Any, kind: str) -> None:
    wrong = []
    for where, (code, moves, times, verdict) in read_rows(f"{kind}games.tsv"):
        answer = player.verify(code, moves, None if times == "-" else json.loads(times))
        if json.dumps(answer, ensure_ascii=False) != verdict:
            wrong.append(f"{where}: {verdict}; not {json.dumps(answer)}")
    assert not wrong, tell(wrong)


@both
def test_documents_get_their_verdict(player: Any) -> None:
    wrong = []
    for where, fields in read_rows("documents.tsv"):
        document, verdict = "\t".join(fields[:-1]), json.loads(fields[-1])
        sent = bytes.fromhex(document[4:]) if document.startswith("hex:") else document.encode()
        answer = player.judge(sent)
        if answer != verdict:
            wrong.append(f"{where}: {verdict}; not {answer}")
    assert not wrong, tell(wrong)


@both
def test_a_replay_in_a_document_is_judged_as_the_same_replay_alone(player: Any) -> None:
    wrong = []
    for where, (code, moves, times, verdict) in read_rows("games.tsv"):
        document = {"format": "pyramid-replay/1", "deal": code, "moves": moves}
        if times != "-":
            document["times"] = json.loads(times)
        answer = player.judge(json.dumps(document))
        if answer != json.loads(verdict):
            wrong.append(f"{where}: {verdict}; not {answer}")
    assert not wrong, tell(wrong)


def test_the_typed_rows_cover_every_reason_code() -> None:
    refused = {reason for _where, (_text, _token, reason, _place) in read_rows("refusals.tsv")}
    assert refused == REASONS_OF_TOKENS
    games = [json.loads(fields[-1]).get("reason") for _where, fields in read_rows("games.tsv")]
    assert {"too_long", "times", "nothing_to_undo", "after_end"} <= set(games)
    documents = [json.loads(fields[-1]).get("reason") for _where, fields in read_rows("documents.tsv")]
    assert set(documents) >= REASONS_OF_DOCUMENTS


@pytest.mark.parametrize("letter", naive.RULES)
def test_every_ruleset_has_won_unfinished_and_refused_games_and_positions(letter: str) -> None:
    games = [
        json.loads(fields[-1])
        for kind in typed_and_made
        for _where, fields in read_rows(f"{kind}games.tsv")
        if fields[0][4] == letter
    ]
    assert {game.get("outcome") for game in games} >= {"won", "unfinished", None}
    for name in ("positions", "steps", "refusals"):
        assert any(fields[0][0] == letter for _where, fields in read_rows(f"more-{name}.tsv"))
