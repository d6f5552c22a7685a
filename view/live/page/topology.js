// The network: links by load, in red those that lose packets, and queues filling.

import { count, mbps, svg, way } from "live/format";

/** Length of a link between switches in a small network, and in one with many nodes. */
const SCALE = 190;
const SCALE_OF_MANY = 118;
const MANY_NODES = 20;
/** With more links than these, the traffic on them does not move: drawing it would take too long. */
const MOST_MOVING = 60;
const MARGIN = 62;
const SWITCH = 17;
const HOST = 15;
/** Half the distance of a link's two directions. */
const APART = 4.5;
const GAUGE = { length: 34, width: 8 };
const DASH = 14;
/** With more transmissions than these, a host says how many are its own. */
const MOST_NAMED = 20;
/** Nothing is drawn larger than so many times its size. */
const LARGEST = 1.5;
/** Around everything that is drawn, words too. */
const EDGE = 8;

export class Topology {
  /** `choose` is told the name of a link that was clicked or entered. */
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    this.chosen = null;
    this.drawn = null;
  }

  /** Draws another network. */
  draw(cell) {
    const network = cell.network;
    this.cell = cell;
    if (this.drawn === network) return;
    this.drawn = network;
    this.links = new Map();
    const xs = network.nodes.map((node) => node.x);
    const ys = network.nodes.map((node) => node.y);
    const left = Math.min(...xs);
    const top = Math.max(...ys);
    const scale = network.nodes.length > MANY_NODES ? SCALE_OF_MANY : SCALE;
    this.moves = network.links.length <= MOST_MOVING;
    const width = (Math.max(...xs) - left) * scale + 2 * MARGIN;
    const height = (top - Math.min(...ys)) * scale + 2 * MARGIN;
    this.at = new Map(network.nodes.map((node) => [node.name, [(node.x - left) * scale + MARGIN, (top - node.y) * scale + MARGIN]]));
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "network", class: "network" });
    const lines = svg("g");
    const gauges = svg("g");
    const nodes = svg("g");
    const words = svg("g");
    root.append(lines, nodes, gauges, words);
    for (const link of network.links) this.#link(link, lines, gauges, words);
    for (const node of network.nodes) nodes.append(this.#node(node));
    this.root = root;
    this.place.replaceChildren(root);
    this.#fit(width, height);
    this.select(this.chosen);
  }

  /** Words may be wider than the room around the nodes: the picture is as large as its content. */
  #fit(width, height) {
    const box = this.root.getBBox();
    // Nothing is measured while the page is hidden.
    const [left, top] = box.width ? [box.x - EDGE, box.y - EDGE] : [0, 0];
    const [right, bottom] = box.width ? [box.x + box.width + EDGE, box.y + box.height + EDGE] : [width, height];
    const [wide, high] = [Math.ceil(right - left), Math.ceil(bottom - top)];
    this.root.setAttribute("viewBox", `${Math.floor(left)} ${Math.floor(top)} ${wide} ${high}`);
    this.root.style.setProperty("--aspect", `${wide} / ${high}`);
    this.root.style.setProperty("--widest", `${Math.round(wide * LARGEST)}px`);
  }

  #node(node) {
    const [x, y] = this.at.get(node.name);
    const sends = this.drawn.transmissions.filter((one) => one.sender === node.name).map((one) => one.name);
    const gets = this.drawn.transmissions.filter((one) => one.receiver === node.name).map((one) => one.name);
    const group = svg("g", { class: node.is_switch ? "switch" : "host", transform: `translate(${x} ${y})` });
    group.append(
      node.is_switch ? svg("rect", { x: -SWITCH, y: -SWITCH, width: 2 * SWITCH, height: 2 * SWITCH, rx: 5 }) : svg("circle", { r: HOST }),
      svg("text", { class: "name" }, node.name),
    );
    const words = this.drawn.transmissions.length > MOST_NAMED ? (names) => `${names.length}` : short;
    const role = [sends.length ? `sends ${words(sends)}` : "", gets.length ? `gets ${words(gets)}` : ""].filter(Boolean).join(", ");
    // On the side where no link is.
    const isBelow = this.drawn.links.every((link) => link.start !== node.name || this.at.get(link.end)[1] <= y + HOST);
    if (role) group.append(svg("text", { class: "role", y: isBelow ? HOST + 13 : -HOST - 6 }, role));
    group.append(svg("title", {}, role ? `${node.name} ${role}` : node.name));
    return group;
  }

  #link(link, lines, gauges, words) {
    const [x1, y1] = this.at.get(link.start);
    const [x2, y2] = this.at.get(link.end);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    // To the right of the way, so that both directions are seen.
    const [nx, ny] = [-uy * APART, ux * APART];
    const reach = (name) => (this.drawn.switches.has(name) ? SWITCH : HOST) + 2;
    const from = [x1 + ux * reach(link.start) + nx, y1 + uy * reach(link.start) + ny];
    const to = [x2 - ux * reach(link.end) + nx, y2 - uy * reach(link.end) + ny];
    const ends = { x1: from[0], y1: from[1], x2: to[0], y2: to[1] };
    const halo = svg("line", { ...ends, class: "halo" });
    const line = svg("line", { ...ends, class: "load" });
    const flow = svg("line", { ...ends, class: "flow", "stroke-dasharray": `2 ${DASH - 2}` });
    const hit = svg("line", { ...ends, class: "hit", tabindex: 0, role: "button", "data-link": link.name });
    const title = svg("title", {}, link.name);
    hit.append(title);
    hit.addEventListener("click", () => this.choose(link.name));
    hit.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        this.choose(link.name);
      }
    });
    lines.append(halo, line, flow, hit);
    const trunk = this.drawn.switches.has(link.start) && this.drawn.switches.has(link.end);
    const one = { link, halo, line, flow, hit, title, trunk, offset: 0 };
    if (this.drawn.switches.has(link.start)) {
      // The queue stands beside the link, at the end where packets wait.
      const along = Math.min(GAUGE.length, length * 0.28);
      const begin = [from[0] + ux * 3 + nx * 1.9, from[1] + uy * 3 + ny * 1.9];
      const turn = (Math.atan2(uy, ux) * 180) / Math.PI;
      const gauge = svg("g", { transform: `translate(${begin[0]} ${begin[1]}) rotate(${turn})`, class: "gauge" });
      one.fill = svg("rect", { x: 0, y: -GAUGE.width / 2, width: 0, height: GAUGE.width, class: "waiting" });
      one.frame = svg("rect", { x: 0, y: -GAUGE.width / 2, width: along, height: GAUGE.width, class: "frame", rx: 2 });
      one.along = along;
      gauge.append(one.fill, one.frame);
      one.gauge = gauge;
      one.drops = svg("text", { class: "drops", x: from[0] + ux * along * 0.5 + nx * 4.6, y: from[1] + uy * along * 0.5 + ny * 4.6 });
      gauges.append(gauge);
      words.append(one.drops);
    }
    if (trunk) {
      one.label = svg("text", { class: "rate", x: (from[0] + to[0]) / 2 + nx * 2.6, y: (from[1] + to[1]) / 2 + ny * 2.6 });
      words.append(one.label);
    }
    this.links.set(link.name, one);
  }

  select(link) {
    this.chosen = link;
    if (!this.links) return;
    for (const [name, one] of this.links) {
      one.halo.classList.toggle("chosen", name === link);
      one.hit.setAttribute("aria-pressed", String(name === link));
    }
  }

  /** Shows a moment. */
  show(time, elapsed, theme) {
    const cell = this.cell;
    for (const [name, one] of this.links) {
      const dropped = one.gauge ? cell.dropped(name, time) : 0;
      const rate = cell.rate(name, time);
      const load = rate / one.link.rate_mbps;
      const step = theme.loadStep(load);
      const colour = dropped > 0 ? theme.ground("dropped") : theme.load[step];
      if (step !== one.step || colour !== one.colour) {
        one.step = step;
        one.colour = colour;
        one.line.style.stroke = colour;
        one.line.style.strokeWidth = step === 0 ? 2 : 2.5 + Math.min(step, 4);
      }
      one.flow.style.visibility = step === 0 ? "hidden" : "visible";
      if (this.moves && step > 0 && elapsed > 0) {
        one.offset = (one.offset - elapsed * (12 + 60 * Math.min(1, load))) % DASH;
        one.flow.setAttribute("stroke-dashoffset", one.offset.toFixed(1));
      }
      if (one.label) {
        const text = step > 0 ? mbps(rate) : "";
        if (one.label.textContent !== text) one.label.textContent = text;
      }
      const queue = one.gauge ? this.#gauge(one, name, time, dropped) : 0;
      const now = `${rate.toFixed(1)} ${queue} ${dropped}`;
      if (one.told !== now) {
        one.told = now;
        one.title.textContent = `${way(one.link)}: ${mbps(rate)} of ${one.link.rate_mbps} Mbit/s, ${one.link.delay_ms} ms${one.gauge ? `; ${queue} packets wait` : ""}${dropped ? `, ${dropped} dropped in the last second` : ""}`;
        one.hit.setAttribute("aria-label", one.title.textContent);
      }
    }
  }

  #gauge(one, name, time, dropped) {
    const cell = this.cell;
    const queue = cell.queue(name, time);
    const room = one.link.queue_packets ?? Math.max(1, ...(cell.link(name)?.queue.values.slice(-200) ?? [1]));
    const share = Math.min(1, queue / room);
    one.fill.setAttribute("width", (share * one.along).toFixed(1));
    one.gauge.style.visibility = queue > 0 || name === this.chosen ? "visible" : "hidden";
    const text = dropped > 0 ? `−${count(dropped)}` : "";
    if (one.drops.textContent !== text) one.drops.textContent = text;
    return queue;
  }
}

function short(names) {
  return names.length <= 2 ? names.join(", ") : `${names.slice(0, 2).join(", ")} +${names.length - 2}`;
}
