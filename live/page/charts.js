// Curves over time (uPlot): the rates of all transmissions, and the queue of the chosen port. They are drawn once for all there is; what
// moves with the time is a line, and a veil over what is still to come.

import { element, mbps, way } from "live/format";
import uPlot from "live/uPlot";

const MANY = 12;

class TimeChart {
  constructor(place, go) {
    this.place = place;
    this.go = go;
    this.now = element("div", { class: "now" });
    this.veil = element("div", { class: "veil" });
    new ResizeObserver(() => this.#size()).observe(place);
  }

  #size() {
    if (this.plot && this.place.clientWidth > 0) this.plot.setSize({ width: this.place.clientWidth, height: this.place.clientHeight });
  }

  draw(data, series, options) {
    const { duration, unit, theme, events, highest } = options;
    const axis = {
      stroke: theme.ground("faint"),
      grid: { stroke: theme.ground("line"), width: 1 },
      ticks: { stroke: theme.ground("line"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      labelFont: "11px system-ui, sans-serif",
    };
    const plot = new uPlot(
      {
        width: Math.max(50, this.place.clientWidth),
        height: Math.max(50, this.place.clientHeight),
        legend: { show: false },
        padding: [6, 10, 0, 0],
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          x: { time: false, range: () => [0, duration()] },
          y: { range: (_plot, _low, high) => [0, Math.max(highest, high || 0) * 1.06] },
        },
        axes: [
          { ...axis, size: 24, values: (_plot, ticks) => ticks.map((tick) => `${tick} s`) },
          { ...axis, size: 44, values: (_plot, ticks) => ticks.map((tick) => (tick >= 1000 ? `${tick / 1000}k` : `${tick}`)) },
        ],
        series: [{}, ...series],
        hooks: {
          draw: [(drawn) => drawEvents(drawn, events, theme)],
          setCursor: [(drawn) => this.#hover(drawn, unit)],
        },
      },
      data,
      this.place,
    );
    this.plot?.destroy();
    this.plot = plot;
    plot.over.append(this.veil, this.now);
    plot.over.addEventListener("click", (event) => {
      const box = plot.over.getBoundingClientRect();
      this.go(plot.posToVal(event.clientX - box.left, "x"));
    });
  }

  #hover(drawn, unit) {
    const { idx, left, top } = drawn.cursor;
    let text = "";
    if (idx !== null && idx !== undefined && left >= 0) {
      // The curve nearest to the pointer.
      let nearest = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let at = 1; at < drawn.series.length; at++) {
        const value = drawn.data[at][idx];
        if (value === null || value === undefined || !drawn.series[at].show) continue;
        const distance = Math.abs(drawn.valToPos(value, "y") - top);
        if (distance < least) [least, nearest] = [distance, at];
      }
      if (nearest) text = `${drawn.series[nearest].label} ${mbps(drawn.data[nearest][idx])} ${unit} at ${drawn.data[0][idx].toFixed(2)} s`;
    }
    this.place.title = text;
  }

  update(data) {
    this.plot?.setData(data);
  }

  show(time) {
    if (!this.plot) return;
    const x = this.plot.valToPos(time, "x");
    this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.veil.style.left = `${x.toFixed(1)}px`;
  }
}

function drawEvents(plot, events, theme) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = theme.ground("faint");
  ctx.fillStyle = theme.ground("faint");
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const event of events) {
    const x = plot.valToPos(event.time_s, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(event.text, x + 3 * devicePixelRatio, bbox.top + 11 * devicePixelRatio);
  }
  ctx.restore();
}

/** Both charts. */
export class Charts {
  constructor(rates, names, queue, queueTitle, go) {
    this.rates = new TimeChart(rates, go);
    this.queue = new TimeChart(queue, go);
    this.names = names;
    this.queueTitle = queueTitle;
    this.highlighted = null;
  }

  draw(cell, link, theme) {
    this.cell = cell;
    this.link = link;
    const duration = () => cell.duration;
    this.drawnNames = cell.names.join(" ");
    const series = cell.names.map((name, number) => ({
      label: name,
      stroke: theme.colour(number),
      width: cell.names.length > MANY ? 1.2 : 2,
      dash: theme.dash(number),
      points: { show: false },
    }));
    this.rates.draw(this.#rates(), series, { duration, unit: "Mbit/s", theme, events: cell.network.events, highest: 1 });
    this.#legend(theme);
    this.drawQueue(link, theme);
    this.version = cell.version;
  }

  drawQueue(link, theme) {
    this.link = link;
    const described = this.cell.network.link(link);
    if (!described) return;
    const room = described.queue_packets ? `, room for ${described.queue_packets}` : "";
    this.queueTitle.replaceChildren(
      `Queue ${way(described)} `,
      element("small", {}, `most packets that wait${room}; `, element("span", { class: "dropped" }, "dropped packets")),
    );
    const series = [
      { label: "waiting", stroke: theme.ground("accent"), width: 1.5, fill: `${theme.ground("accent")}33`, points: { show: false } },
      {
        label: "dropped",
        stroke: theme.ground("dropped"),
        paths: () => null,
        points: { show: true, size: 5, width: 0, fill: theme.ground("dropped") },
      },
    ];
    this.queue.draw(this.#queue(), series, { duration: () => this.cell.duration, unit: "packets", theme, events: [], highest: 4 });
  }

  #rates() {
    const cell = this.cell;
    const bins = cell.flowBins;
    const times = Array.from({ length: bins }, (_unused, bin) => (bin + 1) * cell.binS);
    return [times, ...cell.transmissions.map((one) => cell.rates(one))];
  }

  #queue() {
    const cell = this.cell;
    const curves = cell.link(this.link);
    const times = Array.from({ length: cell.bins }, (_unused, bin) => (bin + 1) * cell.binS);
    const of = (curve) => times.map((_time, bin) => curve?.values[bin] ?? 0);
    const dropped = of(curves?.dropped);
    return [times, of(curves?.queue), dropped.map((value) => (value > 0 ? value : null))];
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
      this.rates.plot.setSeries(number + 1, { show: this.highlighted === null || this.highlighted === one });
      this.names.children[number].setAttribute("aria-pressed", String(this.highlighted === one));
    });
  }

  /** Takes in what has come. */
  refresh(theme) {
    if (this.version === this.cell.version) return;
    this.version = this.cell.version;
    if (this.drawnNames !== this.cell.names.join(" ")) {
      this.draw(this.cell, this.link, theme);
      return;
    }
    this.rates.update(this.#rates());
    this.queue.update(this.#queue());
  }

  show(time) {
    this.rates.show(time);
    this.queue.show(time);
  }
}
