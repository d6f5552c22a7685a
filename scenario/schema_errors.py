"""Mistakes in a TOML file, in words for people: file, table, key, the allowed values, an example. They are made of pydantic's errors.

Pydantic names a place by its own path, in which the branches of a union and the kinds of a table stand beside the file's keys. This
module follows the path through the model, so that only keys of the file are left, and finds the values that the model allows there.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from scenario.toml_values import as_toml

KEY_MARK = "[key]"
"""The last part of pydantic's path where a key itself is wrong, not its value."""

VALUE_ERROR = "Value error, "
MOST_LETTERS = 60
"""Of a wrong value that is shown."""

TAG_ERRORS = ("union_tag_invalid", "union_tag_not_found")
TOP = "top of the file"
BOUNDS = (("gt", "above {}"), ("ge", "{} or more"), ("lt", "below {}"), ("le", "at most {}"))
SCALARS = {str, int, float, bool}
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Allowed:
    """The values that a model allows at a place.

    Attributes:
        annotation: the type.
        metadata: its limits.
        told: the model's description of it in words; empty: none.
        examples: values that it takes.
        default: the value that holds without it; None: none that could be shown.
    """

    annotation: Any
    metadata: tuple[Any, ...] = ()
    told: str = ""
    examples: tuple[Any, ...] = ()
    default: Any = None

    @property
    def branches(self) -> list[Allowed]:
        """Of a union, without ``None``; of another type itself."""
        if get_origin(self.annotation) not in (Union, types.UnionType):
            return [self]
        found = [_allowed(part) for part in get_args(self.annotation) if part is not type(None)]
        alone = len(found) == 1
        return [replace(one, metadata=(*one.metadata, *self.metadata)) if alone else one for one in found]

    @property
    def model(self) -> type[BaseModel] | None:
        """The table's model; None: it is no table."""
        return self.annotation if isinstance(self.annotation, type) and issubclass(self.annotation, BaseModel) else None

    def limit(self, name: str) -> Any:
        """``gt``, ``min_length`` and so on; None: there is none."""
        return next((value for one in self.metadata if (value := getattr(one, name, None)) is not None), None)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong."""

    place: Place
    branch: Place
    """The place of the union that it is a branch of, and the branch; empty: it is in none."""
    allowed: Allowed
    owner: type[BaseModel] | None
    """The model of the table in which the key stands."""
    error: Mapping[str, Any]


def schema_errors(
    path: Path, error: ValidationError, model: type[BaseModel], at: str = "", renamed: Mapping[str, str] | None = None
) -> list[str]:
    """A line for each thing that is wrong.

    Args:
        path: of the file.
        error: pydantic's.
        model: of the whole file.
        at: where in a grid, for the end of each line.
        renamed: keys that are gone, with their replacements in words.
    """
    return [f"{path}: {_where(one)}{_what(one, renamed or {})}{at}" for one in problems(error, model)]


def first_error(error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong in a part of a file, for a message that says which part it is."""
    one = problems(error, model)[0]
    return f"{_where(one).removeprefix(f'{TOP}, ')}{_what(one, {})}"


def place_in_words(place: Place) -> str:
    """A place of a file: ``table [[claims]] 1, key `rule```; tables in lists are counted from 1."""
    last = max((position for position, part in enumerate(place) if isinstance(part, int)), default=-1)
    entry = last == len(place) - 1 and last >= 0
    table, key = (place[: last + 1], place[last + 1 :]) if last >= 0 and not entry else (place[:-1], place[-1:])
    if entry:
        table, key = place[: last - 1], place[last - 1 : last]
    words = _table(table)
    if key:
        words += f", key `{'.'.join(map(str, key))}`"
    return f"{words}, entry {int(place[last]) + 1}" if entry else words


def problems(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """The mistakes, each place once: of a union only those in the branch that fits best."""
    found = [_problem(one, model) for one in error.errors()]
    branches: dict[Place, dict[Place, int]] = {}
    for one in found:
        if one.branch:
            count = branches.setdefault(one.branch[:-1], {})
            count[one.branch] = count.get(one.branch, 0) + (2 if one.error["type"] == "extra_forbidden" else 1)
    best = {place: min(count, key=lambda branch: count[branch]) for place, count in branches.items()}
    kept = {one.place: one for one in reversed(found) if not one.branch or best[one.branch[:-1]] == one.branch}
    return list(reversed(kept.values()))


def _problem(error: Any, model: type[BaseModel]) -> Problem:
    allowed, owner = Allowed(model), None
    before = allowed
    place: Place = ()
    branch: Place = ()
    parts: list[str | int] = list(error["loc"])
    while parts:
        options = allowed.branches
        head = parts[0]
        if len(options) > 1:
            parts.pop(0)
            chosen = [one for one in options if _is_branch(one, str(head))]
            if parts and chosen:
                branch, allowed = branch or (*place, str(head)), chosen[0]
            elif not parts:
                return Problem(place, branch, allowed, owner, error)
            continue
        owner, before = options[0].model, options[0]
        allowed, key = _below(options[0], head), parts.pop(0)
        place = (*place, key)
        if parts and parts[0] == KEY_MARK:
            return Problem(place, branch, _key_of(options[0]), owner, {**error, "type": KEY_MARK})
    if error["type"] == "missing" and place and isinstance(place[-1], int):  # of a list of so many
        return Problem(place[:-1], branch, before, owner, {**error, "type": "too_short"})
    return Problem(place, branch, allowed, owner, error)


def _is_branch(option: Allowed, head: str) -> bool:
    """Pydantic calls a branch by its model, its kind, or its type."""
    if option.model is not None:
        kinds = [get_args(field.annotation) for name, field in option.model.model_fields.items() if name == "kind"]
        return head == option.model.__name__ or any(head in found for found in kinds) or head.endswith(f"{option.model.__name__}]")
    name = getattr(get_origin(option.annotation) or option.annotation, "__name__", "")
    return head.startswith(name) or name in head


def _below(allowed: Allowed, part: str | int) -> Allowed:
    if allowed.model is not None:
        field = allowed.model.model_fields.get(str(part))
        return Allowed(Any) if field is None else of_field(field)
    arguments = get_args(allowed.annotation)
    origin = get_origin(allowed.annotation)
    if origin is dict and len(arguments) == 2:
        return _allowed(arguments[1])
    if origin is tuple and isinstance(part, int) and part < len(arguments) and arguments[-1] is not Ellipsis:
        return _allowed(arguments[part])
    return _allowed(arguments[0]) if arguments else Allowed(Any)


def _key_of(allowed: Allowed) -> Allowed:
    arguments = get_args(allowed.annotation)
    return _allowed(arguments[0]) if arguments else Allowed(str)


def of_field(field: FieldInfo) -> Allowed:
    """The values that a key of a model allows."""
    default = None if field.is_required() or field.default_factory is not None else field.default
    inner = _allowed(field.annotation)
    return Allowed(
        inner.annotation,
        (*field.metadata, *inner.metadata),
        field.description or inner.told,
        tuple(field.examples or inner.examples),
        default,
    )


def _allowed(annotation: Any) -> Allowed:
    if get_origin(annotation) is not Annotated:
        return Allowed(annotation)
    first, *rest = get_args(annotation)
    inner = _allowed(first)
    metadata, told, examples = list(inner.metadata), inner.told, inner.examples
    for one in rest:
        if isinstance(one, FieldInfo):
            metadata += one.metadata
            told, examples = one.description or told, tuple(one.examples or examples)
        else:
            metadata.append(one)
    return Allowed(inner.annotation, tuple(metadata), told, examples)


def _table(place: Place) -> str:
    """``table [[figures]] 1, panels 2``; ``table [topology.bottleneck]``; ``the top of the file``."""
    if not place:
        return TOP
    names: list[str] = []
    words = ""
    for part in place:
        if isinstance(part, int):
            name = ".".join(names)
            words += f", {name} {part + 1}" if words else f"table [[{name}]] {part + 1}"
            names = []
        else:
            names.append(part)
    if not names:
        return words
    return f"{words}, {'.'.join(names)}" if words else f"table [{'.'.join(names)}]"


def _where(problem: Problem) -> str:
    place = problem.place
    if problem.error["type"] in TAG_ERRORS:
        place = (*place, _discriminator(problem))
    if not place:
        return ""
    is_table = any(one.model for one in problem.allowed.branches) and problem.error["type"] == "value_error"
    return f"{_table(place) if is_table else place_in_words(place)}: "


def _what(problem: Problem, renamed: Mapping[str, str]) -> str:
    kind, allowed = str(problem.error["type"]), problem.allowed
    key = next((str(part) for part in reversed(problem.place) if isinstance(part, str)), "")
    if kind in TAG_ERRORS:
        return _about_kind(problem)
    if kind == "extra_forbidden":
        return _about_unknown_key(problem, key, renamed)
    if kind == "missing":
        return f"the key is missing; it takes {describe(allowed)}; for example: {key} = {as_toml(example(allowed, key))}"
    if kind == "value_error":
        said = str(problem.error["msg"]).removeprefix(VALUE_ERROR)
        if not any(one.model for one in allowed.branches) and key and allowed.annotation is not Any:
            return f"{said}; it takes {describe(allowed)}; for example: {key} = {as_toml(example(allowed, key))}"
        return said
    shown = as_toml(problem.error["input"])
    shown = shown if len(shown) <= MOST_LETTERS else f"{shown[:MOST_LETTERS]} …"
    if kind == KEY_MARK or isinstance(problem.place[-1] if problem.place else None, int):
        return f"{shown} is not allowed; it takes {describe(allowed)}; for example: {as_toml(example(allowed, key))}"
    return f"{shown} is not allowed; it takes {describe(allowed)}; for example: {key} = {as_toml(example(allowed, key))}"


def _discriminator(problem: Problem) -> str:
    return str(problem.error["ctx"]["discriminator"]).strip("'")


def _about_kind(problem: Problem) -> str:
    key = _discriminator(problem)
    kinds = sorted(
        str(name) for option in problem.allowed.branches if option.model for name in get_args(option.model.model_fields[key].annotation)
    )
    given = problem.error["input"]
    said = "the key is missing" if problem.error["type"] == "union_tag_not_found" else f"{as_toml(_got(given, key))} is not allowed"
    return f"{said}; it must be one of {', '.join(kinds)}; for example: {key} = {as_toml(kinds[0])}"


def _got(table: Any, key: str) -> Any:
    return table.get(key) if isinstance(table, Mapping) else getattr(table, key, table)


def _about_unknown_key(problem: Problem, key: str, renamed: Mapping[str, str]) -> str:
    if key in renamed:
        return f"this key of schema 1 is gone: {renamed[key]}"
    fields = _fields_beside(problem)
    if not fields:
        return "unknown key"
    near = [name for name in fields if key and name.startswith(f"{key}_")] or get_close_matches(key, fields, n=1)
    shown = near[0] if near else next((name for name, field in fields.items() if field.is_required()), next(iter(fields)))
    meant = f"; is `{near[0]}` meant?" if near else ""
    instance = as_toml(example(of_field(fields[shown]), shown))
    return f"unknown key{meant}; the keys here: {', '.join(fields)}; for example: {shown} = {instance}"


def _fields_beside(problem: Problem) -> dict[str, FieldInfo]:
    """The keys of the table in which an unknown one stands; those that the file cannot have are left out."""
    fields = {} if problem.owner is None else problem.owner.model_fields
    return {name: field for name, field in fields.items() if not field.exclude}


def describe(allowed: Allowed) -> str:
    """The allowed values, in words."""
    options = allowed.branches
    if {one.annotation for one in options} == SCALARS:
        return "one value: a number, a text, true or false"
    if len(options) > 1:
        words = list(dict.fromkeys(map(describe, options)))
        return " or ".join(word for word in words if word != "a whole number" or "a number" not in words)
    one, kind = options[0], options[0].annotation
    if allowed.told or one.told:
        return allowed.told or one.told
    if one.model is not None:
        return f"a table with the keys {', '.join(_keys(one.model))}"
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(as_toml, arguments))}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(as_toml(part.value) for part in kind)}"
    if origin in (list, tuple) or kind in (list, tuple):
        return _list_in_words(one, arguments)
    if origin is dict or kind is dict:
        return f"a table of names, each with {describe(_allowed(arguments[1]))}" if arguments else "a table"
    plain = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", Path: "a path"}.get(kind, "a value")
    limits = [text.format(_plain(limit)) for name, text in BOUNDS if (limit := one.limit(name)) is not None]
    if kind is str and one.limit("min_length"):
        limits.append("not empty")
    if kind is str and one.limit("pattern"):
        limits.append(f"of the form {one.limit('pattern')}")
    return ", ".join([plain, *limits])


def _list_in_words(allowed: Allowed, arguments: Sequence[Any]) -> str:
    if get_origin(allowed.annotation) is tuple and arguments and arguments[-1] is not Ellipsis:
        return f"a list of {len(arguments)}, each {describe(_allowed(arguments[0]))}"
    some = "a list that is not empty" if allowed.limit("min_length") else "a list"
    return f"{some}, each entry {describe(_allowed(arguments[0]))}" if arguments else some


def _keys(model: type[BaseModel]) -> Iterator[str]:
    return (name for name, field in model.model_fields.items() if not field.exclude)


def example(allowed: Allowed, key: str = "") -> Any:
    """A value that is allowed."""
    if {one.annotation for one in allowed.branches} == SCALARS:
        return allowed.examples[0] if allowed.examples else 4
    one = allowed.branches[0]
    examples = allowed.examples or one.examples
    if examples:
        return examples[0]
    if allowed.default is not None and allowed.default != "" and isinstance(allowed.default, str | int | float):
        return allowed.default.value if isinstance(allowed.default, Enum) else allowed.default
    if one.model is not None:
        required = {name: field for name, field in one.model.model_fields.items() if field.is_required() and not field.exclude}
        return {name: example(of_field(field), name) for name, field in required.items()}
    kind, origin, arguments = one.annotation, get_origin(one.annotation), get_args(one.annotation)
    if origin is Literal:
        return arguments[0]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind)).value
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        return [example(_allowed(part)) for part in arguments]
    if origin in (list, tuple):
        return [example(_allowed(arguments[0]))] * max(1, one.limit("min_length") or 1) if arguments else []
    if origin is dict:
        return {example(_key_of(one)): example(_allowed(arguments[1]))}
    if kind in (int, float):
        return _number(one, kind)
    return {bool: True, str: key or "text"}.get(kind, "text")


def _number(allowed: Allowed, kind: type) -> int | float:
    least, above, most, below = (allowed.limit(name) for name in ("ge", "gt", "le", "lt"))
    value = next((one for one in (least, None if above is None else above + 1) if one is not None), 1)
    value = max(value, 1) if most is None or most >= 1 else value
    if (most is not None and value > most) or (below is not None and value >= below):
        value = most if most is not None else (below + (least or above or 0)) / 2
    return int(value) if kind is int or float(value).is_integer() else float(value)


def _plain(limit: Any) -> str:
    return f"{limit:,}".replace(",", "") if isinstance(limit, int) else f"{limit:g}"
