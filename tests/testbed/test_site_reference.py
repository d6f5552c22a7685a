"""The reference of the site names every key and every command, each with its meaning, and its examples are taken."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from typer.main import get_command

import testbed
from scenario.file import REPORT_KEYS
from scenario.scenario import Scenario
from scenario.schema_errors import example, of_field
from scenario.topologies import KINDS
from testbed.command_line.app import app
from testbed.site.command_reference import command_page, targets
from testbed.site.generated import python_page
from testbed.site.scenario_reference import keys, meaning, parts, scenario_page, unit

PAGE = scenario_page()
KEYS = [(part.model, name, field) for part in parts() for name, field in keys(part.model).items()]


def test_every_part_of_a_scenario_is_there() -> None:
    found = {part.model for part in parts()}
    assert found >= {Scenario, *KINDS.values()}
    assert {"Link", "BurstLoss", "TraceStep", "Workload", "WebSize", "Program", "SwitchProgram", "OwnController"} <= {
        model.__name__ for model in found
    }
    assert len(KEYS) > 120


@pytest.mark.parametrize(
    ("model", "name", "field"), KEYS, ids=lambda one: getattr(one, "__name__", str(one)) if not isinstance(one, FieldInfo) else ""
)
def test_a_key_has_a_row_a_meaning_and_an_example_that_is_taken(model: type[BaseModel], name: str, field: FieldInfo) -> None:
    assert f"| `{name}` | " in PAGE
    assert name == "kind" or meaning(model, name), f"{model.__name__}.{name} has no text below it that says what it is"
    wanted: Any = Annotated[field.annotation, field]
    TypeAdapter(wanted).validate_python(example(of_field(field), name))


def test_keys_that_are_read_before_the_models_are_named() -> None:
    for name in ("schema", "base", "grid", "quick", "full", "sizes", *REPORT_KEYS):
        assert name in PAGE


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("rate_mbps", "Mbit/s"),
        ("delay_ms", "ms"),
        ("jitter_us", "µs"),
        ("start_s", "s"),
        ("per_s", "1/s"),
        ("queue_bytes", "bytes"),
        ("name", ""),
    ],
)
def test_the_end_of_a_key_is_its_unit(key: str, words: str) -> None:
    assert unit(key) == words


def test_every_command_and_option_is_named() -> None:
    page = command_page()
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"\n## {name}\n" in page
        for one in command.params:
            if one.param_type_name == "option":
                assert all(f"`{spelling}`" in page for spelling in [*one.opts, *one.secondary_opts])
    assert {"run", "docs", "test"} <= {name for name, _ in targets()}
    assert "`make docs`" in page


def test_every_public_name_is_described() -> None:
    assert all(f"\n::: testbed.{name}\n" in python_page() for name in testbed.__all__)
