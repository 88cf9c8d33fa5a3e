// The frames of one game or of two beside each other: what is on the tables at which moment. Pure: lists in, lists out.

const EVEN = 1000; // between the moves of a line that nobody has played
const LONGEST = 3000; // what is left of a long pause

/** When each token was played, in ms; times null or all the same: one a second. */
function momentsOf({ plies, times }) {
  const told = times?.length === plies && new Set(times).size > 1;
  return told ? times : Array.from({ length: plies }, (_, i) => (i + 1) * EVEN);
}

/**
 * The frames of lines [{plies, times}]: [{at, plies}], at in ms since the start, plies: how many tokens of each line are
 * played by then. The first is before any move; each other has one token more than the one before it.
 */
export function makeFrames(lines) {
  const steps = lines.flatMap((line, which) => momentsOf(line).map((at, ply) => ({ at, which, ply })));
  steps.sort((a, b) => a.at - b.at || a.which - b.which || a.ply - b.ply);
  const frames = [{ at: 0, plies: lines.map(() => 0) }];
  for (const { at, which } of steps) {
    const { plies } = frames.at(-1);
    frames.push({ at, plies: plies.with(which, plies[which] + 1) });
  }
  return frames;
}

/** When each frame is shown at normal speed, in ms: its real time, or with pauses of at most LONGEST. */
export function paceOf(frames, shortened) {
  let shown = 0;
  return frames.map(({ at }, i) => {
    const gap = i ? at - frames[i - 1].at : 0;
    shown += shortened ? Math.min(gap, LONGEST) : gap;
    return shown;
  });
}

/** The last frame whose moment has come. */
export const frameAt = (pace, moment) => Math.max(0, pace.findLastIndex((shown) => shown <= moment));

/** The first frame in which the first line has so many tokens; the last frame for more than there are. */
export function frameOfPly(frames, ply) {
  const found = frames.findIndex(({ plies }) => plies[0] >= ply);
  return found < 0 ? frames.length - 1 : found;
}

/** The real time at a moment of the playback, in ms: it runs evenly between two frames. */
export function realTime(frames, pace, moment) {
  const i = frameAt(pace, moment);
  const next = frames[i + 1];
  if (!next || pace[i + 1] === pace[i]) return frames[i].at;
  return frames[i].at + ((moment - pace[i]) * (next.at - frames[i].at)) / (pace[i + 1] - pace[i]);
}
