// Numbers and elements as they are shown.

/** A rate in Mbit/s with as many digits as help. */
export function mbps(value) {
  if (value === 0) return "0";
  return value < 1 ? value.toFixed(3) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** Seconds after the start of the run. */
export function seconds(value) {
  return `${value.toFixed(2)} s`;
}

/** A whole number with thin gaps between thousands. */
export function count(value) {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, " ");
}

/** A direction of a link. */
export function way({ start, end }) {
  return `${start} → ${end}`;
}

/** Makes an HTML element: its attributes, and its content (text or elements). */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content);
  return made;
}

/** Makes an SVG element. */
export function svg(name, attributes = {}, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}
