// The rule by which a value is coloured.

/** Colours of the two signs: the scheme of the row has more, the one of the column has more; each from little to much. */
export const SIGNED = {
  light: { row: ["#c9dff0", "#85b8dc", "#3b8cc4", "#0072b2"], column: ["#fbdcc4", "#f3b183", "#e6813c", "#d55e00"] },
  dark: { row: ["#1f3a4f", "#28587c", "#3886bd", "#56b4e9"], column: ["#4a2f1d", "#7a4620", "#bd682c", "#ff8c42"] },
};
const STEPS = [0, 0.2, 0.4, 0.7];
export const SIGNED_RULE =
  "Blue: the scheme of the row has more; orange: the one of the column. The steps begin at an index of 0, 0.2, 0.4 and 0.7. " +
  "Hatched: the interval of the mean contains 0, so neither has more. The diagonal is Jain's index of two connections of one scheme.";

/** What a signed value says: which side has more, and in which of the four steps. `ends` of the interval; none: of one run. */
export function signed(mean, ends) {
  const isTied = ends.length === 2 && ends[0] <= 0 && ends[1] >= 0;
  const size = Math.abs(mean);
  let step = 0;
  while (step + 1 < STEPS.length && size >= STEPS[step + 1]) step++;
  return { side: mean >= 0 ? "row" : "column", step, isTied };
}

/** The step among `count` of a value between the lowest and the highest one shown. */
export function stepOf(value, lowest, highest, count) {
  if (highest <= lowest) return 0;
  return Math.min(count - 1, Math.floor((count * (value - lowest)) / (highest - lowest)));
}

/** Black or white, whichever stands out more on a colour `#rrggbb` (relative luminance, WCAG 2.1). */
export function readable(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
