// A map of values: schemes by rivals, or schemes by values.

import { readable, SIGNED, SIGNED_RULE, signed, stepOf } from "atlas/colours";
import { measured } from "atlas/model";
import { element } from "live/format";

const JAIN = "jain";

/** Draws the map into `places` (table, legend, rule); `pick` is told which cell was clicked. */
export function drawMap(model, choice, theme, places, pick) {
  const { experiment, point } = choice;
  const drawn = model.hasRivals(experiment) ? matrix(model, choice, theme, pick) : columns(model, experiment, point, theme, pick);
  places.table.replaceChildren(drawn.table);
  places.table.classList.toggle("few", !model.hasRivals(experiment));
  places.legend.replaceChildren(...drawn.legend);
  places.rule.textContent = drawn.rule;
}

/** Schemes by rivals. */
function matrix(model, choice, theme, pick) {
  const { experiment, point } = choice;
  const wanted = model.described(experiment).values.find((value) => value.name === choice.value);
  const schemes = model.schemes(experiment);
  const all = model.cells(experiment).map((cell) => measured(cell, wanted.name)?.mean);
  const bounds = limits(all);
  const rows = schemes.map((row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, named(row)),
      ...schemes.map((column) => {
        const { cell, isMirrored, isOwn } = model.pair(experiment, row, column, point);
        const value = isOwn
          ? measured(cell, wanted.is_signed ? JAIN : wanted.name)
          : measured(cell, wanted.name, isMirrored && wanted.is_signed);
        const look =
          !value || (isOwn && wanted.is_signed) ? undefined : wanted.is_signed ? signedLook(value, theme) : plainLook(value, bounds, theme);
        return field(value, wanted.form, look, isOwn, `${row} beside ${column}`, () => pick(cell));
      }),
    ),
  );
  const legend = wanted.is_signed ? signedLegend(theme) : plainLegend(bounds, wanted.form, theme);
  return { table: framed(schemes.map(named), rows), legend, rule: wanted.is_signed ? SIGNED_RULE : plainRule() };
}

/** Schemes by values. */
function columns(model, experiment, point, theme, pick) {
  const { values } = model.described(experiment);
  const schemes = model.schemes(experiment);
  const of = (scheme, value) => measured(model.cell(experiment, scheme, point), value.name);
  const bounds = values.map((value) => limits(schemes.map((scheme) => of(scheme, value)?.mean)));
  const rows = schemes.map((scheme) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, named(scheme)),
      ...values.map((value, number) => {
        const found = of(scheme, value);
        const look = found && plainLook(found, bounds[number], theme);
        return field(found, value.form, look, false, `${scheme}: ${value.label}`, () => pick(model.cell(experiment, scheme, point)));
      }),
    ),
  );
  return {
    table: framed(
      values.map((value) => value.label),
      rows,
    ),
    legend: [],
    rule: plainRule(),
  };
}

function framed(heads, rows) {
  const head = element("tr", {}, element("td"), ...heads.map((text) => element("th", { scope: "col" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

function field(value, form, look, isOwn, said, go) {
  if (!value) return element("td", {}, element("span", { class: "faint", title: `${said}: not measured` }, "·"));
  const text = shown(value.mean, form);
  const button = element(
    "button",
    { type: "button", onclick: go, "aria-pressed": "false", "aria-label": `${said}: ${text}`, title: said },
    text,
  );
  if (isOwn) button.classList.add("own");
  if (look) {
    button.style.backgroundColor = look.colour;
    button.style.color = look.text;
    if (look.isTied) button.classList.add("tied");
  }
  return element("td", {}, button);
}

function signedLook(value, theme) {
  const { side, step, isTied } = signed(value.mean, value.ends);
  if (isTied) return { colour: theme.ground("raised"), text: theme.ground("text"), isTied };
  const colour = SIGNED[theme.name][side][step];
  return { colour, text: readable(colour), isTied };
}

function plainLook(value, [lowest, highest], theme) {
  const colour = theme.load[stepOf(value.mean, lowest, highest, theme.load.length)];
  return { colour, text: readable(colour), isTied: false };
}

function plainRule() {
  return "The colour is the value's place between the lowest and the highest one that is shown.";
}

function signedLegend(theme) {
  const { row, column } = SIGNED[theme.name];
  return ["column has all", ramp([...column].reverse().concat(row)), "row has all"];
}

function plainLegend([lowest, highest], form, theme) {
  return [shown(lowest, form), ramp(theme.load), shown(highest, form)];
}

function ramp(colours) {
  const steps = colours.map((colour) => {
    const step = element("span");
    step.style.backgroundColor = colour;
    return step;
  });
  return element("span", { class: "ramp", "aria-hidden": "true" }, ...steps);
}

function limits(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 0];
}

/** A scheme's name in little room: `nodectl (deployable)` for `nodectl(variant=deployable)`. */
function named(scheme) {
  return scheme.replace(/\(variant=/, " (");
}

/** A number in the form that the experiment's file gives, such as `.2f`. */
export function shown(value, form) {
  const digits = Number(form[1]);
  return (form.endsWith("f") ? value.toFixed(digits) : String(Number(value.toPrecision(digits)))).replace("-", "−");
}
