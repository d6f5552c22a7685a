// A port's list as bars that move when somebody joins: the rate that each was given, the rate that it really sends, and the controller's words.

import { element, mbps, way } from "live/format";

/** For so long after a change it is said who was changed. */
const FRESH_S = 3;

export class Shares {
  constructor(place, title) {
    this.place = place;
    this.title = title;
    this.rows = new Map();
    this.drawn = null;
  }

  draw(cell, link) {
    this.cell = cell;
    this.link = link;
    this.described = cell.network.link(link);
    this.rows.clear();
    this.told = "";
    if (!this.described) return;
    this.title.textContent = way(this.described);
    this.whole = element("div", { class: "whole", role: "img" });
    this.list = element("div", { class: "rows" });
    this.note = element("p", { class: "note" });
    this.head = element("p", { class: "head" });
    this.key = element("p", { class: "key" }, "bar: what it was given · ", element("span", { class: "mark" }), " what it sends");
    this.place.replaceChildren(this.head, this.whole, this.list, this.key, this.note);
    this.capacity = this.described.rate_mbps;
    this.hasList = cell.hasList(link);
  }

  show(time, theme) {
    const cell = this.cell;
    if (!this.described) return;
    if (!this.hasList) this.hasList = cell.hasList(this.link);
    const { shares, line, before, capacity } = this.hasList
      ? cell.list(this.link, time)
      : { shares: null, line: null, before: {}, capacity: null };
    this.capacity = capacity ?? this.described.rate_mbps;
    this.key.hidden = !this.hasList;
    this.list.classList.toggle("taken", !this.hasList);
    const measured = new Map();
    for (const name of cell.flows.keys()) {
      const rate = cell.share(name, this.link, time);
      if (rate > 0.0005) measured.set(name, rate);
    }
    const names = this.hasList ? Object.keys(shares ?? {}) : [...measured.keys()];
    names.sort((a, b) => cell.number(a) - cell.number(b));
    const fresh = line !== null && time - line.time_s < FRESH_S;
    const given = names.map((name) => (this.hasList ? shares[name] : measured.get(name)));
    const total = given.reduce((sum, one) => sum + one, 0);
    this.#head(names.length, total);
    const gone = fresh ? Object.keys(before).filter((name) => !(name in shares)) : [];
    const wanted = [...names, ...gone];
    for (const [name, row] of this.rows) {
      if (!wanted.includes(name)) {
        row.row.remove();
        row.segment.remove();
        this.rows.delete(name);
      }
    }
    wanted.forEach((name, position) => {
      const row = this.rows.get(name) ?? this.#row(name);
      row.row.style.order = position;
      row.segment.style.order = position;
      const share = position < names.length ? given[position] : 0;
      const sends = this.#sends(name, measured);
      const change = !fresh
        ? ""
        : gone.includes(name)
          ? "gone"
          : !(name in before)
            ? "new"
            : before[name] > shares[name]
              ? "reduced"
              : before[name] < shares[name]
                ? "more"
                : "";
      this.#fill(row, share, sends, change, before[name], cell.number(name), theme);
    });
    const sentence = this.#sentence(time, line);
    if (this.told !== sentence) {
      this.told = sentence;
      this.note.textContent = sentence;
    }
    this.note.classList.toggle("fresh", fresh);
  }

  /** Why the port is shared as it is. */
  #sentence(time, line) {
    const { cell } = this;
    const scheme = cell.scheme || "The run";
    if (!cell.begun) return cell.isOver || cell.isClosed ? `${scheme} was not recorded.` : `${scheme} has not begun yet.`;
    if (line) {
      const said = line.text.replace(/^\S+ port \d+: /, "");
      const at = `${line.time_s.toFixed(2)} s`;
      return cell.isEnd(time) ? `At the end of the run; the last change was at ${at}: ${said}` : `${at}: ${said}`;
    }
    if (this.hasList) return "Nobody has asked for this port's bandwidth yet.";
    const taken = "the bars are what each takes.";
    if (cell.hasLists) return `Nobody ${cell.isOver ? "asked" : "has asked"} for this port's bandwidth: ${taken}`;
    if (cell.handsOut === "switches") return `The switches tell every sender a rate and keep no list: ${taken}`;
    return `Nobody hands out this port's bandwidth: ${taken}`;
  }

  #sends(name, measured) {
    const stands = this.cell.network.records[name] ?? [name];
    return stands.reduce((sum, one) => sum + (measured.get(one) ?? 0), 0);
  }

  #head(count, total) {
    const text = `${count === 0 ? "nobody" : count === 1 ? "1 transmission" : `${count} transmissions`}${this.hasList ? " on the list" : ""}, ${mbps(total)} of ${mbps(this.capacity)} Mbit/s`;
    if (this.head.textContent !== text) this.head.textContent = text;
    this.whole.setAttribute("aria-label", text);
  }

  #row(name) {
    const segment = element("div", { class: "segment", title: name });
    const bar = element("div", { class: "bar" });
    const sends = element("div", { class: "sends", title: "what it sends" });
    const value = element("span", { class: "value" });
    const change = element("span", { class: "change" });
    const row = element(
      "div",
      { class: "row" },
      element("span", { class: "who" }, name),
      element("div", { class: "lane" }, bar, sends),
      value,
      change,
    );
    this.whole.append(segment);
    this.list.append(row);
    const made = { row, segment, bar, sends, value, change };
    this.rows.set(name, made);
    // The first width is 0, so that a newcomer grows.
    segment.style.width = "0";
    bar.style.width = "0";
    void bar.offsetWidth;
    return made;
  }

  #fill(row, share, sends, change, before, number, theme) {
    const percent = (value) => `${Math.min(100, (100 * value) / this.capacity).toFixed(2)}%`;
    const colour = theme.colour(number);
    const width = percent(share);
    if (row.width !== width || row.colour !== colour) {
      row.width = width;
      row.colour = colour;
      row.segment.style.width = width;
      row.bar.style.width = width;
      row.segment.style.background = colour;
      row.bar.style.background = colour;
    }
    const left = percent(sends);
    if (row.left !== left) {
      row.left = left;
      row.sends.style.left = left;
      row.sends.style.visibility = this.hasList && sends > 0 ? "visible" : "hidden";
    }
    const value = `${mbps(share)} Mbit/s`;
    if (row.value.textContent !== value) row.value.textContent = value;
    const words = {
      "": "",
      new: "joined",
      gone: "gone",
      reduced: `▼ reduced from ${before === undefined ? "" : mbps(before)}`,
      more: `▲ up from ${before === undefined ? "" : mbps(before)}`,
    }[change];
    if (row.change.textContent !== words) row.change.textContent = words;
    row.row.dataset.change = change;
  }
}
