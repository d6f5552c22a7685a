// The atlas's page: filters, the map, the runs behind a value.

import { showDetails } from "atlas/details";
import { drawMap } from "atlas/heat_map";
import { Model } from "atlas/model";
import { element } from "live/format";
import { Theme } from "live/theme";

const byId = (id) => document.getElementById(id);
const model = new Model(JSON.parse(byId("data").textContent));
const theme = new Theme(model.data.palette);
const places = { table: byId("table"), legend: byId("legend"), rule: byId("rule") };
const choice = { experiment: "", value: "", point: {} };
let picked;

/** Begins with an experiment: the first choice of each variable that has it, and what was chosen before where it can be. */
function choose(experiment) {
  choice.experiment = experiment;
  const { values, variables } = model.described(experiment);
  choice.value = values.find(({ name }) => name === choice.value)?.name ?? values[0].name;
  choice.point = Object.fromEntries(
    Object.keys(variables).map((name) => {
      const choices = model.choices(experiment, name);
      return [name, choices.includes(choice.point[name]) ? choice.point[name] : choices[0]];
    }),
  );
  draw();
}

function draw() {
  const described = model.described(choice.experiment);
  byId("filters").replaceChildren(...filters(described));
  byId("map-title").textContent = described.title;
  byId("notes").textContent = described.notes;
  drawMap(model, choice, theme, places, (cell) => {
    picked = cell;
    for (const other of places.table.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
    document.activeElement?.setAttribute("aria-pressed", "true");
    showDetails(model, cell, theme, byId("details"));
  });
  if (picked) showDetails(model, picked, theme, byId("details"));
}

function filters(described) {
  const { experiment } = choice;
  const shown = [
    selected(
      "shown",
      model.experiments.map((name) => [name, model.described(name).title]),
      experiment,
      choose,
    ),
  ];
  if (model.hasRivals(experiment) && described.values.length > 1) {
    const offered = described.values.map(({ name, label }) => [name, label]);
    shown.push(
      selected("value", offered, choice.value, (value) => {
        choice.value = value;
        draw();
      }),
    );
  }
  for (const [name, labels] of Object.entries(described.variables)) {
    const offered = model.choices(experiment, name).map((value) => [value, labels[value] || value]);
    if (offered.length < 2) continue;
    shown.push(
      selected(name.replaceAll("_", " "), offered, choice.point[name], (value) => {
        choice.point[name] = value;
        draw();
      }),
    );
  }
  return shown;
}

function selected(label, offered, current, go) {
  const options = offered.map(([value, text]) => element("option", { value, selected: value === current }, text));
  const select = element("select", { onchange: (event) => go(event.target.value) }, ...options);
  return element("label", {}, `${label} `, select);
}

function turn() {
  theme.toggle();
  draw();
}

byId("theme").addEventListener("click", turn);
document.addEventListener("keydown", (event) => {
  if (event.key === "t" && !event.ctrlKey && !event.metaKey && event.target.tagName !== "SELECT") turn();
});
choose(model.experiments.includes("pairs") ? "pairs" : model.experiments[0]);
