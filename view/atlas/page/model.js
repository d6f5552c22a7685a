// The values of all cells, and the way to find one.

const DIAGONAL = "same";
/** The grid's variable that says how many connections each side has, as `1:4`. */
const COUNTS = "connections";

/** The atlas's data, with the cells found by what one asks for. */
export class Model {
  constructor(data) {
    this.data = data;
    this.byPlace = new Map(data.cells.map((cell) => [place(cell.experiment, cell.scheme, cell.rival, cell.point), cell]));
  }

  get experiments() {
    return Object.keys(this.data.experiments);
  }

  described(experiment) {
    return this.data.experiments[experiment];
  }

  cells(experiment) {
    return this.data.cells.filter((cell) => cell.experiment === experiment);
  }

  hasRivals(experiment) {
    return this.cells(experiment).some((cell) => cell.rival !== null);
  }

  /** Values that a variable of the grid has, in their order. */
  choices(experiment, variable) {
    return Object.keys(this.described(experiment).variables[variable]).sort((one, other) => (Number(one) || 0) - (Number(other) || 0));
  }

  /** Schemes of an experiment, in the order of the atlas. */
  schemes(experiment) {
    const found = new Set(this.cells(experiment).flatMap((cell) => [cell.scheme, ...(cell.rival === null ? [] : [cell.rival])]));
    return this.data.schemes.filter((scheme) => found.has(scheme));
  }

  cell(experiment, scheme, point, rival = null) {
    return this.byPlace.get(place(experiment, scheme, rival, point));
  }

  /** Two schemes beside one another: the cell, and whether it was measured the other way round. */
  pair(experiment, row, column, point) {
    if (row === column) return { cell: this.#alike(row, point), isMirrored: false, isOwn: true };
    const cell = this.cell(experiment, row, point, column);
    if (cell) return { cell, isMirrored: false, isOwn: false };
    const turned = { ...point, [COUNTS]: point[COUNTS].split(":").reverse().join(":") };
    return { cell: this.cell(experiment, column, turned, row), isMirrored: true, isOwn: false };
  }

  #alike(scheme, point) {
    const others = Object.fromEntries(Object.entries(point).filter(([name]) => name !== COUNTS));
    return this.cell(DIAGONAL, scheme, others);
  }
}

/** A value of a cell: its mean, the ends of its interval (none: of one run), its count; turned round if the cell is mirrored. */
export function measured(cell, name, isTurned) {
  const found = cell?.values[name];
  if (!found) return undefined;
  const [mean, ends, count] = [found[0], found.slice(1, -1), found.at(-1)];
  return isTurned ? { mean: -mean, ends: ends.map((end) => -end).reverse(), count } : { mean, ends, count };
}

function place(experiment, scheme, rival, point) {
  const parts = Object.entries(point).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([experiment, scheme, rival, parts]);
}
