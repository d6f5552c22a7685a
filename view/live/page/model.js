// A run as messages tell it (view/recording/cell_recording.py). It adds them up, and answers for the state at any time.

import { ProgramStates } from "live/program_state";

const KBPS_PER_MBPS = 1000;
/** With a prompt, the last packets that were traced. */
const MOST_JOURNEYS = 200;
/** More transmissions than these are no curves of their own any more: those of a sender are added. */
const MOST_CURVES = 60;

/** One curve in bins; a bin that was never told is 0, or null. */
class Curve {
  values = [];
  /** The highest value so far. */
  most = 0;

  put(at, values, untold = 0) {
    while (this.values.length < at) this.values.push(untold);
    this.values.length = at;
    for (const value of values) {
      this.values.push(value);
      if (value > this.most) this.most = value;
    }
  }

  at(bin) {
    return this.values[bin] ?? 0;
  }
}

const NOTHING = new Curve();

/** Curves of a link or of a transmission at a link. */
class Curves {
  rate = new Curve();
  queue = new Curve();
  dropped = new Curve();

  put(at, told) {
    for (const [name, values] of Object.entries(told)) this[name].put(at, values);
  }
}

/** One cell: a scheme at a point of the grid. */
export class Cell {
  constructor(described, network) {
    this.key = described.key;
    this.scheme = described.scheme;
    /** The part of the network that hands out bandwidth: "controller", "switches" or "nobody". */
    this.handsOut = described.hands_out;
    this.described = described;
    this.network = network;
    this.result = null;
    /** Nothing more will come of it. */
    this.isClosed = false;
    this.problems = [];
    this.begin(0.05);
    this.begun = false;
  }

  /** The transmissions start; samples that were told before did not count. */
  begin(binS) {
    this.begun = true;
    this.binS = binS;
    this.bins = 0;
    this.flowBins = 0;
    this.links = new Map();
    /** Curves by link and number of the queue, of links with several. */
    this.queues = new Map();
    this.flows = new Map();
    this.words = [];
    this.senders = new Map();
    this.hasDrops = false;
    this.journeys = new Map();
    this.state = new ProgramStates();
    this.version = 0;
  }

  take(message) {
    if (message.t === "state") {
      // It changes no curve.
      this.state.put(message);
      return;
    }
    this.version++;
    switch (message.t) {
      case "begin":
        this.begin(message.bin_s);
        break;
      case "ports":
        for (const [link, told] of Object.entries(message.series)) {
          this.#curves(this.links, link).put(message.at, told);
          if (told.dropped) this.hasDrops = true;
        }
        this.bins = message.at + message.bins;
        break;
      case "queues":
        for (const [link, queues] of Object.entries(message.series)) {
          if (!this.queues.has(link)) this.queues.set(link, new Map());
          for (const [number, told] of Object.entries(queues)) this.#curves(this.queues.get(link), Number(number)).put(message.at, told);
        }
        break;
      case "flows":
        for (const [name, links] of Object.entries(message.series)) {
          const of = this.flow(name);
          for (const [link, told] of Object.entries(links)) this.#curves(of, link).put(message.at, told);
        }
        this.flowBins = message.at + message.bins;
        break;
      case "said":
        this.words.push(...message.lines);
        break;
      case "sender":
        this.#sender(message);
        break;
      case "hop":
        this.#hop(message);
        break;
      case "result":
        this.result = message;
        break;
      case "problem":
        this.problems.push(message.text);
        break;
    }
  }

  #curves(map, name) {
    if (!map.has(name)) map.set(name, new Curves());
    return map.get(name);
  }

  #sender(message) {
    if (!this.senders.has(message.name)) this.senders.set(message.name, new Map());
    const of = this.senders.get(message.name);
    for (const [name, values] of Object.entries(message.curves)) {
      if (!of.has(name)) of.set(name, new Curve());
      of.get(name).put(message.at, values, null);
    }
  }

  #hop(message) {
    if (!this.journeys.has(message.journey)) {
      if (this.network.prompt && this.journeys.size >= MOST_JOURNEYS) this.journeys.delete(this.journeys.keys().next().value);
      this.journeys.set(message.journey, { id: message.journey, label: message.label, time_s: message.time_s, hops: [], links: new Set() });
    }
    const journey = this.journeys.get(message.journey);
    for (const link of message.links) journey.links.add(link);
    const again = journey.hops.find((hop) => hop.switch === message.switch);
    if (again) again.events.push(...message.events);
    else journey.hops.push({ switch: message.switch, time_s: message.time_s, events: message.events });
    journey.hops.sort((a, b) => a.time_s - b.time_s);
    journey.time_s = journey.hops[0].time_s;
    if (journey.hops[0].switch === message.switch) journey.label = message.label;
  }

  /** A transmission's curves by link. */
  flow(name) {
    if (!this.flows.has(name)) this.flows.set(name, new Map());
    return this.flows.get(name);
  }

  /** Up to when there is something to see, seconds. */
  get end() {
    const last = this.words.length ? this.words[this.words.length - 1].time_s : 0;
    return Math.min(Math.max(this.bins * this.binS, last, this.network.prompt ? this.state.end : 0), this.duration);
  }

  /** The transmissions are under way: it has begun and has no result yet. */
  get isGrowing() {
    return this.begun && !this.isOver;
  }

  /** Whether any sender's round-trip time and window are known. */
  get hasSenders() {
    return this.senders.size > 0;
  }

  /** How long the cell takes, as far as that is known. */
  get duration() {
    return this.network.prompt ? Math.max(this.bins * this.binS, this.state.end, 10) : this.network.duration_s;
  }

  get isOver() {
    return this.result !== null;
  }

  /** The bin of a time. The end of the transmissions is shown as the moment before it, since all of them go then. */
  bin(time) {
    return Math.max(0, Math.min(Math.floor(time / this.binS + 1e-9), this.within(this.bins) - 1));
  }

  /** So many bins of a curve are of the transmissions' time. */
  within(bins) {
    return this.network.prompt ? bins : Math.min(bins, Math.ceil(this.duration / this.binS - 1e-9));
  }

  /** Whether a time is the end of a planned run. */
  isEnd(time) {
    return !this.network.prompt && time >= this.duration;
  }

  /** A link's curves. */
  link(name) {
    return this.links.get(name);
  }

  /** The queues of a link with several that have had packets: numbers and curves, those with the most packets first. */
  queuesOf(link) {
    const found = [...(this.queues.get(link) ?? new Map())];
    return found.length > 1 ? found.sort(([a, one], [b, other]) => other.queue.most - one.queue.most || a - b) : [];
  }

  /** The rate that a link carried at a time, Mbit/s. */
  rate(link, time) {
    return (this.links.get(link)?.rate ?? NOTHING).at(this.bin(time)) / KBPS_PER_MBPS;
  }

  /** The most packets that waited for a link at a time. */
  queue(link, time) {
    return (this.links.get(link)?.queue ?? NOTHING).at(this.bin(time));
  }

  /** Packets that a link dropped in the last second before a time. */
  dropped(link, time) {
    const curve = this.links.get(link)?.dropped;
    if (!curve) return 0;
    const to = this.bin(time);
    let sum = 0;
    for (let bin = Math.max(0, to - Math.round(1 / this.binS) + 1); bin <= to; bin++) sum += curve.at(bin);
    return sum;
  }

  /** The rate that a transmission had of a link at a time, Mbit/s: the mean of the last 0.2 s. */
  share(name, link, time) {
    const curve = this.flows.get(name)?.get(link)?.rate;
    if (!curve) return 0;
    const to = Math.min(this.bin(time), Math.max(0, this.within(this.flowBins) - 1));
    const bins = Math.max(1, Math.round(0.2 / this.binS));
    let sum = 0;
    for (let bin = Math.max(0, to - bins + 1); bin <= to; bin++) sum += curve.at(bin);
    return sum / Math.min(bins, to + 1) / KBPS_PER_MBPS;
  }

  /** A transmission's rate over time at its receivers' links: one number a bin, Mbit/s; null before it starts and after it is done. */
  rates(transmission) {
    const of = this.flows.get(transmission.name) ?? new Map();
    const found = new Array(this.within(this.flowBins)).fill(0);
    for (const link of new Set(transmission.ways.map((way) => way[way.length - 1]))) {
      const values = of.get(link)?.rate.values ?? [];
      for (let bin = 0; bin < Math.min(values.length, found.length); bin++) found[bin] += values[bin] / KBPS_PER_MBPS;
    }
    const hides = (bin) => bin >= 0 && bin < found.length && !found[bin];
    for (let bin = Math.min(found.length, Math.floor(transmission.start_s / this.binS + 1e-9)) - 1; hides(bin); bin--) found[bin] = null;
    const lasts = transmission.size_bytes === null && transmission.stop_s === null;
    if (!lasts) {
      const stop = transmission.size_bytes === null ? Math.ceil(transmission.stop_s / this.binS) : 0;
      // A zero stays where the curve comes down, and a transmission that has not begun to send stands at zero.
      const last = found.findLastIndex((rate) => rate > 0);
      for (let bin = found.length - 1; last >= 0 && bin > Math.max(last + 1, stop); bin--) found[bin] = null;
    }
    return found;
  }

  /** Transmissions; with a prompt those that were seen. */
  get transmissions() {
    if (!this.network.prompt) return this.network.transmissions;
    return [...this.flows.keys()].map((name) => {
      const links = [...this.flows.get(name).keys()];
      const last = links.find((link) => !this.network.switches.has(this.network.link(link)?.end)) ?? links[links.length - 1];
      return { name, ways: [[...links.filter((link) => link !== last), last]], start_s: 0, stop_s: null, size_bytes: null };
    });
  }

  /** The groups that have a curve and a colour, in their order: each transmission, or each sender where there are too many. */
  get groups() {
    // With a prompt, the traffic of each link is known only as it is seen.
    const count = this.network.prompt ? [...this.flows.values()].reduce((sum, links) => sum + links.size, 0) : 0;
    if (this.grouped?.count === count) return this.grouped.groups;
    const all = this.transmissions;
    const members = new Map();
    for (const one of all) {
      const name = all.length > MOST_CURVES ? (one.sender ?? "all") : one.name;
      if (!members.has(name)) members.set(name, []);
      members.get(name).push(one);
    }
    const groups = [...members].map(([name, of]) => ({ name, members: of }));
    if (all.length > MOST_CURVES) groups.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
    const numbers = new Map(groups.flatMap((group, number) => group.members.map((one) => [one.name, number])));
    this.grouped = { count, groups, numbers, isAdded: all.length > MOST_CURVES };
    return groups;
  }

  /** Whether a curve is what a sender's transmissions have together. */
  get isAdded() {
    return this.groups.length > 0 && this.grouped.isAdded;
  }

  /** Names of all curves, in the order of their colours. */
  get names() {
    return this.groups.map((one) => one.name);
  }

  /** The number of the colour of a transmission, or of the controller's record of it. */
  number(name) {
    const { numbers } = this.groups && this.grouped;
    const plain = name.replace(/\/\d+$/, "");
    const of = this.network.records[name]?.[0] ?? this.network.records[plain]?.[0] ?? (numbers.has(name) ? name : plain);
    return numbers.get(of) ?? 0;
  }

  /** A group's rate over time: one number a bin, Mbit/s; null where none of its transmissions is under way. */
  groupRates(group) {
    const [first, ...others] = group.members.map((one) => this.rates(one));
    for (const rates of others) {
      rates.forEach((rate, bin) => {
        if (rate !== null) first[bin] = (first[bin] ?? 0) + rate;
      });
    }
    return first;
  }

  /** The measurements of the senders of a group (`rtt_ms`, `window`), the mean of those that are there: one number a bin, or null. */
  seen(group, what) {
    const curves = group.members.map((one) => this.senders.get(one.name)?.get(what)?.values).filter(Boolean);
    return Array.from({ length: this.within(this.bins) }, (_unused, bin) => {
      const there = curves.map((curve) => curve[bin] ?? null).filter((value) => value !== null);
      return there.length ? there.reduce((sum, value) => sum + value, 0) / there.length : null;
    });
  }

  /** How many transmissions are under way: one number a bin. */
  get underWay() {
    const found = new Array(this.within(this.flowBins)).fill(0);
    for (const one of this.transmissions) {
      this.rates(one).forEach((rate, bin) => {
        if (rate !== null) found[bin]++;
      });
    }
    return found;
  }

  /**
   * The controller's last words about a port up to a time: the list, the line that made it so, and the list before it. The end of the
   * transmissions is no change of it: the last list stays.
   */
  list(link, time) {
    let shares = null;
    let line = null;
    let before = null;
    let capacity = null;
    for (const one of this.words) {
      if (one.time_s > time || (this.isEnd(time) && one.time_s >= this.duration)) break;
      if (one.at !== link) continue;
      if (one.capacity_mbps !== undefined) capacity = one.capacity_mbps;
      if (!one.shares) continue;
      before = shares;
      shares = one.shares;
      line = one;
    }
    return { shares, line, before: before ?? {}, capacity };
  }

  /** Whether the controller has anything to say of ports in this cell. */
  get hasLists() {
    return this.handsOut === "controller" || this.words.some((one) => one.shares);
  }

  /** Whether the controller ever had a list of a port. */
  hasList(link) {
    return this.words.some((one) => one.at === link && one.shares);
  }

  /** Links in the order in which they are worth looking at: those with the longest lists and queues first. */
  get busiest() {
    const used = new Map();
    for (const one of this.transmissions) {
      for (const way of one.ways) for (const link of way) used.set(link, (used.get(link) ?? 0) + 1);
    }
    const need = (link) => used.get(link) / this.network.link(link).rate_mbps;
    return [...used.keys()].filter((link) => this.network.switches.has(this.network.link(link)?.start)).sort((a, b) => need(b) - need(a));
  }
}

/** The whole run. */
export class Run {
  constructor() {
    this.header = null;
    this.cells = new Map();
    this.problems = [];
    this.isOver = false;
  }

  /** The first cell whose transmissions are under way; undefined: none. */
  get growing() {
    return this.isOver ? undefined : [...this.cells.values()].find((cell) => cell.isGrowing);
  }

  take(message) {
    if (message.t === "header") this.#begin(message);
    else if (message.t === "end") this.#end();
    else if (message.cell === undefined) this.problems.push(message.text);
    else this.cells.get(message.cell)?.take(message);
  }

  #end() {
    this.isOver = true;
    for (const cell of this.cells.values()) cell.isClosed = true;
  }

  #begin(header) {
    this.header = header;
    this.cells.clear();
    this.problems = [];
    for (const network of header.networks) {
      network.prompt = header.prompt;
      const links = new Map(network.links.map((link) => [link.name, link]));
      network.link = (name) => links.get(name);
      network.switches = new Set(network.nodes.filter((node) => node.is_switch).map((node) => node.name));
    }
    for (const one of header.cells) this.cells.set(one.key, new Cell(one, header.networks[one.network]));
  }
}
