// The shown moment as a picture: the network as SVG, and the charts beside it as pictures in it, in the colours of the moment.

import { svg } from "live/format";

const GAP = 16;
const TITLE = 40;
const LETTER = 7.5;
/** As many have room above the charts. */
const MOST_NAMES = 8;

/** CSS that the network's picture needs, with the variables' values in it. */
function styles(theme) {
  const ground = (what) => theme.ground(what);
  return `
    text { font: 12px system-ui, sans-serif; fill: ${ground("text")}; text-anchor: middle; }
    .title { font-size: 18px; font-weight: 600; text-anchor: start; }
    .small { fill: ${ground("faint")}; text-anchor: start; }
    .switch rect { fill: ${ground("raised")}; stroke: ${ground("text")}; stroke-width: 1.5; }
    .host circle { fill: ${ground("ground")}; stroke: ${ground("faint")}; stroke-width: 1.5; }
    .name { font-weight: 600; dominant-baseline: central; }
    .role, .rate { font-size: 11px; fill: ${ground("faint")}; paint-order: stroke; stroke: ${ground("ground")}; stroke-width: 3px; }
    .rate, .drops { dominant-baseline: central; }
    .flow { stroke: ${ground("ground")}; stroke-width: 1.6; }
    .hit, .halo { stroke: none; }
    .gauge .frame { fill: none; stroke: ${ground("faint")}; }
    .gauge .waiting { fill: ${ground("accent")}; }
    .drops { fill: ${ground("dropped")}; font-weight: 700; }`;
}

/** The picture of the shown moment: an SVG document as text. */
export function picture({ network, charts, names, title, subtitle, theme }) {
  const drawn = network.querySelector("svg");
  const [left, top, width, height] = drawn.getAttribute("viewBox").split(" ").map(Number);
  const scale = 620 / width;
  const canvases = charts.map((chart) => chart.querySelector("canvas")).filter(Boolean);
  const right = 620 + GAP;
  const high =
    Math.max(
      height * scale,
      canvases.reduce((sum, canvas) => sum + canvas.clientHeight + GAP + 18, 0),
    ) +
    TITLE +
    20;
  const wide = right + Math.max(300, ...canvases.map((canvas) => canvas.clientWidth)) + GAP;
  const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high });
  const style = svg("style");
  style.textContent = styles(theme);
  const inner = svg("g", { transform: `translate(0 ${TITLE + 14}) scale(${scale}) translate(${-left} ${-top})` });
  for (const child of drawn.children) inner.append(child.cloneNode(true));
  for (const hit of inner.querySelectorAll(".hit")) hit.remove();
  root.append(
    style,
    svg("rect", { width: wide, height: high, fill: theme.ground("ground") }),
    svg("text", { class: "title", x: GAP, y: 26 }, title),
    svg("text", { class: "small", x: GAP, y: 46 }, subtitle),
    inner,
    legend(names, theme, right),
  );
  let y = TITLE + 14;
  charts.forEach((chart) => {
    const canvas = chart.querySelector("canvas");
    if (!canvas) return;
    const words = chart.dataset.title ?? "";
    root.append(svg("text", { class: "small", x: right, y: y + 12 }, words));
    y += 18;
    root.append(svg("image", { x: right, y, width: canvas.clientWidth, height: canvas.clientHeight, href: canvas.toDataURL("image/png") }));
    y += canvas.clientHeight + GAP;
  });
  return { text: new XMLSerializer().serializeToString(root), width: wide, height: high };
}

/** Which colour is whose, above the charts. */
function legend(names, theme, left) {
  const made = svg("g");
  let x = left;
  names.slice(0, MOST_NAMES).forEach((name, number) => {
    made.append(
      svg("rect", { x, y: 17, width: 11, height: 11, rx: 3, fill: theme.colour(number) }),
      svg("text", { class: "small", x: x + 16, y: 27 }, name),
    );
    x += 34 + LETTER * name.length;
  });
  return made;
}

export function save(name, content, type) {
  const link = document.createElement("a");
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The same picture in dots, twice as fine as on a usual screen. */
export async function savePng(name, { text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(name, await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), "image/png");
}
