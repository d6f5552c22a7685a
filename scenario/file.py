"""Reading scenario files: TOML on top of a ``base``, a ``[grid]`` of points, expressions over the grid's variables.

A file describes one scenario for each point of its grid; without a grid it has one point.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from common.errors import UserError
from common.text_files import read_text
from scenario.data_plane import with_paths
from scenario.expressions import ExpressionError, evaluate, is_expression, resolved
from scenario.network_maps import read_map
from scenario.run_request import Size
from scenario.scenario import SCHEMA, Scenario
from scenario.schema_errors import schema_errors

Scalar = str | int | float | bool
Point = Mapping[str, Scalar]

REPORT_KEYS = ("metrics", "curves", "tables", "figures", "bars", "ratios", "claims", "comparisons", "marks", "notes")
"""A file's keys for its report; ``reports`` reads them, not this module."""

RENAMED = {
    "reallocate_on_departure": 'write `without = ["D3"]` instead of false',
    "measure_last_s": "write `measure_from_s`, seconds after the start",
    "control_loss_percent": 'write `filtered_loss = [{ filter = "udp port 4747", loss_percent = … }]`',
}
"""Keys of schema 1, with their replacements in words."""

MAX_BASES = 5


@dataclass(frozen=True)
class ScenarioFile:
    """A file whose expressions have not been computed yet."""

    path: Path
    content: dict[str, Any]
    """The scenario's keys."""
    grid: list[dict[str, list[Scalar]]]
    """Products of values, united."""
    report: dict[str, Any]
    """The keys of ``REPORT_KEYS``."""
    sizes: tuple[Size, ...] = tuple(Size)
    """The sizes in which a paper's report has it."""
    constants: dict[str, Any] = field(default_factory=dict)
    """Names for expressions, beside the grid's variables; their values are the same at all points."""

    @property
    def name(self) -> str:
        """Its name on the command line and in results."""
        return self.path.stem

    def points(self) -> list[dict[str, Scalar]]:
        """All points of the grid, in order; one without variables if there is no grid."""
        found = [dict(zip(part, values, strict=True)) for part in self.grid for values in product(*part.values())]
        return [point for number, point in enumerate(found) if point not in found[:number]] or [{}]

    def scenario(self, point: Point) -> Scenario:
        """The scenario of one point.

        Raises:
            UserError: it says something impossible there; the message names file and key.
        """
        at = f" (at {', '.join(f'{name} = {value}' for name, value in point.items())})" if point else ""
        try:
            content = resolved(self.content, {**self.constants, **point})
            with_paths(content, self.path.parent)
            return Scenario.model_validate(content)
        except ExpressionError as error:
            raise UserError(f"{self.path}: {error}{at}") from None
        except ValidationError as error:
            raise UserError("\n".join(readable(self.path, error, Scenario, at))) from None


def read_scenario_file(path: Path, size: Size = Size.NORMAL) -> ScenarioFile:
    """Read a file and those it is based on.

    Args:
        path: of the file.
        size: with the changes of its ``[quick]`` or ``[full]`` table, or with neither.

    Raises:
        UserError: a file is missing, not TOML, of another schema, or its grid or sizes are none.
    """
    content = _content(path, MAX_BASES)
    sizes = _sizes(path, content.pop("sizes", list(Size)))
    changes: dict[Size, dict[str, Any]] = {other: content.pop(other, {}) for other in Size if other is not Size.NORMAL}
    content = merged(content, changes.get(size, {}))
    constants = content.pop("constants", {})
    if not isinstance(constants, dict):
        raise UserError(
            f"{path}: table [constants]: it is a table of names with their values; for example: constants = {{ buffers = [1, 4] }}"
        )
    grid = content.pop("grid", {})
    parts = grid if isinstance(grid, list) else [grid]
    report = {key: content.pop(key) for key in REPORT_KEYS if key in content}
    found = [_grid_part(path, part, constants) for part in parts if part]
    for name in (name for part in found for name in part if name in constants):
        raise UserError(f"{path}: table [grid], key `{name}`: a constant has this name, too", "give one of them another name")
    return ScenarioFile(path, content, found, report, sizes, constants)


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Tables merged deep, everything else replaced."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def _content(path: Path, bases_left: int) -> dict[str, Any]:
    content = _toml(path)
    schema = content.pop("schema", 1)
    if schema != SCHEMA:
        raise UserError(
            f"{path}: schema {schema}; this testbed reads schema {SCHEMA}",
            f"write `schema = {SCHEMA}` above the rest; docs/scenarios.md describes every key",
        )
    _with_traces(content, path.parent)
    _with_texts(content, path.parent)
    _with_map(content, path.parent)
    with_paths(content, path.parent)
    if "base" not in content:
        return content
    if not bases_left:
        raise UserError(f"{path}: base: files are based on one another too deep, or in a circle")
    base = path.parent / str(content.pop("base"))
    return merged(_content(base, bases_left - 1), content)


def _toml(path: Path) -> dict[str, Any]:
    text = read_text(
        path,
        missing="give the path of a scenario file, or a name out of scenario/examples/",
        not_text="a scenario is a TOML file in UTF-8",
    )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from None


def _with_traces(part: Any, folder: Path) -> None:
    """Put the steps of a trace in the place of its file's name."""
    if isinstance(part, list):
        for one in part:
            _with_traces(one, folder)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key == "trace" and isinstance(value, str) and not value.startswith("="):
                part[key] = _trace(folder / value)
            else:
                _with_traces(value, folder)


def _trace(path: Path) -> list[dict[str, float]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(stream)]
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}", "a trace is a CSV file with the columns at_s, rate_mbps, delay_ms, loss_percent"
        ) from None
    except (ValueError, TypeError, AttributeError, csv.Error):
        raise UserError(
            f"{path}: this is no trace", "a CSV file with numbers in the columns at_s, rate_mbps, delay_ms, loss_percent"
        ) from None


def _with_texts(content: dict[str, Any], folder: Path) -> None:
    """Put the text of a file in the place of its path, in `[files]`, of the file and of its sizes."""
    for part in (content, *(content.get(size) for size in Size)):
        files = part.get("files") if isinstance(part, dict) else None
        if not isinstance(files, dict):
            continue
        for name, value in files.items():
            if isinstance(value, dict) and set(value) == {"path"} and isinstance(value["path"], str):
                files[name] = read_text(
                    folder / value["path"],
                    key=f"files.{name}",
                    missing="the path of a text file is one from the scenario's file",
                    not_text="programs and texts go with a scenario",
                )


def _with_map(content: dict[str, Any], folder: Path) -> None:
    """Put a map in the place of its file's path."""
    topology = content.get("topology")
    if isinstance(topology, dict) and isinstance(topology.get("map"), str):
        topology["map"] = read_map(folder / topology["map"])


def _sizes(path: Path, wanted: Any) -> tuple[Size, ...]:
    if not isinstance(wanted, list) or not wanted or not all(one in tuple(Size) for one in wanted):
        raise UserError(
            f'{path}: top of the file, key `sizes`: a list is wanted, of some of {", ".join(Size)}; for example: sizes = ["normal", "full"]'
        )
    return tuple(Size(one) for one in wanted)


def _grid_part(path: Path, part: Any, constants: Mapping[str, Any]) -> dict[str, list[Scalar]]:
    if not isinstance(part, dict):
        raise UserError(
            f"{path}: table [grid]: it is a table of variables with their values, or several of them; "
            "for example: grid = { rtt_ms = [20, 80] }"
        )
    found: dict[str, list[Scalar]] = {}
    for name, given in part.items():
        try:
            values = evaluate(given, constants) if is_expression(given) else given
        except ExpressionError as error:
            raise UserError(
                f"{path}: table [grid], key `{name}`: {error}", "in [grid], expressions have the names of [constants]"
            ) from None
        listed = values if isinstance(values, list) else [values]
        if not listed or not all(isinstance(value, str | int | float | bool) for value in listed):
            raise UserError(
                f"{path}: table [grid], key `{name}`: a list of numbers or texts is wanted, not empty; for example: {name} = [10, 80]"
            )
        found[name] = listed
    return found


def readable(path: Path, error: ValidationError, model: type[BaseModel], at: str = "") -> list[str]:
    """One line a problem: file, table, key, the mistake, the allowed values, an example."""
    return schema_errors(path, error, model, at, RENAMED)
