// The controller's words, as it said them; a line leads to its moment and its port.

import { element, way } from "live/format";

export class Words {
  constructor(place, go) {
    this.place = place;
    this.go = go;
    this.lines = [];
    place.addEventListener("click", (event) => {
      const at = this.lines.findIndex((line) => line.contains(event.target));
      if (at >= 0) this.go(this.cell.words[at]);
    });
  }

  /** To the next line, or the one before. */
  move(by) {
    const { words } = this.cell;
    const now = words[this.now]?.time_s ?? Number.NEGATIVE_INFINITY;
    const said = by > 0 ? words[this.now + 1] : words.findLast((one) => one.time_s < now);
    if (said) this.go(said);
  }

  draw(cell) {
    this.cell = cell;
    this.lines = [];
    this.now = -2;
    this.link = null;
    this.place.replaceChildren();
    this.refresh();
  }

  refresh() {
    const words = this.cell.words;
    while (this.lines.length < words.length) {
      const said = words[this.lines.length];
      const line = element(
        "li",
        { class: said.level.toLowerCase(), "data-at": said.at ?? "" },
        element("time", {}, said.time_s.toFixed(2)),
        ` ${said.text}`,
        said.at ? element("small", { title: "the link that this port sends to" }, ` ${way(this.cell.network.link(said.at))}`) : "",
      );
      this.lines.push(line);
      this.place.append(line);
    }
    if (!words.length && !this.place.childElementCount) {
      this.place.append(element("li", { class: "nothing" }, "nothing yet"));
    } else if (words.length) {
      this.place.querySelector(".nothing")?.remove();
    }
  }

  show(time, link) {
    this.refresh();
    const words = this.cell.words;
    let now = -1;
    // At the end everything has been said.
    const until = this.cell.isEnd(time) && !this.cell.isGrowing ? Number.POSITIVE_INFINITY : time;
    while (now + 1 < words.length && words[now + 1].time_s <= until) now++;
    if (now !== this.now) {
      for (let at = Math.min(now, this.now < -1 ? now : this.now); at < this.lines.length; at++)
        this.lines[at]?.classList.toggle("later", at > now);
      this.lines[this.now]?.classList.remove("latest");
      this.now = now;
      const line = this.lines[now];
      if (line) {
        line.classList.add("latest");
        // Only the list itself scrolls, never the page.
        this.place.scrollTop = line.offsetTop - this.place.clientHeight * 0.7;
      }
    }
    if (this.link !== link || this.marked !== this.lines.length) {
      this.link = link;
      this.marked = this.lines.length;
      for (const line of this.lines) line.classList.toggle("here", line.dataset.at === link);
    }
  }
}
