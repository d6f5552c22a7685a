"""Which schemes a run compares: other ones than the scenario's, unknown ones, and those a machine cannot have."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from experiments.scenario_run import ScenarioResult, _skip_missing, wanted_schemes
from experiments.schemes import check_schemes, with_schemes
from experiments.throughput_table import markdown_table
from rich.console import Console

from hosts.cca import loader
from protocol.errors import UserError
from scenario.file import Scenario, load_scenario
from topo import testbed as testbed_module
from topo.preflight import PROJECT


@pytest.fixture
def scenario() -> Scenario:
    return load_scenario(PROJECT / "experiments" / "scenarios" / "staggered.toml")


def test_other_schemes_than_the_scenarios(scenario: Scenario) -> None:
    assert with_schemes(scenario, "") == scenario
    assert with_schemes(scenario, "mine, cubic bbr").run.schemes == ["mine", "cubic", "bbr"]
    for wrong in ("no-such-name!", "cubic,cubic"):
        with pytest.raises(UserError, match="are no names of schemes"):
            with_schemes(scenario, wrong)


def test_an_unknown_scheme_is_told_at_once(scenario: Scenario) -> None:
    with pytest.raises(UserError, match=r"(?s)there is no scheme cubik\b.*nodectl"):
        check_schemes(with_schemes(scenario, "nodectl,cubik"))


def test_whether_anything_is_left_without_bpf(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.schemes.loader.usable_names", lambda: ["reno", "cubic", "vegas"])
    assert not check_schemes(with_schemes(scenario, "nodectl,cubic"))
    assert not check_schemes(with_schemes(scenario, "vegas"))
    assert check_schemes(with_schemes(scenario, "nodectl,bic"))


def test_a_run_goes_on_without_what_the_machine_cannot_have(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loader, "explain_missing_support", lambda: "this kernel has no BTF")
    monkeypatch.setattr(loader, "usable_names", lambda: ["reno", "cubic", "bbr"])
    testbed = testbed_module.Testbed(cast(Any, None), testbed_module.TestbedOptions(tmp_path, {}, ("nodectl",)))
    testbed.janitor = cast(Any, SimpleNamespace(watch_congestion_control=lambda _name: None))
    testbed._register_congestion_controls(cast(Any, None))
    result = ScenarioResult(scenario, tmp_path, [], [], {})
    _skip_missing(testbed, result, Console(width=120))
    assert wanted_schemes(result) == ["reno", "cubic", "bbr"]
    assert "nodectl is left out: this kernel has no BTF" in capsys.readouterr().out
    table = markdown_table(result)
    assert "| nodectl | left out | left out | left out |" in table
    assert "- nodectl: left out: this kernel has no BTF" in table
    nothing = ScenarioResult(with_schemes(scenario, "nodectl"), tmp_path, [], [], {})
    with pytest.raises(UserError, match="none of the scenario's schemes can be had"):
        _skip_missing(testbed, nothing, Console(quiet=True))
