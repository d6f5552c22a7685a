"""Which schemes a run compares: other ones than the scenario's, unknown ones, those of single transmissions."""

from __future__ import annotations

import pytest

from common.errors import UserError
from common.installation import PROJECT
from engine.plan.schemes import check_schemes, p4_source_of, schemes_of, with_schemes
from hosts.cca import loader
from hosts.cca.needs import Needs
from hosts.cca.scheme_names import Scheme, parse_scheme
from scenario.scenario import Scenario
from tests.harness.scenario_file import load_scenario
from topo.toolchain import SOURCE


@pytest.fixture
def scenario() -> Scenario:
    return load_scenario(PROJECT / "scenario" / "examples" / "staggered.toml")


def test_other_schemes_than_the_scenarios(scenario: Scenario) -> None:
    assert with_schemes(scenario, "") == scenario
    assert with_schemes(scenario, "nodectl, cubic bbr").run.schemes == ["nodectl", "cubic", "bbr"]
    assert with_schemes(scenario, "qtcolfair(alpha=1.2),linux:vegas").run.schemes == ["qtcolfair(alpha=1.2)", "linux:vegas"]
    for wrong in ("no-such-name!", "cubic,cubic"):
        with pytest.raises(UserError, match="are no names of schemes"):
            with_schemes(scenario, wrong)


def test_an_unknown_scheme_is_told_at_once(scenario: Scenario) -> None:
    with pytest.raises(UserError, match=r"(?s)there is no scheme cubik\b.*nodectl"):
        schemes_of(with_schemes(scenario, "nodectl,cubik"))
    with pytest.raises(UserError, match="this kernel has no scheme tahoe"):
        check_schemes(schemes_of(with_schemes(scenario, "linux:tahoe")))


def test_a_transmission_may_have_a_scheme_of_its_own(scenario: Scenario) -> None:
    first, *others = scenario.transmissions
    mixed = scenario.model_copy(update={"transmissions": [first.model_copy(update={"scheme": "cubic"}), *others]})
    assert [one.text for one in schemes_of(with_schemes(mixed, "nodectl,reno"))] == ["nodectl", "reno", "cubic"]


def test_whether_anything_is_left_without_bpf(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "can_be_chosen", lambda scheme: str(scheme) in ("reno", "cubic", "linux:vegas"))
    assert not check_schemes(schemes_of(with_schemes(scenario, "nodectl,cubic")))
    assert not check_schemes(schemes_of(with_schemes(scenario, "linux:vegas")))
    assert check_schemes(schemes_of(with_schemes(scenario, "nodectl,bic")))


def test_a_scheme_may_bring_the_program_of_the_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    assert p4_source_of([parse_scheme("cubic"), parse_scheme("nodectl")]) == SOURCE
    assert p4_source_of([parse_scheme("dctcp")]) == PROJECT / "p4src" / "ecn.p4"
    with pytest.raises(UserError, match="dctcp and rcp cannot be used in one run"):
        p4_source_of([parse_scheme("dctcp"), parse_scheme("rcp")])
    monkeypatch.setattr(Scheme, "needs", property(lambda _: Needs(p4_program="/nowhere/own.p4")))
    with pytest.raises(UserError, match=r"scheme bic: there is no P4 program /nowhere/own\.p4, which `p4_program` of bic\.toml names"):
        p4_source_of([parse_scheme("bic")])
