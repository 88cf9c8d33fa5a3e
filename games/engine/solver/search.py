"""A* for the fewest moves.

A state is one int: the cards left, then 5 bits for the place in the line and the redeals taken. Two kinds of
nodes take turns: a state just arrived at by a removal, and a state on the way through the line, stopped at a card
that can do something. The bound on the moves still needed is the relaxed game's and, in a closed stock, the
draws'. Deepest first among equals.
"""

from typing import Any

from games.engine.solver.board import Board
from games.engine.solver.draws import make_draw_bound
from games.engine.solver.layout import Layouts
from games.engine.solver.limits import Meter
from games.engine.solver.relaxed import DEAD, Relaxed
from games.engine.solver.steps import Times, make_steps

# state, relaxed key, bound (inverted once the draws are in it), arrival, stops ahead in this pass (-1 where a
# removal has just arrived), stops in the next one, line cards not worth a second stop, the node before
Node = tuple[int, int, int, int, int, int, int, Any]


def find_shortest(board: Board, layouts: Layouts, relaxed: Relaxed, meter: Meter) -> list[int] | None:
    """The states of a shortest way to the goal, None if there is none.

    One long loop: a call for each node and each successor would take half as long again.
    """
    times = Times(board)
    gone, cells = layouts.start()
    key = board.weigh(board.full ^ gone)
    value = relaxed.fewest(key)
    if value >= DEAD:
        return None
    cost = gone.bit_count()
    node: Node = (board.full ^ gone | times.start, key, value, layouts.begin(cells), -1, 0, 0, None)
    goal = board.goal
    step = make_steps(board, layouts, times)
    bound_draws = make_draw_bound(board, layouts, times)
    values = relaxed.values
    arrivals = layouts.arrivals
    fewest = relaxed.fewest
    # The fewest moves known to a state just arrived at; ways through the line that meet are too few to look for.
    costs = {node[0]: cost}
    known_cost = costs.get
    # By bound on the whole, then by moves made: the nodes to look at.
    f = highest = cost + value
    levels: dict[int, list[list[Node]]] = {f: [[] for _ in range(f + 1)]}
    levels[f][cost].append(node)
    states = draws = 0
    while f <= highest:
        if f not in levels:
            f += 1
            continue
        row = levels.pop(f)
        cost = f
        while cost >= 0:
            bucket = row[cost]
            if not bucket:
                cost -= 1
                continue
            node = bucket.pop()
            state, key, value, place, ahead, back, spent, before = node
            if ahead < 0:
                if costs[state] < cost:
                    continue
                if not state & goal:
                    meter.count(states & 63)
                    return trace(node)
            if bound_draws is not None:
                if value >= 0:
                    draws = bound_draws(state, arrivals[place].cells)
                    least = cost + value + draws
                    if least > f:
                        if least < DEAD:
                            after = levels.get(least)
                            if after is None:
                                after = levels[least] = [[] for _ in range(least + 1)]
                                if least > highest:
                                    highest = least
                            after[cost].append((state, key, ~value, place, ahead, back, spent, before))
                        continue
                else:
                    value = ~value
                    draws = f - cost - value
            states += 1
            if not states & 63:
                meter.count(64)
            groups, spent, drawn = step(state, place, ahead, back, spent, before)
            deepest = cost
            for base, removals in groups:
                for leaving, moves, weight, arrival in removals:
                    child = base ^ leaving
                    cost2 = cost + moves
                    known = known_cost(child)
                    if known is not None and known <= cost2:
                        continue
                    key2 = key - weight
                    value2 = values.get(key2)
                    if value2 is None:
                        value2 = fewest(key2)
                    # A removal draws nothing: as many draws are needed after it.
                    f2 = cost2 + value2 + draws
                    if f2 > f:
                        if value2 >= DEAD:
                            continue
                        after = levels.get(f2)
                        if after is None:
                            after = levels[f2] = [[] for _ in range(f2 + 1)]
                            if f2 > highest:
                                highest = f2
                        after[cost2].append((child, key2, value2, arrival, -1, 0, spent, node))
                    else:
                        row[cost2].append((child, key2, value2, arrival, -1, 0, spent, node))
                        if cost2 > deepest:
                            deepest = cost2
                    costs[child] = cost2
            if drawn is not None:
                child, moves, weight, ahead, back, spent = drawn
                if weight:
                    key -= weight
                    value = fewest(key)
                cost2 = cost + moves
                f2 = cost2 + value
                if f2 > f:
                    after = levels.get(f2)
                    if after is None:
                        after = levels[f2] = [[] for _ in range(f2 + 1)]
                        if f2 > highest:
                            highest = f2
                    after[cost2].append((child, key, value, place, ahead, back, spent, node))
                else:
                    row[cost2].append((child, key, value, place, ahead, back, spent, node))
                    if cost2 > deepest:
                        deepest = cost2
            cost = deepest
        f += 1
    meter.count(states & 63)
    return None


def trace(node: Node) -> list[int]:
    """The states from the start to this node."""
    way = []
    while node is not None:
        way.append(node[0])
        node = node[7]
    return way[::-1]
