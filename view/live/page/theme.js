// Light or dark: the colours of reports/pictures/palette.py, as CSS variables and for drawings.

const REMEMBERED = "nodectl-theme";

export class Theme {
  constructor(palette) {
    this.palette = palette;
    this.set(remembered() ?? (window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  }

  set(name) {
    this.name = name;
    document.documentElement.dataset.theme = name;
    for (const [what, colour] of Object.entries(this.palette.ground[name])) document.documentElement.style.setProperty(`--${what}`, colour);
    this.load = this.palette.load[name];
    try {
      localStorage.setItem(REMEMBERED, name);
    } catch {
      // A page opened from a file may have no storage.
    }
  }

  toggle() {
    this.set(this.name === "dark" ? "light" : "dark");
  }

  /** Of the first, second … transmission. */
  colour(number) {
    const colours = this.palette.series[this.name];
    return colours[number % colours.length];
  }

  /** Its line: strokes and gaps. */
  dash(number) {
    const { series, dashes } = this.palette;
    return dashes[Math.floor(number / series.light.length) % dashes.length];
  }

  ground(what) {
    return this.palette.ground[this.name][what];
  }

  loadStep(load) {
    const steps = this.palette.load_steps;
    let step = 0;
    while (step + 1 < steps.length && load >= steps[step + 1]) step++;
    return step;
  }
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}
