"""Queue disciplines of links, as a scenario names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.data_plane import prepare_data_plane
from engine.plan.disciplines import check_switch_has_disciplines
from engine.plan.schemes import schemes_of
from scenario.discipline import Codel, Discipline, Drr, Pifo, Wrr, parse_discipline
from scenario.links import LinkParameters
from scenario.scenario import Scenario
from topo.link_fields import link_fields
from topo.toolchain import SOURCE, Toolchain

CODEL = SOURCE.with_name("codel.p4")


@pytest.mark.parametrize(
    ("text", "discipline"),
    [
        ("drop_tail", Discipline()),
        ("codel", Codel()),
        ("codel()", Codel()),
        (" codel(target_ms=0.5, ecn=true) ", Codel(target_ms=0.5, ecn=True)),
        ("drr(queues=4, weights=[3, 1])", Drr(queues=4, weights=(3, 1))),
        ("wrr(weights=[2, 1])", Wrr(weights=(2, 1))),
        ("pifo(queues=2)", Pifo(queues=2)),
    ],
)
def test_a_text_is_a_discipline(text: str, discipline: Discipline) -> None:
    assert parse_discipline(text) == discipline


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fq", "there is no discipline fq; there are drop_tail, codel, drr, wrr, pifo"),
        ("codel(5)", r"'codel\(5\)' is no discipline: write a name, and its parameters as in codel\(target_ms=5, ecn=true\)"),
        ("codel(target_ms=1+1)", "is no discipline: write a name"),
        ("__import__('os')", "is no discipline: write a name"),
        ("", "is no discipline: write a name"),
        ("codel(target=5)", "codel has no parameter target; it has target_ms, interval_ms, ecn"),
        ("drop_tail(limit=3)", "drop_tail has no parameter limit; it has none"),
        ("codel(target_ms=0)", "codel: target_ms: .*greater than 0"),
        ("wrr", "wrr: weights: Field required"),
        ("wrr(weights=[1, 0])", "wrr: weights.1: .*greater than or equal to 1"),
    ],
)
def test_a_text_that_is_none(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        LinkParameters(rate_mbps=1, discipline=text)


def test_schedulers_are_in_the_links_description() -> None:
    fields = link_fields(LinkParameters(rate_mbps=1, discipline="drr(queues=2, new_first=true)"))
    assert fields["scheduler"] == {"drr": {"queues": 2, "quantum_bytes": 1514, "weights": [], "new_first": True}}
    assert "scheduler" not in link_fields(LinkParameters(rate_mbps=1, discipline="codel"))
    with pytest.raises(ValueError, match="it has queues of its own, so the link has no priorities"):
        LinkParameters(rate_mbps=1, discipline="wrr(weights=[1])", priorities=2)


def scenario(discipline: str, *schemes: str, access: str = "drop_tail", p4: Path | None = None) -> Scenario:
    link = {"rate_mbps": 10, "discipline": discipline}
    return Scenario.model_validate(
        {
            "title": "a queue discipline",
            "packet_bytes": 1500,
            "topology": {"kind": "dumbbell", "pairs": 1, "access": {"rate_mbps": 100, "discipline": access}, "bottleneck": link},
            "transmissions": [{"name": "A", "sender": "h1", "receiver": "h2"}],
            "run": {"schemes": list(schemes), "duration_s": 1},
            **({} if p4 is None else {"p4": p4}),
        }
    )


def test_a_discipline_chooses_the_program_and_manages_its_ports() -> None:
    plane = prepare_data_plane(scenario("codel(target_ms=2)", "cubic"), Toolchain())
    assert {pipeline.source for pipeline in plane.plane.switches.values()} == {"p4src/codel.p4"}
    assert all(pipeline.routes for pipeline in plane.plane.switches.values())
    updates = [content for name, content in plane.files.items() if name.endswith("updates.json")]
    assert len(updates) == 2  # of both switches: the bottleneck has two directions
    assert scenario("drop_tail", "cubic").common_p4 is None


@pytest.mark.parametrize("scheme", ["nodectl", "rcp"])
def test_a_scheme_with_a_program_of_its_own_is_refused(scheme: str) -> None:
    with pytest.raises(
        UserError, match=f"scheme {scheme} needs switches that run p4src/.*, and discipline codel of a link has a P4 program"
    ):
        schemes_of(scenario("codel", scheme))


def test_a_scheme_that_follows_marks_takes_those_of_the_discipline() -> None:
    assert [scheme.name for scheme in schemes_of(scenario("codel(ecn=true)", "dctcp"))] == ["dctcp"]


def test_a_program_without_the_table_is_refused() -> None:
    with pytest.raises(UserError, match=r"has discipline codel, but p4src/ecn.p4 has no table managed_ports"):
        prepare_data_plane(scenario("codel", "cubic", p4=SOURCE.with_name("ecn.p4")), Toolchain())


def test_bmv2_has_drop_tail_alone() -> None:
    bmv2 = Toolchain(bmv2=Path("simple_switch_grpc"))
    check_switch_has_disciplines(scenario("drop_tail", "cubic"), bmv2)
    with pytest.raises(UserError, match=r"a link has discipline wrr\(weights=\[1\]\), and BMv2's queues have none but drop_tail"):
        check_switch_has_disciplines(scenario("wrr(weights=[1])", "cubic"), bmv2)


def test_an_access_links_discipline_is_that_of_the_switch() -> None:
    at_hosts = scenario("drop_tail", "cubic", access="codel")
    assert at_hosts.discipline_programs == {CODEL: "codel"}
