// The page: messages come in, a moment of the run is shown, keys and buttons choose which.

import { Charts } from "live/charts";
import { Clock, SPEEDS } from "live/clock";
import { element, seconds } from "live/format";
import { Run } from "live/model";
import { Packets } from "live/packets";
import { picture, save, savePng } from "live/saving";
import { Shares } from "live/shares";
import { Tables } from "live/tables";
import { Theme } from "live/theme";
import { Topology } from "live/topology";
import { Words } from "live/words";

const byId = (id) => document.getElementById(id);

/** Messages that come so soon were there before. */
const OPENING_MS = 2500;
/** So long the end of a scheme's run is seen before the next one is followed. */
const LINGER_MS = 1500;

const KEYS = [
  ["space", "play or pause"],
  ["← →", "0.1 s back or on; with shift 1 s"],
  ["home, end", "to the beginning, to the end"],
  ["+ −", "faster, slower"],
  ["L", "follow the run"],
  ["1 … 9", "scheme"],
  ["W", "the controller's words, or RTT and windows"],
  ["tab, enter", "choose a link: its list, its queue"],
  ["A, D, K", "shares of a port; tables and registers; packets"],
  ["J, N", "trace: one step back, on"],
  ["↑ ↓", "in a list: packets, steps, the controller's words"],
  ["S, P", "save what is shown as SVG, PNG"],
  ["T", "light or dark"],
];

class Page {
  constructor() {
    this.run = new Run();
    this.clock = new Clock();
    this.topology = new Topology(byId("network"), (link) => this.chooseLink(link));
    this.charts = new Charts(
      {
        rates: byId("rates"),
        ratesTitle: byId("rates-title"),
        names: byId("names"),
        queue: byId("queue"),
        queueTitle: byId("queue-title"),
        rtt: byId("rtt"),
        window: byId("window"),
        underWay: byId("under-way"),
        sendersNote: byId("senders-note"),
      },
      (time) => this.go(time),
    );
    this.shares = new Shares(byId("shares"), byId("port-name"));
    this.words = new Words(byId("words"), (line) => {
      if (line.at) this.chooseLink(line.at);
      this.go(line.time_s);
    });
    this.tables = new Tables({ switches: byId("program-switches"), tables: byId("program-tables"), arrays: byId("program-arrays") });
    this.packets = new Packets(
      {
        journeys: byId("journeys"),
        hops: byId("hops"),
        steps: byId("steps"),
        source: byId("source"),
        sourceTitle: byId("source-title"),
        title: byId("steps-title"),
        count: byId("packet-count"),
      },
      (time) => this.go(time),
    );
    this.cell = null;
    this.link = null;
    this.before = performance.now();
    this.frames = 0;
    this.#controls();
    requestAnimationFrame((now) => this.#frame(now));
  }

  // Incoming messages

  take(message) {
    const isIdle = this.cell !== null && !this.cell.begun && this.follows;
    this.run.take(message);
    if (message.t === "header") this.#begin(message);
    if (message.t === "problem") this.#problems();
    if (message.t === "begin" && message.cell === this.cell?.key) {
      this.#drawCell();
      this.#follow();
    } else if (message.t === "begin" && isIdle) {
      // The page goes to the cell that has begun, as long as nobody has chosen one.
      this.chooseCell(message.cell, false);
    }
    if (message.t === "flows" && message.cell === this.cell?.key && this.cell.network.prompt && !this.hasChosenLink) this.#chooseBusiest();
    if (message.t === "result" && message.cell === this.cell?.key) {
      this.overAt = performance.now();
      this.#replay();
    }
    if (message.t === "state" && message.cell === this.cell?.key) this.#showDetails();
    if (message.t === "said" && message.cell === this.cell?.key && !this.side) this.#showSide();
    if (["begin", "result", "end"].includes(message.t)) this.#tabs();
    if (message.t === "end") this.#state();
  }

  /** From now on, the page shows what goes on. */
  #follow() {
    this.follows = true;
    this.clock.follow();
  }

  /** A scheme's run is over: on to the one that goes on now. */
  #followOn() {
    if (!this.follows || this.run.header.finished || !this.cell.isOver || performance.now() - this.overAt < LINGER_MS) return;
    const next = this.run.growing;
    if (!next) return;
    this.clock.isPlaying = false;
    this.chooseCell(next.key, false);
  }

  /** A run that was over when the page was opened is shown from its beginning. */
  #replay() {
    if (!this.follows || performance.now() - this.opened > OPENING_MS) return;
    this.clock.go(0, 0);
    this.clock.isPlaying = true;
  }

  lost(text) {
    this.trouble = text;
    this.#problems();
  }

  #begin(header) {
    document.title = header.title;
    byId("title").textContent = header.title;
    this.theme ??= new Theme(header.palette);
    this.clock = new Clock(header.prompt && header.virtual);
    this.opened = performance.now();
    this.follows = true;
    this.#legend();
    const labels = cellLabels(header.cells);
    byId("cells").replaceChildren(
      ...header.cells.map((cell, number) =>
        element(
          "button",
          {
            role: "tab",
            "data-key": cell.key,
            title: `${cell.key}${number < 9 ? ` (${number + 1})` : ""}`,
            onclick: () => this.chooseCell(cell.key),
          },
          labels[number],
        ),
      ),
    );
    byId("cells").hidden = header.prompt;
    this.chooseCell(header.cells[0].key, false);
    this.#problems();
  }

  chooseCell(key, byHand = true) {
    const cell = this.run.cells.get(key);
    if (!cell) return;
    if (byHand) {
      this.follows = cell.isGrowing && this.clock.isFollowing;
      this.#menu(false);
    }
    const sameNetwork = this.cell?.network === cell.network;
    this.cell = cell;
    for (const tab of byId("cells").children) tab.setAttribute("aria-selected", String(tab.dataset.key === key));
    if (!sameNetwork || !this.link) this.link = cell.busiest[0] ?? cell.network.links[0].name;
    byId("menu-scheme").textContent = this.run.header.prompt
      ? ""
      : [...byId("cells").children].find((tab) => tab.dataset.key === key).textContent;
    if (!cell.isOver && !this.clock.isPlaying && !byHand) this.#follow();
    this.#drawCell();
  }

  /** Which schemes are still to come, and which go on. */
  #tabs() {
    for (const tab of byId("cells").children) {
      const cell = this.run.cells.get(tab.dataset.key);
      tab.dataset.state = cell.isOver || this.run.isOver ? "over" : cell.begun ? "live" : "waiting";
    }
  }

  /** With a prompt, it is not known before where something will happen. */
  #chooseBusiest() {
    const link = this.cell.busiest[0];
    if (link && link !== this.link) this.chooseLink(link, false);
  }

  chooseLink(link, byHand = true) {
    if (byHand) this.hasChosenLink = true;
    if (!this.cell.network.link(link)) return;
    this.link = link;
    this.topology.select(link);
    this.shares.draw(this.cell, link);
    this.charts.drawQueue(link, this.theme);
  }

  #drawCell() {
    const { cell, link } = this;
    this.topology.draw(cell);
    this.topology.select(link);
    this.charts.draw(cell, link, this.theme);
    this.shares.draw(cell, link);
    this.words.draw(cell);
    this.tables.draw(cell);
    this.#showDetails();
    this.packets.draw(cell, this.run.header);
    this.#showSide();
    this.#tabs();
    this.#ticks();
    this.#state();
    this.#problems();
  }

  #problems() {
    const texts = [...(this.trouble ? [this.trouble] : []), ...this.run.problems, ...(this.cell?.problems ?? [])];
    if (this.cell?.result?.failure) texts.push(`${this.cell.scheme || this.cell.key}: ${this.cell.result.failure}`);
    byId("problem").hidden = texts.length === 0;
    byId("problem").textContent = texts.join(" · ");
  }

  #ticks() {
    const { cell } = this;
    const marks = [
      ...(cell.isAdded ? [] : cell.transmissions).map((one) => [one.start_s, `${one.name} starts`]),
      ...cell.network.events.map((event) => [event.time_s, event.text]),
    ];
    byId("ticks").replaceChildren(
      ...marks.map(([time, text]) => {
        const tick = element("span", { title: `${time} s: ${text}` });
        tick.style.left = `${(100 * time) / cell.duration}%`;
        return tick;
      }),
    );
  }

  #legend() {
    const steps = this.run.header.palette.load_steps;
    byId("legend").replaceChildren(
      "links idle ",
      ...this.theme.load.map((colour, step) => {
        const swatch = element("span", { class: "swatch wide" });
        swatch.style.background = colour;
        const to = steps[step + 1];
        swatch.title = to === undefined ? `from ${steps[step] * 100} %` : `${steps[step] * 100} to ${to * 100} %`;
        return swatch;
      }),
      " full, Mbit/s · ",
      element("span", { class: "box" }),
      " queue · ",
      element("span", { class: "dropped" }, "red, −n"),
      " packets lost in the last second",
    );
  }

  #state() {
    const { cell } = this;
    let text = "waiting";
    let state = "waiting";
    if (cell?.isOver || this.run.isOver) {
      const values = cell.result?.values ?? {};
      const drops = values.queue_drops === undefined ? "" : `${values.queue_drops} dropped`;
      const jain = values.jain === undefined ? "" : `Jain ${values.jain.toFixed(3)}`;
      text = cell.result?.failure ? "no result" : ["replay", drops, jain].filter(Boolean).join(" · ");
      state = "over";
    } else if (cell?.begun) {
      text = this.clock.isFollowing ? "live" : "recording";
      state = "live";
    } else if (this.run.growing) {
      text = "not begun yet";
    }
    if (this.run.header) text += this.run.header.virtual ? " · virtual time" : " · real time";
    const place = byId("state");
    if (place.textContent !== text) place.textContent = text;
    place.dataset.state = state;
  }

  // The shown moment

  get isGrowing() {
    return this.cell.isGrowing && !this.run.isOver;
  }

  /** To a time, by hand. */
  go(time) {
    this.follows = false;
    this.clock.go(time, this.cell.end);
  }

  /** Goes to the present moment, whatever was looked at. */
  live() {
    const { growing } = this.run;
    if (!growing) return;
    if (!this.isGrowing) this.chooseCell(growing.key, false);
    this.clock.isPlaying = false;
    this.#follow();
  }

  toggle() {
    this.follows = false;
    this.clock.toggle(this.cell.end);
  }

  #frame(now) {
    const elapsed = Math.min(0.25, (now - this.before) / 1000);
    this.before = now;
    this.frames++;
    if (this.cell) this.#show(elapsed);
    requestAnimationFrame((next) => this.#frame(next));
  }

  #show(elapsed) {
    this.#followOn();
    const { cell, clock, theme } = this;
    const earlier = clock.time;
    clock.tick(elapsed, cell.end, this.isGrowing);
    const time = clock.time;
    this.topology.show(time, time === earlier ? 0 : elapsed, theme);
    this.shares.show(time, theme);
    this.words.show(time, this.link);
    if (!byId("program").hidden) this.tables.show(time);
    this.packets.refresh(this.link);
    this.charts.refresh(theme);
    this.charts.show(time);
    this.#state();
    const slider = byId("slider");
    slider.max = Math.max(cell.duration, cell.end);
    if (document.activeElement !== slider || clock.isPlaying || clock.isFollowing) slider.value = time;
    slider.setAttribute("aria-valuetext", seconds(time));
    const shown = seconds(time);
    if (byId("time").textContent !== shown) byId("time").textContent = shown;
    byId("track").style.setProperty("--there", `${(100 * cell.end) / slider.max}%`);
    const playing = clock.isPlaying || clock.isFollowing ? "❚❚" : "▶";
    if (byId("play").textContent !== playing) byId("play").textContent = playing;
    byId("live").hidden = this.run.growing === undefined;
    byId("live").setAttribute("aria-pressed", String(clock.isFollowing && this.isGrowing));
  }

  /** "list", "program" or "packets", by hand. */
  tab(name) {
    this.detail = name;
    this.#showDetails();
    if (name === "packets") this.packets.reveal();
  }

  /** A program of its own has tables to show, and a list of a port only where somebody hands out bandwidth. */
  #showDetails() {
    const { cell } = this;
    const hasProgram = cell.state.switches.size > 0;
    const usual = hasProgram && !cell.hasLists ? "program" : "list";
    const shown = this.detail === "program" && !hasProgram ? usual : (this.detail ?? usual);
    byId("tab-program").hidden = !hasProgram;
    for (const name of ["list", "program", "packets"]) {
      byId(name).hidden = name !== shown;
      byId(`tab-${name}`).setAttribute("aria-selected", String(name === shown));
    }
  }

  /** The part beside the shares: where the controller has nothing to say, the senders' own measurements. */
  #showSide() {
    const { cell } = this;
    const side = this.side ?? (cell.hasLists ? "words" : "senders");
    byId("tab-senders").textContent = cell.isAdded && !cell.hasSenders ? "Under way" : "RTT and windows";
    for (const name of ["words", "senders"]) {
      byId(name).hidden = side !== name;
      byId(`tab-${name}`).setAttribute("aria-selected", String(side === name));
    }
  }

  /** "words" or "senders", by hand. */
  beside(side) {
    this.side = side;
    this.#showSide();
  }

  #menu(isOpen) {
    byId("menu").classList.toggle("open", isOpen);
    byId("menu-button").setAttribute("aria-expanded", String(isOpen));
  }

  toggleTheme() {
    this.theme.toggle();
    this.#legend();
    this.charts.draw(this.cell, this.link, this.theme);
  }

  // Saving

  #picture() {
    byId("rates").dataset.title = byId("rates-title").textContent.replace(" ", ", ");
    byId("under-way").dataset.title = "Transmissions under way";
    byId("queue").dataset.title = byId("queue-title").textContent;
    byId("rtt").dataset.title = "Smoothed RTT, ms";
    byId("window").dataset.title = "Congestion window, packets";
    return picture({
      network: byId("network"),
      charts: ["rates", "queue", "under-way", "rtt", "window"].map(byId).filter((chart) => chart.clientWidth > 0),
      names: this.cell.names,
      title: this.run.header.title,
      subtitle: `${this.cell.scheme} at ${seconds(this.clock.time)}`,
      theme: this.theme,
    });
  }

  get #name() {
    return `${this.run.header.name}-${this.cell.scheme || "prompt"}-${this.clock.time.toFixed(2)}s`.replaceAll("/", "_");
  }

  saveSvg() {
    save(`${this.#name}.svg`, this.#picture().text, "image/svg+xml");
  }

  savePng() {
    return savePng(`${this.#name}.png`, this.#picture());
  }

  // Buttons and keys

  #controls() {
    byId("play").addEventListener("click", () => this.toggle());
    byId("live").addEventListener("click", () => this.live());
    byId("menu-button").addEventListener("click", () => this.#menu(byId("menu-button").getAttribute("aria-expanded") !== "true"));
    document.addEventListener("click", (event) => {
      if (!event.target.closest("header")) this.#menu(false);
    });
    byId("theme").addEventListener("click", () => this.toggleTheme());
    byId("save-svg").addEventListener("click", () => this.saveSvg());
    byId("save-png").addEventListener("click", () => this.savePng());
    byId("tab-list").addEventListener("click", () => this.tab("list"));
    byId("tab-program").addEventListener("click", () => this.tab("program"));
    byId("tab-packets").addEventListener("click", () => this.tab("packets"));
    byId("tab-words").addEventListener("click", () => this.beside("words"));
    byId("tab-senders").addEventListener("click", () => this.beside("senders"));
    byId("slider").addEventListener("input", (event) => {
      this.clock.isPlaying = false;
      this.go(Number(event.target.value));
    });
    byId("speed").append(...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    byId("speed").addEventListener("change", (event) => {
      this.clock.speed = Number(event.target.value);
    });
    const keys = byId("keys");
    keys.querySelector("dl").append(...KEYS.flatMap(([key, does]) => [element("dt", {}, key), element("dd", {}, does)]));
    keys.querySelector("button").addEventListener("click", () => keys.close());
    byId("help").addEventListener("click", () => keys.showModal());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (!this.cell || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (event.target.matches?.("select") || (event.target.matches?.("button, a") && (event.key === " " || event.key === "Enter"))) return;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      this.#inList(event);
      return;
    }
    const step = event.shiftKey ? 1 : 0.1;
    const { clock, cell } = this;
    const actions = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.go(clock.time - step),
      ArrowRight: () => this.go(clock.time + step),
      Home: () => this.go(0),
      End: () => this.go(cell.end),
      "+": () => this.#faster(1),
      "=": () => this.#faster(1),
      "-": () => this.#faster(-1),
      l: () => this.live(),
      w: () => this.beside(byId("words").hidden ? "words" : "senders"),
      Escape: () => this.#menu(false),
      t: () => this.toggleTheme(),
      s: () => this.saveSvg(),
      p: () => this.savePng(),
      a: () => this.tab("list"),
      d: () => this.tab("program"),
      k: () => this.tab("packets"),
      n: () => this.packets.move(1),
      j: () => this.packets.move(-1),
      "?": () => byId("keys").showModal(),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (action) {
      action();
      event.preventDefault();
    } else if (event.key >= "1" && event.key <= "9") {
      const chosen = [...this.run.cells.keys()][Number(event.key) - 1];
      if (chosen) this.chooseCell(chosen);
    }
  }

  /** Up and down in the list that has the focus; elsewhere they scroll. */
  #inList(event) {
    const by = event.key === "ArrowDown" ? 1 : -1;
    const lists = { journeys: () => this.packets.moveJourney(by), steps: () => this.packets.move(by), words: () => this.words.move(by) };
    const move = lists[event.target.id];
    if (!move) return;
    move();
    event.preventDefault();
  }

  #faster(by) {
    this.clock.faster(by);
    byId("speed").value = this.clock.speed;
  }
}

/** The labels that tell the cells of a run apart: the scheme, and all else that differs between them. */
function cellLabels(cells) {
  const differs = (value) => new Set(cells.map((cell) => JSON.stringify(value(cell)))).size > 1;
  const keys = Object.keys(cells[0].parameters).filter((key) => differs((cell) => cell.parameters[key]));
  return cells.map((cell) => {
    const point = keys.map((key) => `${key}=${cell.parameters[key]}`).join(" ");
    return [cell.scheme, point, differs((one) => one.repetition) ? `#${cell.repetition}` : ""].filter(Boolean).join(" ");
  });
}

const page = new Page();
// For tests and for the console.
window.page = page;

const inside = byId("data");
if (inside) {
  // Opened from one file: everything is here.
  byId("save-html").hidden = true;
  for (const message of JSON.parse(inside.textContent)) page.take(message);
} else {
  const stream = new EventSource(`/messages${location.search}`);
  stream.onmessage = (event) => {
    const message = JSON.parse(event.data);
    page.take(message);
    if (message.t === "end") stream.close();
  };
  stream.onopen = () => page.lost("");
  stream.onerror = () => {
    if (stream.readyState !== EventSource.CLOSED) page.lost("The run's server does not answer; what is here can still be looked at.");
  };
}
