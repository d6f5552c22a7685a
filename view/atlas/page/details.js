// The runs behind a value: the means with their intervals, the command that repeats a run, its curves.

import { shown } from "atlas/heat_map";
import { measured } from "atlas/model";
import { element, mbps } from "live/format";
import uPlot from "live/uPlot";

const FONT = "11px system-ui, sans-serif";
const HEIGHT = 180;
const CHARTS = [
  { series: "throughput.", title: "Throughput of each connection", unit: "Mbit/s" },
  { series: "queue.", title: "Queue at the bottleneck", unit: "packets" },
  { series: "rtt.", title: "Smoothed RTT of each connection", unit: "ms" },
];

/** Shows the runs of a cell in `place`. */
export function showDetails(model, cell, theme, place) {
  const described = model.described(cell.experiment);
  const point = Object.entries(cell.point).map(([name, value]) => described.variables[name][value] || `${name} ${value}`);
  const connections = (name) => (name.startsWith("B") && cell.rival !== null ? cell.rival : cell.scheme);
  place.replaceChildren(
    element("h2", {}, cell.rival === null ? cell.scheme : `${cell.scheme} (A) beside ${cell.rival} (B)`),
    element(
      "p",
      { class: "faint" },
      `${described.title}: ${point.filter(Boolean).join(", ")}. Values are from ${cell.window_s[0]} to ${cell.window_s[1]} s.`,
    ),
    values(cell, described, model.data.level_percent),
    element("h3", {}, "The same run again, in seconds"),
    element("code", { tabindex: "0" }, `${model.data.command} CELL='${cell.name}-${cell.runs[0][0]}'`),
    runs(cell),
  );
  for (const { series, title, unit } of CHARTS) {
    const names = Object.keys(cell.curves).filter((name) => name.startsWith(series));
    if (!names.length) continue;
    const chart = element("div", { class: "chart" });
    place.append(element("h3", {}, `${title}, ${unit} (seed ${cell.runs[0][1]})`), key(names, connections, theme), chart);
    draw(chart, cell, names, theme);
  }
}

function values(cell, described, percent) {
  const rows = described.values.map(({ name, label, form }) => {
    const value = measured(cell, name);
    if (!value) return element("tr", {}, element("th", {}, label), element("td", {}, "—"), element("td", {}), element("td", {}));
    const interval = value.ends.length ? `${shown(value.ends[0], form)} to ${shown(value.ends[1], form)}` : "one run";
    const texts = [shown(value.mean, form), interval, String(value.count)];
    return element("tr", {}, element("th", {}, label), ...texts.map((text) => element("td", {}, text)));
  });
  const head = ["", "mean", `${percent} % interval`, "runs"].map((text) => element("th", {}, text));
  return element("table", {}, element("tr", {}, ...head), ...rows);
}

function runs(cell) {
  const told = cell.runs.map(([, seed, samples]) => `${seed}: ${samples || "no checksum"}`);
  return element(
    "details",
    {},
    element("summary", {}, "Checksums of the samples, by seed"),
    element("code", { tabindex: "0" }, told.join("\n")),
  );
}

function key(names, connections, theme) {
  const parts = names.flatMap((name, number) => {
    const stroke = element("span", { class: "key" });
    stroke.style.backgroundColor = theme.colour(number);
    const connection = name.split(".")[1];
    return [stroke, name.startsWith("queue.") ? connection : `${connection} (${connections(connection)})`];
  });
  return element("p", { class: "faint" }, ...parts);
}

function draw(place, cell, names, theme) {
  const axis = {
    stroke: theme.ground("faint"),
    grid: { stroke: theme.ground("line"), width: 1 },
    ticks: { stroke: theme.ground("line"), width: 1 },
    font: FONT,
  };
  const options = {
    width: Math.max(200, place.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, (high || 1) * 1.06] } },
    axes: [
      { ...axis, size: 24, values: (_plot, ticks) => ticks.map((tick) => `${tick} s`) },
      { ...axis, size: 44, values: (_plot, ticks) => ticks.map(mbps) },
    ],
    series: [{}, ...names.map((name, number) => ({ label: name, stroke: theme.colour(number), dash: theme.dash(number), width: 1.6 }))],
  };
  new uPlot(options, [cell.curves.time_s, ...names.map((name) => cell.curves[name])], place);
}
