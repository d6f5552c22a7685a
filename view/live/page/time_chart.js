// One chart of curves over time (uPlot). All its data is drawn once; with the time, only a line moves, and a
// veil over the part that is still to come.

import { coinciding } from "live/equal";
import { element, seconds } from "live/format";
import uPlot from "live/uPlot";

const FONT = "11px system-ui, sans-serif";
const LEFT = 44;
/** Half of the last time's words stands to the right of the curves. */
const LETTER = 6.5;
/** Values on an axis are so far from each other, at least. */
const ROWS = 22;
/** Room for an axis on the right. */
const RIGHT = 42;
/** Curves nearer to each other than this, in pixels, lie on each other. */
const NEAR = 1.6;
/** So long is the piece of each curve where several lie on each other. */
const PIECE = 9;
/** With more curves than these it is not looked for. */
const MOST_COINCIDING = 60;
const WHOLE_NUMBERS = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6].map((power) => digit * 10 ** power)).sort((a, b) => a - b);

export class TimeChart {
  /** `go` is told the time that was clicked. */
  constructor(place, go) {
    this.place = place;
    this.go = go;
    this.now = element("div", { class: "now" });
    this.veil = element("div", { class: "veil" });
    this.tip = element("div", { class: "tip", hidden: true });
    new ResizeObserver(() => this.#size()).observe(place);
  }

  #size() {
    if (!this.plot || this.place.clientWidth === 0) return;
    this.plot.setSize({ width: this.place.clientWidth, height: this.place.clientHeight });
    if (this.time !== undefined) this.show(this.time);
  }

  /**
   * Draws anew. `options`: `duration` gives the last time; `shown` writes a value with its unit; `highest` is seen in any case.
   * `isFromZero`; `events` are marked. `right`: there is room for an axis on the right; `hasRight`: it is this chart's, whose curves say
   * `scale: "right"`.
   */
  draw(data, series, options) {
    const { duration, theme, events = [], highest = 1, isFromZero = true, right = false, hasRight = false } = options;
    this.options = options;
    this.series = series;
    const axis = {
      stroke: theme.ground("faint"),
      grid: { stroke: theme.ground("line"), width: 1 },
      ticks: { stroke: theme.ground("line"), width: 1, size: 4 },
      font: FONT,
      labelFont: FONT,
    };
    const axes = [
      { ...axis, size: 24, values: (_plot, ticks) => ticks.map((tick) => `${tick} s`) },
      { ...axis, size: LEFT, space: ROWS, values: (_plot, ticks) => ticks.map(short) },
    ];
    if (hasRight) {
      const stroke = theme.ground("dropped");
      axes.push({
        ...axis,
        scale: "right",
        side: 1,
        size: RIGHT,
        space: ROWS,
        stroke,
        grid: { show: false },
        incrs: WHOLE_NUMBERS,
        values: (_plot, ticks) => ticks.map(short),
      });
    }
    const lastWords = 4 + (LETTER * `${Math.round(duration())} s`.length) / 2;
    const plot = new uPlot(
      {
        width: Math.max(50, this.place.clientWidth),
        height: Math.max(50, this.place.clientHeight),
        legend: { show: false },
        padding: [8, hasRight ? 0 : right ? RIGHT : lastWords, 0, 0],
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          x: { time: false, range: () => [0, duration()] },
          y: { range: (_plot, low, high) => range(low, high, highest, isFromZero) },
          right: { range: (_plot, _low, high) => [0, Math.max(4, high || 0) * 1.06] },
        },
        axes,
        series: [{}, ...series],
        hooks: {
          draw: [(drawn) => this.#drawCoinciding(drawn), (drawn) => drawEvents(drawn, events, theme)],
          setCursor: [(drawn) => this.#hover(drawn)],
        },
      },
      data,
      this.place,
    );
    this.plot?.destroy();
    this.plot = plot;
    plot.over.append(this.veil, this.now, this.tip);
    plot.over.addEventListener("click", (event) => {
      const box = plot.over.getBoundingClientRect();
      this.go(plot.posToVal(event.clientX - box.left, "x"));
    });
  }

  /** A piece of each in turn where curves lie on each other. */
  #drawCoinciding(plot) {
    const shown = this.series
      .map((_one, number) => number + 1)
      .filter((at) => plot.series[at].show && !plot.series[at].scale?.startsWith("right"));
    if (shown.length < 2 || shown.length > MOST_COINCIDING) return;
    const times = plot.data[0];
    const heights = shown.map((at) =>
      plot.data[at].map((value) => (value === null || value === undefined ? null : plot.valToPos(value, "y", true))),
    );
    const { ctx } = plot;
    const piece = PIECE * devicePixelRatio;
    ctx.save();
    ctx.lineJoin = "round";
    for (const { from, to, members } of coinciding(heights, NEAR * devicePixelRatio)) {
      const left = plot.valToPos(times[from], "x", true);
      const right = plot.valToPos(times[to], "x", true);
      members.forEach((member, turn) => {
        ctx.save();
        ctx.beginPath();
        for (let number = Math.floor(left / piece); number * piece < right; number++) {
          if (number % members.length !== turn) continue;
          const begin = Math.max(left, number * piece);
          ctx.rect(begin, plot.bbox.top, Math.min(right, (number + 1) * piece) - begin, plot.bbox.height);
        }
        ctx.clip();
        ctx.beginPath();
        for (let at = from; at <= to; at++) ctx.lineTo(plot.valToPos(times[at], "x", true), heights[member][at]);
        const one = this.series[shown[member] - 1];
        ctx.strokeStyle = one.stroke;
        ctx.lineWidth = one.width * devicePixelRatio;
        ctx.stroke();
        ctx.restore();
      });
    }
    ctx.restore();
  }

  /** The curves nearest to the pointer: all that lie on each other there. */
  #hover(drawn) {
    const { idx, left, top } = drawn.cursor;
    let nearest = [];
    let least = Number.POSITIVE_INFINITY;
    if (idx !== null && idx !== undefined && left >= 0) {
      for (let at = 1; at < drawn.series.length; at++) {
        const value = drawn.data[at][idx];
        if (value === null || value === undefined || !drawn.series[at].show) continue;
        const distance = Math.abs(drawn.valToPos(value, drawn.series[at].scale) - top);
        if (distance < least - NEAR) [least, nearest] = [distance, [at]];
        else if (distance < least + NEAR) nearest.push(at);
      }
    }
    this.tip.hidden = nearest.length === 0;
    if (!nearest.length) return;
    const value = drawn.data[nearest[0]][idx];
    const names = nearest.map((at) => drawn.series[at].label).join(", ");
    this.tip.textContent = `${names} ${this.options.shown(value, this.series[nearest[0] - 1])} at ${seconds(drawn.data[0][idx])}`;
    const isLeft = left < drawn.over.clientWidth / 2;
    this.tip.style.left = isLeft ? `${left + 10}px` : "";
    this.tip.style.right = isLeft ? "" : `${drawn.over.clientWidth - left + 10}px`;
    this.tip.style.top = `${Math.max(0, Math.min(top - 26, drawn.over.clientHeight - 24))}px`;
  }

  update(data) {
    this.plot?.setData(data);
  }

  /** Shows or hides a curve, counted from 0. */
  setShown(number, isShown) {
    this.plot?.setSeries(number + 1, { show: isShown });
  }

  show(time) {
    this.time = time;
    if (!this.plot) return;
    const x = this.plot.valToPos(time, "x");
    this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.veil.style.left = `${x.toFixed(1)}px`;
  }
}

function range(low, high, highest, isFromZero) {
  if (isFromZero) return [0, Math.max(highest, high || 0) * 1.06];
  if (low === null || low === undefined) return [0, highest];
  const room = Math.max(highest * 0.1, (high - low) * 0.08);
  return [Math.max(0, low - room), high + room];
}

function short(tick) {
  return tick >= 1000 ? `${tick / 1000}k` : `${tick}`;
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
    const gap = 3 * devicePixelRatio;
    const isCut = x + gap + ctx.measureText(event.text).width > bbox.left + bbox.width;
    ctx.textAlign = isCut ? "right" : "left";
    ctx.fillText(event.text, isCut ? x - gap : x + gap, bbox.top + 11 * devicePixelRatio);
  }
  ctx.restore();
}
