// Where everything lies, in pixels, for a table of some size. Pure: numbers in, numbers out.

const RATIO = 1.4; // height of a card by its width
const GAP = 0.07; // between cards, by their width
const STEP_LEAST = 0.42; // how much of a covered card stays visible, by its height
const STEP_MOST = 0.76;
const WIDEST = 150;
const RESERVE_STEP = 0.34;
const EDGE = 6;
const BESIDE = 118; // height of the buttons where they stand above the stock, one over the other

/**
 * The sizes and places of a table: {w, h, cell(r, c), stock, waste, foundation, column(k, i), buttons}.
 * Stock and waste lie below the pyramid, or beside its foot where that makes the cards larger.
 */
export function layOut(width, height, { reserve, mirrored }) {
  const below = fit(width, height, reserve ? 9 : 7, reserve ? 1 + 2 * RESERVE_STEP : 1);
  const beside = reserve ? null : fit(width, height, 7 + 2 * 2.75, 0);
  const plan = beside && beside.h > below.h * 1.03 ? placeBeside(width, height, beside) : placeBelow(width, height, below, reserve);
  return mirrored ? mirror(plan, width) : plan;
}

/** The largest cards for so many columns, with a row of piles below (in card heights; 0: none). */
function fit(width, height, columns, row) {
  const byWidth = (width - 2 * EDGE) / (columns * (1 + GAP) - GAP);
  const rows = 6 * 0.5 + 1 + (row ? row + 0.16 : 0);
  const w = Math.floor(Math.min(byWidth, (height - 2 * EDGE) / (rows * RATIO), WIDEST));
  const h = Math.round(w * RATIO);
  const room = height - 2 * EDGE - h - (row ? (row + 0.16) * h : 0);
  const step = Math.round(Math.min(Math.max(room / 6, STEP_LEAST * h), STEP_MOST * h));
  return { w, h, u: w * (1 + GAP), step };
}

function placePyramid(width, top, { w, u, step }) {
  return (r, c) => ({ x: width / 2 + (c - r / 2) * u - w / 2, y: top + r * step });
}

function placeBelow(width, height, size, reserve) {
  const { w, h, u, step } = size;
  const pile = reserve ? h * (1 + 2 * RESERVE_STEP) : h;
  const whole = 6 * step + h + 0.16 * h + pile;
  const top = Math.max(EDGE, (height - whole) / 2);
  const y = top + whole - pile;
  const columns = reserve ? 9 : 7;
  const left = width / 2 - (columns / 2) * u + (u - w) / 2;
  const at = (k) => left + k * u;
  const middle = { x: at(2) + 4, y, width: Math.max(0, at(6) - at(2) - 8 - (u - w)), height: h, stacked: false };
  return {
    ...size,
    cell: placePyramid(width, top, size),
    stock: { x: at(0), y },
    waste: { x: at(1), y },
    foundation: { x: at(columns - 1), y: y + pile - h },
    column: (k, i) => ({ x: at(k), y: y + i * RESERVE_STEP * h }),
    buttons: middle,
  };
}

function placeBeside(width, height, size) {
  const { w, h, u, step } = size;
  const top = Math.max(EDGE, (height - 6 * step - h) / 2);
  const y = top + 6 * step;
  const left = Math.max(EDGE, width / 2 - 3.5 * u - 2.75 * u);
  const right = width - left - w;
  return {
    ...size,
    cell: placePyramid(width, top, size),
    stock: { x: left, y },
    waste: { x: left + u, y },
    foundation: { x: right, y },
    column: () => ({ x: 0, y: 0 }),
    buttons: { x: left, y: y - BESIDE - 8, width: u + w, height: BESIDE, stacked: true },
  };
}

function mirror(plan, width) {
  const flip = ({ x, y }, size = plan.w) => ({ x: width - x - size, y });
  return {
    ...plan,
    stock: flip(plan.stock),
    waste: flip(plan.waste),
    foundation: flip(plan.foundation),
    column: (k, i) => flip(plan.column(k, i)),
    buttons: { ...plan.buttons, ...flip(plan.buttons, plan.buttons.width) },
  };
}
