"""For every mistake in a TOML file of the testbed, the message says file, table, key, the allowed values or keys, and an example."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from hosts.cca.needs import Needs
from labs.catalogue import Declaration, _WrongAnswers
from reports.definition import ReportDefinition
from reports.paper import Paper
from scenario.scenario import Scenario
from scenario.schema_errors import example, problems, schema_errors
from scenario.schema_errors import of_field as allowed_of

ROOTS: tuple[type[BaseModel], ...] = (Scenario, ReportDefinition, Paper, Declaration, _WrongAnswers, Needs)
FILE = Path("wrong.toml")
WRONG_VALUES: tuple[Any, ...] = ({"a": {"b": []}}, [[[1]]], "not so; {}", -1, -1.5, 1e12, "", [], True)
PARTS = re.compile(r"wrong\.toml: (top of the file|table \[.+?)(, key `([^`]+)`)?(, entry \d+)?: .+")
SAYS_WHAT = re.compile(r"it takes |it must be one of |the keys here: ")
EXAMPLE = re.compile(r"; for example: (.+)$", re.DOTALL)


def models(roots: tuple[type[BaseModel], ...] = ROOTS) -> list[type[BaseModel]]:
    """All tables that files can have."""
    found: dict[type[BaseModel], None] = {}
    waiting = list(roots)
    while waiting:
        model = waiting.pop(0)
        if model not in found:
            found[model] = None
            waiting += [part for field in model.model_fields.values() for part in _models_in(field.annotation)]
    return list(found)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def smallest(model: type[BaseModel]) -> dict[str, Any]:
    """The required keys, with their examples."""
    return {
        name: FILE if field.exclude else example(allowed_of(field), name)
        for name, field in model.model_fields.items()
        if field.is_required()
    }


def told(model: type[BaseModel], content: dict[str, Any]) -> list[str]:
    """The messages; none if it is right."""
    try:
        model.model_validate(deepcopy(content))
    except ValidationError as error:
        return schema_errors(FILE, error, model)
    return []


def schema_problems(model: type[BaseModel], content: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Places of the mistakes, but for contradictions between keys."""
    try:
        model.model_validate(deepcopy(content))
    except ValidationError as error:
        return [one.place for one in problems(error, model) if one.error["type"] != "value_error"]
    return []


def wrong_inputs(model: type[BaseModel]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A key and a content in which it is wrong: a value of each wrong kind, missing, unknown."""
    base = smallest(model)
    for name, field in model.model_fields.items():
        if field.exclude:
            continue
        for value in WRONG_VALUES:
            if (name,) in {place[:1] for place in schema_problems(model, base | {name: value})}:
                yield name, base | {name: value}
        if field.is_required():
            yield name, {key: value for key, value in base.items() if key != name}
        yield f"{name}x", base | {f"{name}x": 1}
    yield "zzz", base | {"zzz": 1}


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_every_wrong_key_is_told_with_what_is_allowed_and_an_example(model: type[BaseModel]) -> None:
    count = 0
    for key, content in wrong_inputs(model):
        lines = [line for line in told(model, content) if f"`{key}" in line or f"[{key}" in line]
        assert lines, (key, content, told(model, content))
        for line in lines:
            assert PARTS.fullmatch(line), line
            assert SAYS_WHAT.search(line), line
            found = EXAMPLE.search(line)
            assert found, line
            assert "Input should be" not in line
            assert "function-" not in line
            _assert_is_toml(found[1])
            count += 1
    assert count >= len(model.model_fields)


def _assert_is_toml(shown: str) -> None:
    tomllib.loads(shown if re.match(r"[\w.-]+ = ", shown) else f"example = {shown}")


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_what_is_given_as_an_example_is_allowed(model: type[BaseModel]) -> None:
    base = smallest(model)
    for name, field in model.model_fields.items():
        if not field.exclude:
            value = example(allowed_of(field), name)
            assert not [place for place in schema_problems(model, base | {name: value}) if place[:1] == (name,)], (name, value)


def test_how_many_wrong_inputs_there_are() -> None:
    assert sum(1 for model in models() for _ in wrong_inputs(model)) > 1500
