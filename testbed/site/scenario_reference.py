"""The page of all keys of a scenario file, made of the models that read it (scenario/)."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from scenario.file import REPORT_KEYS
from scenario.scenario import SCHEMA, Scenario
from scenario.schema_errors import Allowed, describe, example, of_field
from scenario.toml_values import as_toml
from testbed.site.tables import cell, table

UNITS = (
    ("per_s", "1/s"),
    ("_mbps", "Mbit/s"),
    ("_ms", "ms"),
    ("_us", "µs"),
    ("_s", "s"),
    ("_bytes", "bytes"),
    ("_packets", "packets"),
    ("_mb", "MB"),
    ("percent", "%"),
)
"""By the end of a key."""

EXACT_UNITS = {"bytes": "bytes"}
MOST_LETTERS = 60
"""Of an example; a longer one is that of its own table."""

PAGE_OF_DOCS = re.compile(r"\bdocs/((?:[\w-]+/)*[\w-]+)\.md\b")

READ_BEFORE = (
    ("schema", "a whole number", str(SCHEMA), "Version of the format.", f"schema = {SCHEMA}"),
    ("base", "a path", "", "Another scenario file, which this one changes: tables are merged, lists replaced.", 'base = "staggered.toml"'),
    (
        "grid",
        "a table of lists",
        "",
        "Variables and their values; the file describes a scenario for each combination.",
        "grid = { rtt_ms = [20, 80] }",
    ),
    (
        "constants",
        "a table",
        "",
        "Names for expressions, which have the same value at each point of the grid; the grid itself may use them.",
        'constants = { everyone = ["reno", "cubic"] }',
    ),
    ("quick, full", "a table", "", "Changes for `QUICK=1` and `FULL=1`.", "quick.run = { duration_s = 5 }"),
    ("sizes", "a list", "all", "The sizes in which a paper's report has the file.", 'sizes = ["normal", "full"]'),
    (", ".join(REPORT_KEYS), "tables", "", "What the report of an experiment shows: [reproduce](../reproduce.md).", ""),
)
"""Keys that are read before the models see the rest (scenario/file.py): name, type, default, meaning, example."""

HEAD = """# Keys of scenario files

This page lists every key of a scenario file: its type, unit, default, meaning, and an example. It is made of the declarations that read
the file. Read [scenario files](../scenarios.md) first: it shows a whole file and explains how its parts work together.

The end of a key says its unit. A file must have each key whose default is blank; "left out" means that there is no value then.

## Read first

These keys stand at the top of the file.

"""

FOOT = """
## Where to go next

[Links](../links.md) describes what the link model does with its keys; [own program](../own-program.md) runs a P4 program of yours.
"""


@dataclass
class Part:
    """A model, and where files have it.

    Attributes:
        model: of the table.
        places: as TOML writes them.
    """

    model: type[BaseModel]
    places: list[str] = field(default_factory=list)


def scenario_page() -> str:
    """The page in Markdown."""
    first = table(
        ("key", "type", "default", "meaning", "example"),
        [(", ".join(f"`{one}`" for one in a.split(", ")), b, c, d, f"`{e}`" if e else "") for a, b, c, d, e in READ_BEFORE],
    )
    return HEAD + first + "".join(_section(part) for part in parts()) + FOOT


def parts() -> list[Part]:
    """All models of a scenario file, in the order in which it has them."""
    found: dict[type[BaseModel], Part] = {Scenario: Part(Scenario, ["the top of the file"])}
    _collect(Scenario, "", found)
    return list(found.values())


def keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The keys of a table that a file can have."""
    return {name: one for name, one in model.model_fields.items() if one.exclude is not True}


def meaning(model: type[BaseModel], key: str) -> str:
    """What the model says of a key: the text below its declaration, in its class or one that it is made of."""
    for one in model.__mro__:
        if issubclass(one, BaseModel) and one is not BaseModel and key in _texts(one):
            return _texts(one)[key]
    return ""


def unit(key: str) -> str:
    """The unit that the end of a key says; empty: it has none."""
    return EXACT_UNITS.get(key, next((words for end, words in UNITS if key.endswith(end)), ""))


def _collect(model: type[BaseModel], place: str, found: dict[type[BaseModel], Part]) -> None:
    for name, one in keys(model).items():
        for inner, form in _models(of_field(one)):
            path = form.format(".".join(filter(None, (place, name))))
            known = inner in found
            found.setdefault(inner, Part(inner)).places.append(path)
            if not known:
                _collect(inner, path.strip("[]"), found)


def _models(allowed: Allowed) -> Iterator[tuple[type[BaseModel], str]]:
    """The models that a value may have, each with the form of its place."""
    for branch in allowed.branches:
        if branch.model is not None:
            yield branch.model, "[{}]"
            continue
        origin, arguments = get_origin(branch.annotation), get_args(branch.annotation)
        if origin in (list, tuple) and arguments:
            yield from ((model, "[[{}]]") for model, _ in _models(Allowed(arguments[0])))
        elif origin is dict:
            yield from ((model, "[{}.NAME]") for model, _ in _models(Allowed(arguments[1])))


def _section(part: Part) -> str:
    kind = _kind(part.model)
    title = "Top of the file" if part.model is Scenario else f"{_words(part.model.__name__)}{f': kind `{kind}`' if kind else ''}"
    where = ", ".join(place if " " in place else f"`{place}`" for place in dict.fromkeys(part.places))
    about = inspect.getdoc(part.model) or ""
    rows = [_row(part.model, name, one) for name, one in keys(part.model).items()]
    return f"\n## {title}\n\nPlace: {where}. {_linked(about)}\n\n" + table(("key", "takes", "default", "meaning, and an example"), rows)


def _row(model: type[BaseModel], name: str, one: FieldInfo) -> tuple[str, ...]:
    allowed = of_field(one)
    shown = as_toml(example(allowed, name))
    text = meaning(model, name) or ("Chooses the keys of this table." if name == "kind" else "")
    line = f"`{name} = {shown}`" if len(shown) <= MOST_LETTERS else ""
    inner = [found for found, _ in _models(allowed)]
    takes = f"table {' or '.join(f'[{_words(found.__name__)}](#{_anchor(found)})' for found in inner)}" if inner else describe(allowed)
    in_units = f"{takes}; {unit(name)}" if unit(name) else takes
    return f"`{name}`", cell(in_units), _default(one), cell(f"{_linked(text)}{f'<br>{line}' if line else ''}")


def _default(one: FieldInfo) -> str:
    if one.is_required():
        return ""
    value = one.default
    if value is PydanticUndefined or value is None or isinstance(value, BaseModel):
        return "left out"
    return cell(f"`{as_toml(value.value if isinstance(value, Enum) else value)}`") if value not in ("", [], {}, ()) else "empty"


def _kind(model: type[BaseModel]) -> str:
    kinds = get_args(model.model_fields["kind"].annotation) if "kind" in model.model_fields else ()
    return str(kinds[0]) if kinds else ""


def _anchor(model: type[BaseModel]) -> str:
    kind = _kind(model)
    return f"{_words(model.__name__).lower().replace(' ', '-')}{f'-kind-{kind}' if kind else ''}"


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def _linked(text: str) -> str:
    """A docstring as Markdown, in one paragraph, whose pages are links."""
    return PAGE_OF_DOCS.sub(
        lambda page: f"[{page[1].removesuffix('/index').split('/')[-1]}](../{page[1]}.md)", " ".join(text.split()).replace("``", "`")
    )


@cache
def _texts(model: type[BaseModel]) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, Any] = {}
    for one, after in zip(body.body, body.body[1:], strict=False):
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and is_text:
            found[one.target.id] = after.value.value  # type: ignore[attr-defined]
    return found
