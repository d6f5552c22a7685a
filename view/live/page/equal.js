// Where curves lie on each other: there each is drawn in turn, a piece of every one, so that none hides the others.

/**
 * Stretches in which curves coincide.
 *
 * `curves` are heights in pixels, one for each time, null where there is none; those nearer than `tolerance` count as one line.
 * Each stretch goes from the time numbered `from` to that numbered `to`; `members` are numbers of curves, at least two.
 */
export function coinciding(curves, tolerance) {
  const times = curves[0]?.length ?? 0;
  const open = new Map();
  const found = [];
  for (let at = 0; at + 1 < times; at++) {
    const now = together(curves, at, tolerance);
    for (const [key, stretch] of open) {
      if (now.has(key)) continue;
      open.delete(key);
      found.push(stretch);
    }
    for (const [key, members] of now) {
      const stretch = open.get(key);
      if (stretch) stretch.to = at + 1;
      else open.set(key, { from: at, to: at + 1, members });
    }
  }
  return [...found, ...open.values()];
}

/** Groups of curves that are together from a time to the next one, by their members. */
function together(curves, at, tolerance) {
  const there = [];
  for (let number = 0; number < curves.length; number++) {
    const height = curves[number][at];
    const next = curves[number][at + 1];
    if (height !== null && height !== undefined && next !== null && next !== undefined) there.push({ number, height, next });
  }
  there.sort((a, b) => a.height - b.height || a.next - b.next);
  const groups = new Map();
  let group = [];
  const close = () => {
    if (group.length > 1) {
      const members = group.map((one) => one.number).sort((a, b) => a - b);
      groups.set(members.join(), members);
    }
    group = [];
  };
  for (const one of there) {
    const first = group[0];
    if (first && (one.height - first.height > tolerance || Math.abs(one.next - first.next) > tolerance)) close();
    group.push(one);
  }
  close();
  return groups;
}
