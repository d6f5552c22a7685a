// A traced packet, followed from switch to switch through the P4 source: parser, tables, registers, statements, each with its line.

import { element } from "live/format";

const IN_SOURCE = new Set(["statement", "condition", "table"]);

/** The sentence of one event, in a line. */
function sentence(event) {
  switch (event.event) {
    case "received":
      return ["received", `by port ${event.port}: ${event.length} bytes`];
    case "parser_state":
      return ["parser", `${event.state} → ${event.error ?? event.next}`];
    case "table":
      return [
        event.hit ? "table hit" : "table miss",
        `${last(event.table)} ${keys(event.key)}→ ${last(event.action ?? "")}(${values(event.data)})`,
      ];
    case "condition":
      return [event.result ? "true" : "false", event.source?.text ?? ""];
    case "statement":
      return [kind(event), event.source?.text ?? event.effect ?? event.op];
    case "enqueued":
      return ["queue", `waits for port ${event.port}`];
    case "egress":
      return ["egress", `to port ${event.port}: waited ${event.deq_timedelta_us} µs behind ${event.enq_qdepth} packets`];
    case "deparsed":
      return ["deparser", `${(event.headers ?? []).join(", ")}; ${event.payload_bytes} bytes of payload`];
    case "sent":
      return ["sent", `by port ${event.port}: ${event.length} bytes`];
    case "checksums_verified":
      return ["checksum", event.ok ? "right" : "wrong"];
    default:
      return [event.event.replaceAll("_", " "), event.port === undefined ? "" : `port ${event.port}`];
  }
}

function kind(event) {
  return /register|counter|meter/.test(`${event.op} ${event.effect ?? ""}`) ? "register" : "";
}

function last(name) {
  return name.split(".").pop();
}

function keys(key) {
  return key?.length ? `{${key.map((one) => `${last(one.name)}=${one.value}`).join(", ")}} ` : "";
}

function values(data) {
  return (data ?? []).map((one) => `${one.name}=${one.value}`).join(", ");
}

/** The changes of fields, registers and headers. */
function changes(event) {
  const found = [];
  for (const one of event.changes ?? []) found.push(`${one.field}: ${one.from} → ${one.to}`);
  for (const one of event.checksums ?? []) found.push(`${one.field}: ${one.from} → ${one.to}`);
  for (const one of event.extracted ?? []) {
    for (const field of one.fields ?? []) found.push(`${one.header}.${field.name} = ${field.value}`);
  }
  if (event.effect) found.push(event.effect);
  if (event.event === "table" && event.hit && event.entry?.length) found.push(`entry ${keys(event.entry).trim()}`);
  return found;
}

export class Packets {
  constructor(places, go) {
    Object.assign(this, places);
    this.go = go;
    this.journey = null;
    this.hop = 0;
    this.step = 0;
    this.journeys.addEventListener("click", (event) => this.choose(event.target.closest("li")?.dataset.id));
    this.steps.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) this.#go(Number(item.dataset.step));
    });
    this.hops.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.#hop(Number(button.dataset.hop));
    });
  }

  draw(cell, header) {
    this.cell = cell;
    this.header = header;
    this.sources = header.sources;
    this.journey = null;
    this.isChosen = false;
    this.shown = -1;
    this.steps.replaceChildren();
    this.hops.replaceChildren();
    this.source.replaceChildren();
    this.sourceFile = null;
    this.refresh(null);
  }

  /** Lists all packets; those that crossed a link stand out. */
  refresh(link) {
    const found = [...this.cell.journeys.values()].sort((a, b) => a.time_s - b.time_s);
    this.count.textContent = found.length ? `(${found.length})` : "";
    const events = found.reduce((sum, one) => sum + one.hops.length, 0);
    if (this.shown === events && this.link === link) return;
    this.shown = events;
    this.link = link;
    if (!found.length) {
      const why = this.header.trace
        ? `Nothing was traced yet (${this.header.trace}).`
        : this.header.prompt
          ? "No packet was traced yet. At the prompt, trace s1 icmp follows the next packets of a switch."
          : "No packet was traced. What is traced is said before a run: make run TRACE=A follows transmission A's first packets.";
      this.journeys.replaceChildren(element("li", { class: "nothing" }, why));
      return;
    }
    this.journeys.replaceChildren(
      ...found.map((one) => {
        const way = one.hops.map((hop) => hop.switch).join(" → ");
        return element(
          "li",
          {
            "data-id": one.id,
            class: [one.id === this.journey?.id ? "chosen" : "", one.links.has(link) ? "here" : ""].join(" ").trim(),
            "aria-current": String(one.id === this.journey?.id),
          },
          element("time", {}, one.time_s.toFixed(4)),
          ` ${one.label} `,
          element("small", {}, way),
        );
      }),
    );
    // With a prompt, the last one is shown until another is chosen.
    if (this.header.prompt && !this.isChosen) this.choose(found[found.length - 1].id, false);
    else if (this.journey) this.#buttons();
    else this.choose((found.find((one) => one.label.startsWith("Nodectl")) ?? found[0]).id, false);
  }

  choose(id, move = true) {
    const journey = this.cell.journeys.get(id);
    if (!journey) return;
    this.journey = journey;
    this.isChosen = move;
    for (const item of this.journeys.children) mark(item, item.dataset.id === id);
    this.#buttons();
    this.#hop(0);
    if (move) this.go(journey.time_s);
  }

  #buttons() {
    this.hops.replaceChildren(
      ...this.journey.hops.map((hop, number) =>
        element("button", { role: "tab", "data-hop": number, "aria-selected": String(number === this.hop) }, hop.switch),
      ),
    );
  }

  #hop(number) {
    this.hop = number;
    this.#buttons();
    const events = this.journey.hops[number].events;
    this.title.textContent = `What ${this.journey.hops[number].switch} did`;
    this.steps.replaceChildren(
      ...events.map((event, step) => {
        const [what, text] = sentence(event);
        const item = element("li", { "data-step": step, class: event.event }, element("b", {}, what), ` ${text}`);
        if (event.event !== "parser_state" && (event.changes?.length || event.effect)) {
          item.append(element("small", {}, changes(event).join("; ")));
        }
        return item;
      }),
    );
    const first = events.findIndex((event) => IN_SOURCE.has(event.event));
    this.#go(Math.max(0, first));
  }

  /** Scrolls the chosen one into view: nothing scrolls while it is hidden. */
  reveal() {
    scrollTo(this.journeys, this.journeys.querySelector(".chosen"));
    scrollTo(this.steps, this.steps.querySelector(".chosen"));
    scrollTo(this.source, this.source.querySelector(".reached"));
  }

  /** The next packet of the list, or the one before. */
  moveJourney(by) {
    const items = [...this.journeys.children];
    const next = items[items.findIndex((item) => item.dataset.id === this.journey?.id) + by];
    if (!next) return;
    this.choose(next.dataset.id);
    scrollTo(this.journeys, next);
  }

  /** One step on or back; over the ends of a switch to the next one. */
  move(by) {
    if (!this.journey) return;
    const events = this.journey.hops[this.hop].events;
    const next = this.step + by;
    if (next >= 0 && next < events.length) this.#go(next);
    else if (next >= events.length && this.hop + 1 < this.journey.hops.length) this.#hop(this.hop + 1);
    else if (next < 0 && this.hop > 0) {
      this.#hop(this.hop - 1);
      this.#go(this.journey.hops[this.hop].events.length - 1);
    }
  }

  #go(step) {
    const events = this.journey.hops[this.hop].events;
    this.step = step;
    const event = events[step];
    for (const item of this.steps.children) mark(item, Number(item.dataset.step) === step);
    scrollTo(this.steps, this.steps.children[step]);
    this.#show(event);
  }

  /** The name of a trace's file among the sources: its own, or the longest with which it ends. */
  #kept(file) {
    const fits = Object.keys(this.sources).filter((name) => file === name || file.endsWith(`/${name}`));
    return fits.sort((one, other) => other.length - one.length)[0];
  }

  #show(event) {
    const at = event.source;
    const name = at && this.#kept(at.file);
    if (!at || name === undefined) {
      const told = changes(event);
      this.sourceFile = null;
      this.sourceTitle.textContent = at ? `${at.file}:${at.line}` : sentence(event)[0];
      this.source.replaceChildren(told.length ? told.join("\n") : (at?.text ?? "This step has no line in the source."));
      return;
    }
    this.sourceTitle.textContent = `${name}:${at.line}`;
    if (this.sourceFile !== name) {
      this.sourceFile = name;
      this.source.replaceChildren(
        ...this.sources[name]
          .split("\n")
          .map((text, number) => element("span", { class: "line" }, element("i", {}, String(number + 1)), `${text}\n`)),
      );
    }
    for (const line of this.source.querySelectorAll(".reached, .told"))
      line.classList.contains("told") ? line.remove() : line.classList.remove("reached");
    const lines = this.source.querySelectorAll(".line");
    const line = lines[at.line - 1];
    if (!line) return;
    line.classList.add("reached");
    const told = changes(event);
    if (event.event === "condition") told.unshift(String(event.result));
    if (event.event === "table") told.unshift(sentence(event).join(": "));
    if (told.length) line.after(element("span", { class: "told" }, `${told.map((one) => `   ▸ ${one}`).join("\n")}\n`));
    scrollTo(this.source, line);
  }
}

/** Only the list itself scrolls, never the page. */
function scrollTo(place, item) {
  if (!item) return;
  place.scrollTop += item.getBoundingClientRect().top - place.getBoundingClientRect().top - place.clientHeight * 0.4;
}

function mark(item, isChosen) {
  item.classList.toggle("chosen", isChosen);
  item.setAttribute("aria-current", String(isChosen));
}
