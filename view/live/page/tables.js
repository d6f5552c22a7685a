// The own program of a switch: its tables with their entries and hits, its counters and registers.

import { count, element } from "live/format";

/** The panel is brought up to date so often, in frames. */
const EVERY = 6;

export class Tables {
  /** `places`: elements by name: `switches` (the choice), `tables`, `arrays`. */
  constructor(places) {
    Object.assign(this, places);
    this.frame = 0;
    this.switches.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.choose(button.dataset.switch);
    });
  }

  draw(cell) {
    this.cell = cell;
    this.at = null;
    this.choose(cell.state.names.includes(this.switch) ? this.switch : cell.state.names[0]);
  }

  choose(name) {
    this.switch = name;
    this.program = undefined;
    this.names = "";
    this.frame = 0;
  }

  show(time) {
    const { state } = this.cell;
    if (this.frame++ % EVERY && this.shown === this.cell) return;
    this.shown = this.cell;
    const names = state.names;
    if (!names.includes(this.switch)) this.switch = names[0];
    if (this.names !== names.join()) this.#choice(names);
    const program = state.program(this.switch, time);
    if (program !== this.program || !this.drawn) this.#program(program);
    // Hits a second go down by themselves.
    if (this.version === state.version && this.at === time) return;
    this.version = state.version;
    this.at = time;
    for (const table of this.drawn.tables) table.show(time);
    for (const array of this.drawn.arrays) array.show(time);
  }

  #choice(names) {
    this.names = names.join();
    this.switches.replaceChildren(
      ...names.map((name) =>
        element("button", { type: "button", role: "tab", "data-switch": name, "aria-selected": String(name === this.switch) }, name),
      ),
    );
  }

  #program(program) {
    this.program = program;
    this.at = null;
    const tables = [...(program?.tables.values() ?? [])].map((one) => new Table(one));
    const arrays = ["counters", "registers"].flatMap((kind) => [...(program?.[kind].values() ?? [])].map((one) => new Cells(one, kind)));
    this.drawn = { tables, arrays };
    const nothing = (text) => element("p", { class: "nothing" }, text);
    const why = program ? "The program has no tables." : "The switch has no program yet.";
    this.tables.replaceChildren(...(tables.length ? tables.map((one) => one.place) : [nothing(why)]));
    this.arrays.replaceChildren(...(arrays.length ? arrays.map((one) => one.place) : [nothing("no counters and no registers")]));
  }
}

/** A cell's text, only where it is another one: a selection in it stays. */
function put(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}

function last(name) {
  return name.split(".").pop();
}

/** Hits a second; nothing where there are none. */
function rateText(rate) {
  if (rate === null) return "?";
  return rate === 0 ? "" : rate < 10 ? rate.toFixed(1) : count(rate);
}

function plural(number, one, many) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

class Table {
  constructor(kept) {
    this.kept = kept;
    const { declared } = kept;
    this.caption = element("small");
    this.more = element("p", { class: "more", hidden: true });
    this.body = element("tbody");
    this.rows = new Map();
    this.columns = declared.keys.length + (declared.priorities ? 1 : 0);
    const heads = [
      ...declared.keys.map((key) => [last(key.name), `${key.name}, ${key.bits} bits`, key.kind]),
      ...(declared.priorities ? [["priority", "the largest wins", ""]] : []),
      ["action", "what an entry does", ""],
      ["hits", "packets that the entry was found for", ""],
      ["hits/s", "in the last second; ?: it was not among those with most hits", ""],
    ];
    this.place = element(
      "div",
      { class: "kept" },
      element(
        "table",
        {},
        element("caption", { title: declared.name }, element("b", {}, last(declared.name)), " ", this.caption),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...heads.map(([text, title, kind], column) =>
              element(
                "th",
                { scope: "col", title, class: column > heads.length - 3 ? "number" : false },
                text,
                kind ? element("small", {}, ` ${kind}`) : "",
              ),
            ),
          ),
        ),
        this.body,
      ),
      this.more,
    );
    this.otherwise = this.#row();
    this.otherwise.row.classList.add("otherwise");
  }

  #row() {
    const keys = Array.from({ length: this.columns }, () => element("td"));
    const [action, hits, rate] = [
      element("td", { class: "action" }),
      element("td", { class: "number" }),
      element("td", { class: "number" }),
    ];
    return { row: element("tr", {}, ...keys, action, hits, rate), keys, action, hits, rate };
  }

  show(time) {
    const now = this.kept.table(time);
    const { declared } = this.kept;
    const size = declared.size < 2 ** 32 ? ` of ${count(declared.size)}` : "";
    put(this.caption, now ? `${plural(now.entries, "entry", "entries")}${size}, ${plural(now.hits, "hit", "hits")}` : "nothing yet");
    const shown = now?.shown ?? [];
    const isPart = now !== null && now.entries > shown.length;
    // Where all are there, each stays in its place.
    if (!isPart) shown.sort((a, b) => a.id - b.id);
    const wanted = new Set(shown.map((one) => one.id));
    for (const [id, row] of this.rows) {
      if (wanted.has(id)) continue;
      row.row.remove();
      this.rows.delete(id);
    }
    shown.forEach((entry, position) => {
      if (!this.rows.has(entry.id)) this.rows.set(entry.id, this.#row());
      const row = this.rows.get(entry.id);
      const values = declared.priorities ? [...entry.key, String(entry.priority ?? "")] : entry.key;
      for (const [column, cell] of row.keys.entries()) put(cell, values[column] ?? "");
      this.#fill(row, entry.action, entry.hits, entry.rate);
      if (this.body.children[position] !== row.row) this.body.insertBefore(row.row, this.body.children[position] ?? null);
    });
    if (this.body.lastElementChild !== this.otherwise.row) this.body.append(this.otherwise.row);
    if (this.otherwise.keys.length) put(this.otherwise.keys[0], "no entry");
    this.#fill(this.otherwise, now?.action ?? "nothing", now?.misses ?? 0, now?.missRate ?? 0);
    this.more.hidden = !isPart;
    if (isPart) put(this.more, `${plural(now.entries - shown.length, "more entry", "more entries")}; these have most hits`);
  }

  #fill(row, action, hits, rate) {
    put(row.action, action);
    put(row.hits, count(hits));
    put(row.rate, rateText(rate));
    row.row.classList.toggle("busy", rate > 0);
    row.row.classList.toggle("never", hits === 0);
  }
}

class Cells {
  constructor(kept, kind) {
    this.kept = kept;
    this.isCounter = kind === "counters";
    const { declared } = kept;
    this.more = element("p", { class: "more", hidden: true });
    this.body = element("tbody");
    const what = this.isCounter ? "counter" : `register, ${declared.bits} bits`;
    const heads = this.isCounter ? ["cell", "packets", "bytes"] : ["cell", "value"];
    this.place = element(
      "div",
      { class: "kept" },
      element(
        "table",
        {},
        element(
          "caption",
          { title: declared.name },
          element("b", {}, last(declared.name)),
          element("small", {}, ` ${what}, ${plural(declared.cells, "cell", "cells")}`),
        ),
        element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col", class: "number" }, text)))),
        this.body,
      ),
      this.more,
    );
  }

  show(time) {
    const { declared } = this.kept;
    const { in_use: used, shown } = this.kept.cells(time);
    while (this.body.children.length > shown.length) this.body.lastElementChild.remove();
    shown.forEach((values, position) => {
      const row =
        this.body.children[position] ?? this.body.appendChild(element("tr", {}, ...values.map(() => element("td", { class: "number" }))));
      for (const [column, value] of values.entries()) put(row.children[column], column && this.isCounter ? count(value) : String(value));
    });
    const isPart = declared.looked_at < declared.cells;
    const others = used - shown.length;
    const sentences = [
      used === 0 ? "All are 0." : others > 0 ? `${plural(others, "other is", "others are")} not 0.` : "",
      isPart ? `Only the first ${count(declared.looked_at)} cells are looked at.` : "",
    ];
    const text = sentences.filter(Boolean).join(" ");
    this.more.hidden = !text;
    put(this.more, text);
  }
}
