// The charts of a cell: rates of all transmissions, the queue and the drops of the chosen port, and the senders' own measurements.

import { element, mbps, seconds, way } from "live/format";
import { TimeChart } from "live/time_chart";
import uPlot from "live/uPlot";

const MANY = 12;
/** As many queues of a port have a curve of their own. */
const MOST_QUEUES = 8;

/** All charts. */
export class Charts {
  /** `places`: elements by name: `rates`, `ratesTitle`, `names`, `queue`, `queueTitle`, `rtt`, `window`, `underWay`, `sendersNote`. */
  constructor(places, go) {
    Object.assign(this, places);
    this.ratesChart = new TimeChart(places.rates, go);
    this.queueChart = new TimeChart(places.queue, go);
    this.senderCharts = { rtt_ms: new TimeChart(places.rtt, go), window: new TimeChart(places.window, go) };
    this.underWayChart = new TimeChart(places.underWay, go);
    this.highlighted = null;
  }

  draw(cell, link, theme) {
    this.cell = cell;
    this.link = link;
    this.highlighted = null;
    this.drawn = this.#drawing();
    const common = this.#common(theme);
    const series = this.#series(theme);
    const shown = (value) => `${mbps(value)} Mbit/s`;
    const added = cell.isAdded ? `; ${cell.transmissions.length} transmissions, added by sender` : "";
    this.ratesTitle.replaceChildren("Rates ", element("small", {}, `Mbit/s of Ethernet frames, at the receiver's link${added}`));
    this.ratesChart.draw(this.#rates(), series, { ...common, shown, events: cell.network.events });
    this.#legend(theme);
    this.#drawSenders(series, common);
    this.drawQueue(link, theme);
    this.version = cell.version;
  }

  drawQueue(link, theme) {
    this.link = link;
    const described = this.cell.network.link(link);
    if (!described) return;
    const hasDrops = this.cell.hasDrops;
    const room = described.queue_packets ? `, room for ${described.queue_packets}` : "";
    this.shownQueues = this.#chosenQueues();
    const named = this.shownQueues.map((number, place) => {
      const name = element("small", { class: "queue-name" }, ` ${number}`);
      name.style.color = theme.colour(place);
      return name;
    });
    const left = this.cell.queuesOf(link).length - named.length;
    this.queueTitle.replaceChildren(
      `Queue ${way(described)} `,
      element("small", {}, `most packets that wait${room}`),
      ...(named.length ? [element("small", {}, " · in queue"), ...named] : []),
      ...(left ? [element("small", {}, ` and ${left} more`)] : []),
      ...(hasDrops ? [element("small", { class: "dropped" }, ` · dropped in ${seconds(this.cell.binS)} (right)`)] : []),
    );
    const accent = theme.ground("accent");
    const dropped = theme.ground("dropped");
    const series = [
      { label: "waiting", scale: "y", stroke: accent, width: 1.5, fill: `${accent}33`, points: { show: false } },
      {
        label: "dropped",
        scale: "right",
        stroke: dropped,
        fill: dropped,
        width: 0,
        paths: uPlot.paths.bars({ size: [0.8, 5, 2], align: -1 }),
        points: { show: false },
      },
      ...this.shownQueues.map((number, place) => ({
        label: `in queue ${number}`,
        scale: "y",
        stroke: theme.colour(place),
        width: 1.2,
        dash: theme.dash(place),
        points: { show: false },
      })),
    ];
    const shown = (value) => (value === 1 ? "1 packet" : `${value} packets`);
    this.queueChart.draw(this.#queue(), series, { ...this.#common(theme), hasRight: hasDrops, shown, highest: 4 });
  }

  #common(theme) {
    return { duration: () => this.cell.duration, theme, right: this.cell.hasDrops };
  }

  #series(theme) {
    const { names } = this.cell;
    return names.map((name, number) => ({
      label: name,
      scale: "y",
      stroke: theme.colour(number),
      width: names.length > MANY ? 1.2 : 2,
      dash: theme.dash(number),
      points: { show: false },
    }));
  }

  #drawSenders(series, common) {
    const { senderCharts, cell } = this;
    const isThere = cell.hasSenders;
    for (const chart of Object.values(senderCharts)) chart.place.parentElement.hidden = !isThere;
    this.underWay.parentElement.hidden = !cell.isAdded;
    if (cell.isAdded) this.#drawUnderWay(common);
    this.sendersNote.hidden = isThere || (cell.isAdded && cell.isOver);
    if (!isThere) {
      this.sendersNote.textContent = !cell.isOver
        ? "No sender has recorded its round-trip time and window yet."
        : "No sender recorded its round-trip time and window in this run.";
      return;
    }
    const milliseconds = (value) => `${value.toFixed(1)} ms`;
    const packets = (value) => `${value} packets`;
    senderCharts.rtt_ms.draw(this.#senders("rtt_ms"), series, { ...common, shown: milliseconds, highest: 10, isFromZero: false });
    senderCharts.window.draw(this.#senders("window"), series, { ...common, shown: packets, highest: 4 });
  }

  #drawUnderWay(common) {
    const accent = common.theme.ground("accent");
    const series = [{ label: "", scale: "y", stroke: accent, width: 1.5, fill: `${accent}33`, points: { show: false } }];
    this.underWayChart.draw(this.#underWay(), series, { ...common, shown: (value) => `${value} under way`, highest: 4 });
  }

  #times(bins) {
    return Array.from({ length: this.cell.within(bins) }, (_unused, bin) => (bin + 1) * this.cell.binS);
  }

  #rates() {
    const { cell } = this;
    return [this.#times(cell.flowBins), ...cell.groups.map((group) => cell.groupRates(group))];
  }

  /** Numbers of the queues with a curve of their own. */
  #chosenQueues() {
    const longest = this.cell.queuesOf(this.link).slice(0, MOST_QUEUES);
    return longest.map(([number]) => number).sort((a, b) => a - b);
  }

  #queue() {
    const { cell } = this;
    const curves = cell.link(this.link);
    const times = this.#times(cell.bins);
    const of = (curve) => times.map((_time, bin) => curve?.values[bin] ?? 0);
    const known = new Map(cell.queuesOf(this.link));
    return [
      times,
      of(curves?.queue),
      of(curves?.dropped).map((value) => (value > 0 ? value : null)),
      ...this.shownQueues.map((number) => of(known.get(number)?.queue)),
    ];
  }

  #senders(what) {
    const { cell } = this;
    return [this.#times(cell.bins), ...cell.groups.map((group) => cell.seen(group, what))];
  }

  #underWay() {
    return [this.#times(this.cell.flowBins), this.cell.underWay];
  }

  #legend(theme) {
    const names = this.cell.names;
    this.names.replaceChildren(
      ...names.map((name, number) => {
        const swatch = element("span", { class: "swatch" });
        swatch.style.background = theme.colour(number);
        const entry = element("button", { class: "name", title: `only ${name}`, "aria-pressed": "false" }, swatch, name);
        entry.addEventListener("click", () => this.#only(name));
        return entry;
      }),
    );
    this.names.classList.toggle("many", names.length > MANY);
  }

  #only(name) {
    this.highlighted = this.highlighted === name ? null : name;
    this.cell.names.forEach((one, number) => {
      const isShown = this.highlighted === null || this.highlighted === one;
      for (const chart of [this.ratesChart, ...Object.values(this.senderCharts)]) chart.setShown(number, isShown);
      this.names.children[number].setAttribute("aria-pressed", String(this.highlighted === one));
    });
  }

  /** The state that decides how the charts are laid out: where it changes, they are drawn anew. */
  #drawing() {
    const { cell } = this;
    return [cell.hasDrops, cell.hasSenders, cell.isOver, ...cell.names, ...this.#chosenQueues()].join(" ");
  }

  /** Takes in what has come. */
  refresh(theme) {
    if (this.version === this.cell.version) return;
    this.version = this.cell.version;
    if (this.drawn !== this.#drawing()) {
      this.draw(this.cell, this.link, theme);
      return;
    }
    this.ratesChart.update(this.#rates());
    this.queueChart.update(this.#queue());
    if (this.cell.isAdded) this.underWayChart.update(this.#underWay());
    if (this.cell.hasSenders) for (const [what, chart] of Object.entries(this.senderCharts)) chart.update(this.#senders(what));
  }

  show(time) {
    for (const chart of [this.ratesChart, this.queueChart, this.underWayChart, ...Object.values(this.senderCharts)]) chart.show(time);
  }
}
