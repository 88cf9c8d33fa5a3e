"""draw bound (prototype 2)"""

from games.engine.moves import TABLEAU_SIZE
from games.engine.solver.board import bits_of, indices_of
from games.engine.solver.ideas import Idea
from games.engine.solver.relaxed import DEAD


class Spot:
    __slots__ = ("ever", "fit", "go", "left", "mine", "want")


def make_draw_bound(board, layouts, times):
    if board.open or not board.line or Idea.DRAW_BOUND not in board.ideas:
        return None
    LINE = board.line
    bits, shift = times.bits, times.shift
    pairs = board.pairs
    ALONE = board.alone
    redeals = board.redeals
    rshift = shift + 5
    TABM = board.tableau
    target = board.ruleset.target
    same = [0] * board.size
    for i in range(TABLEAU_SIZE, board.size):
        same[i] = sum(1 << k for k in range(TABLEAU_SIZE, board.size) if board.values[k] == board.values[i])
    facts = {}
    spots = {}

    def get_spot(left, ever, fit):
        """settled spot"""
        while True:
            cells = layouts.find(left)
            ever |= cells.exposed
            fit |= cells.fit
            hit = cells.exposed & fit | cells.joint
            if not hit:
                break
            left ^= hit
        s = spots.get((left, ever))
        if s is None:
            s = spots[left, ever] = Spot()
            s.left = left
            s.ever = ever
            s.fit = fit
            s.want = cells.want
            s.go = {}
        return s

    def go(spot, w):
        hit = 0
        cells = layouts.find(spot.left)
        for i in indices_of(cells.exposed):
            if pairs[i] & w:
                hit |= 1 << i
        n = spot.go[w] = get_spot(spot.left ^ hit, spot.ever, spot.fit)
        return n

    def most_pairs(mask, mine):
        def rec(k, used):
            if k == len(mine):
                return 0
            i = mine[k]
            if used >> i & 1:
                return rec(k + 1, used)
            best = rec(k + 1, used)
            for y in bits_of(mask & board.tableau & board.match[i] & ~used):
                j = y.bit_length() - 1
                best = max(best, (2 if board.values[j] == board.values[i] else 1) + rec(k + 1, used | y | 1 << i))
            return best

        return rec(0, 0)

    def get_facts(cells):
        mask = cells.mask
        lacks = []
        jokers = board.jokers.bit_count()
        caps = {}
        for value in range(0, target):
            loose = sum(1 << i for i in range(TABLEAU_SIZE, board.size) if board.values[i] == value) & LINE
            if loose:
                c = (pairs[loose.bit_length() - 1] & mask & TABM).bit_count()
                if loose.bit_count() > c:
                    for b in bits_of(loose):
                        caps[b] = (loose, c)
            if not value:
                continue
            mine = [i for i in range(TABLEAU_SIZE) if mask >> i & 1 and board.values[i] == target - value]
            need = len(mine) - most_pairs(mask, mine) - jokers
            if need > 0:
                lacks.append((loose, sum(1 << i for i in mine), need))
        r = facts[mask] = (lacks, caps, sum(caps), get_spot(mask, 0, ALONE))
        return r

    def bound(state, cells):
        f = facts.get(cells.mask)
        if f is None:
            if not cells.mask:
                return 0
            f = get_facts(cells)
        lacks, caps, tight, spot = f
        line = state & LINE
        behind = line & bits[state >> shift & 31] - 1
        ahead = rest = line ^ behind
        usable = 0
        unchecked = tight & behind
        while True:
            fit = spot.fit
            stuck = behind & ~fit
            acc = behind & -(1 << stuck.bit_length() - 1) if stuck else behind
            news = acc & unchecked
            if news:
                unchecked ^= news
                cut = 0
                while news:
                    low = news & -news
                    news ^= low
                    rank, c = caps[low]
                    m = behind & rank
                    if m.bit_count() > c:
                        news &= ~rank
                        while c:
                            m ^= 1 << m.bit_length() - 1
                            c -= 1
                        if m > cut:
                            cut = m
                if cut:
                    behind &= -(1 << cut.bit_length())
                    acc &= behind
            w = spot.want & acc
            if w:
                nxt = spot.go.get(w)
                spot = nxt or go(spot, w)
                continue
            usable |= acc & fit
            if spot.left:
                r = rest & spot.want
                if not r:
                    break
            else:
                want = 0
                for loose, _, need in lacks:
                    if (loose & usable).bit_count() < need:
                        want |= loose
                if not want:
                    return (ahead ^ rest).bit_count()
                r = rest & want
                if not r:
                    break
            passed = rest & (r ^ r - 1)
            rest ^= passed
            behind |= passed
            usable |= passed & fit
            unchecked |= passed & tight
        # the end of this pass
        if redeals is not None and (state >> rshift) >= redeals:
            return DEAD
        usable |= rest & fit
        ever = spot.ever
        least = 0
        for loose, mine, need in lacks:
            k = (mine & ever).bit_count()
            n = (loose & usable).bit_count()
            need -= n if n < k else k
            if need > 0:
                m = loose & line
                while need > 1:
                    m &= m - 1
                    need -= 1
                m &= -m
                if m > least:
                    least = m
        again = (line & (least << 1) - 1 & ~(usable & ~ALONE)).bit_count() if least else 0
        return ahead.bit_count() + 1 + (again or 1)

    return bound
