"""Queue disciplines of links, as a scenario names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from engine.plan.disciplines import check_switch_has_disciplines
from engine.plan.prepare_data_plane import prepare_data_plane
from engine.plan.queue_programs import with_queues
from engine.plan.schemes import schemes_of, variant_of, with_variant
from scenario.disciplines.base import Discipline
from scenario.disciplines.codel import Codel, FqCodel
from scenario.disciplines.dualpi2 import Dualpi2
from scenario.disciplines.parsing import parse_discipline
from scenario.disciplines.pie import Pie
from scenario.disciplines.red import Red
from scenario.disciplines.schedulers import Drr, Pifo, Wrr
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
        ("fq_codel(queues=16, ecn=true)", FqCodel(queues=16, ecn=True)),
        ("red(min_packets=3)", Red(min_packets=3)),
        ("pie(target_ms=20)", Pie(target_ms=20)),
        ("dualpi2(scheduler='round_robin')", Dualpi2(scheduler="round_robin")),
        ("wrr(weights=[2, 1])", Wrr(weights=(2, 1))),
        ("pifo(queues=2)", Pifo(queues=2)),
    ],
)
def test_a_text_is_a_discipline(text: str, discipline: Discipline) -> None:
    assert parse_discipline(text) == discipline


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fq", "there is no discipline fq; there are drop_tail, red, codel, pie, fq_codel, dualpi2, drr, wrr, pifo"),
        ("codel(5)", r"'codel\(5\)' is no discipline: write a name, and its parameters as in codel\(target_ms=5, ecn=true\)"),
        ("codel(target_ms=1+1)", "is no discipline: write a name"),
        ("__import__('os')", "is no discipline: write a name"),
        ("", "is no discipline: write a name"),
        ("codel(target=5)", "codel has no parameter target; it has target_ms, interval_ms, ecn"),
        ("drop_tail(limit=3)", "drop_tail has no parameter limit; it has none"),
        ("codel(target_ms=0)", "codel: target_ms: .*greater than 0"),
        ("red(min_packets=20)", r"red: .*min_packets \(20\) has to be less than max_packets \(15\)"),
        ("dualpi2(min_threshold_us=2000)", r"dualpi2: .*min_threshold_us \(2000.0\) is above max_threshold_us"),
        ("dualpi2(scheduler='fifo')", "dualpi2: scheduler: Input should be 'time_shift' or 'round_robin'"),
        ("fq_codel(queues=2000)", "fq_codel: queues: .*less than or equal to 1024"),
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
    shared = link_fields(LinkParameters(rate_mbps=1, queue_packets=300, discipline="fq_codel"))
    assert (shared["queue"], shared["shared_queue"]) == (None, {"packets": 300, "drops": "longest"})
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


@pytest.mark.parametrize(
    ("scheme", "program"),
    [
        ("nodectl", "nodectl.p4"),
        ("nodectl(variant=deployable)", "nodectl_deployable.p4"),
        ("rcp", "rcp.p4"),
        ("cubic", None),
        ("dctcp", None),
    ],
)
def test_a_scheme_with_a_program_of_its_own_has_the_queues_in_it(scheme: str, program: str | None) -> None:
    """The data plane fits, too: its table of managed ports is there."""
    plain = scenario("fq_codel", scheme)
    queued = with_queues(with_variant(plain, variant_of(scheme)), scheme)
    assert queued.p4 == (None if program is None else SOURCE.with_name(program))
    (pipeline,) = set(prepare_data_plane(queued, Toolchain()).plane.switches["s1"].source.split())
    assert pipeline == f"p4src/{program or 'fq_codel.p4'}"
    assert prepare_data_plane(queued, Toolchain()).plane.switches["s1"].routes


def test_one_discipline_alone_in_a_program() -> None:
    with pytest.raises(UserError, match="links have the disciplines pie and codel: each has a P4 program of its own"):
        schemes_of(scenario("codel", "cubic", access="pie"))


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


@pytest.mark.parametrize(
    ("text", "draws"),
    [
        ("drop_tail", False), ("red", True), ("codel", False), ("pie", True), ("fq_codel", True), ("dualpi2", False),
        ("dualpi2(marks='random')", True), ("drr", False),
    ],
)  # fmt: skip
def test_the_entries_tell_whether_a_seed_changes_decisions(text: str, draws: bool) -> None:
    assert parse_discipline(text).draws is draws
