// The state that a switch's own program keeps, over time: tables with entries and hits, registers, counters.

const KINDS = ["tables", "registers", "counters"];
/** Over how long hits a second are counted. */
const WINDOW_S = 1;
/** In a prompt that goes on for hours, the first messages are forgotten. */
const MOST_TOLD = 20_000;

/** Values by the times from which on they hold, in the order of these. */
class History {
  times = [];
  values = [];

  put(time, value) {
    if (this.times.length >= MOST_TOLD) {
      this.times.splice(0, MOST_TOLD / 2);
      this.values.splice(0, MOST_TOLD / 2);
    }
    this.times.push(time);
    this.values.push(value);
  }

  /** The state that holds at a time; undefined: none yet. */
  at(time) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return this.values[low - 1];
  }
}

/** One table, register or counter. */
class Kept {
  told = new History();
  defaults = new History();
  entries = new Map();

  constructor(declared) {
    this.declared = declared;
    this.name = declared.name;
  }

  put(time, told) {
    this.told.put(time, told);
    if (told.default !== undefined) this.defaults.put(time, told.default);
    for (const entry of told.described ?? []) {
      if (!this.entries.has(entry.id)) this.entries.set(entry.id, new History());
      this.entries.get(entry.id).put(time, entry);
    }
  }

  /** A table at a time: how often entries were found, and none; of each entry that is shown what it says, its hits, and hits a second. */
  table(time) {
    const told = this.told.at(time);
    if (!told) return null;
    const earlier = this.told.at(time - WINDOW_S);
    const before = new Map(earlier?.shown ?? []);
    const since = Math.min(WINDOW_S, time - this.told.times[0]);
    // One that was not among those with most hits then is not known.
    const isKnown = (id) => before.has(id) || !earlier || earlier.entries <= earlier.shown.length;
    const rate = (now, then) => (since > 0 ? Math.max(0, now - then) / since : 0);
    return {
      entries: told.entries,
      hits: told.hits,
      hitRate: earlier ? rate(told.hits, earlier.hits) : 0,
      misses: told.misses,
      missRate: earlier ? rate(told.misses, earlier.misses) : 0,
      action: this.defaults.at(time),
      shown: told.shown.map(([id, hits]) => ({
        ...(this.entries.get(id)?.at(time) ?? { id, key: [], action: "" }),
        hits,
        rate: earlier && isKnown(id) ? rate(hits, before.get(id) ?? 0) : earlier ? null : 0,
      })),
    };
  }

  /** The cells of a register or counter at a time that are not 0. */
  cells(time) {
    return this.told.at(time) ?? { in_use: 0, shown: [] };
  }
}

/** A program that a switch was given. */
class Program {
  constructor(declared) {
    for (const kind of KINDS) this[kind] = new Map(declared[kind].map((one) => [one.name, new Kept(one)]));
  }

  put(time, told) {
    for (const kind of KINDS) {
      for (const one of told[kind] ?? []) this[kind].get(one.name)?.put(time, one);
    }
  }
}

/** All switches of a cell. */
export class ProgramStates {
  constructor() {
    this.switches = new Map();
    this.end = 0;
    /** Goes up with everything that is told. */
    this.version = 0;
  }

  put({ time_s: time, switch: name, program, ...told }) {
    if (!this.switches.has(name)) this.switches.set(name, new History());
    const programs = this.switches.get(name);
    if (program) programs.put(time, new Program(program));
    programs.at(time)?.put(time, told);
    this.end = Math.max(this.end, time);
    this.version++;
  }

  get names() {
    return [...this.switches.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  }

  /** A switch's program at a time; undefined: it had none. */
  program(name, time) {
    return this.switches.get(name)?.at(time);
  }
}
