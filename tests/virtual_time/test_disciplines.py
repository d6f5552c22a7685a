"""Queue disciplines with the kernel's TCP: they keep the queue near their targets, and round robin divides the link by weights."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import testbed
from bench.validation import disciplines
from tests.harness.long_tests import only_long
from tests.harness.switches import REPOSITORY
from tests.virtual_time.inside import needs_virtual_time

pytestmark = [needs_virtual_time, pytest.mark.timeout(300)]

RATE_MBPS = 10
SCENARIO = """
schema = 2
title = "A queue discipline"
packet_bytes = 1500
{program}

[topology]
kind = "dumbbell"
pairs = 2
access = {{ rate_mbps = 100, delay_ms = 5 }}
bottleneck = {{ rate_mbps = 10, delay_ms = 10, queue_packets = 1000, discipline = "{discipline}" }}

[[transmissions]]
name = "A"
sender = "h1"
receiver = "h3"

[[transmissions]]
name = "B"
sender = "h2"
receiver = "h4"

[run]
schemes = ["{scheme}"]
duration_s = 8
measure_from_s = 3
"""

TWO_QUEUES = f"""
#include <core.p4>
#include <v1model.p4>
#include "{REPOSITORY}/p4src/forwarding.p4"

struct traffic_manager_t {{ bit<16> queue; }}
struct metadata_t {{ traffic_manager_t traffic_manager; }}

#include "{REPOSITORY}/p4src/router.p4"

control ByHost(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {{
    Forwarding() forwarding;
    bit<1> is_routed;
    apply {{
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        meta.traffic_manager.queue = (bit<16>) hdr.ipv4.source[1:1];  // 1 for h2, at 10.0.0.2
    }}
}}
control Nothing(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {{ apply {{ }} }}
V1Switch(RouterParser(), RouterVerifyChecksum(), ByHost(), Nothing(), RouterComputeChecksum(), RouterDeparser()) main;
"""


def run(folder: Path, discipline: str, program: str = "", scheme: str = "cubic") -> dict[str, float | None]:
    """The values of a run, whose files are below the folder."""
    (file := folder / "scenario.toml").write_text(SCENARIO.format(discipline=discipline, program=program, scheme=scheme))
    (record,) = testbed.run(file, time="virtual", folder=folder / "results").records
    return record.values


def queueing_ms(folder: Path) -> list[float]:
    """The bottleneck's queue in each sample after a third of the run, as time at its rate; ascending."""
    (ports,) = folder.rglob("ports.csv")
    rows = [row for row in csv.DictReader(ports.open()) if (row["switch"], row["port"], row["direction"]) == ("s1", "3", "egress")]
    return sorted(int(row["queue_bytes"]) * 8 / RATE_MBPS / 1000 for row in rows[len(rows) // 3 :])


@pytest.mark.parametrize(
    ("discipline", "target_ms"),
    [
        ("fq_codel", 5),
        *(
            pytest.param(discipline, target_ms, marks=only_long)
            for discipline, target_ms in [("codel(target_ms=20)", 20), ("pie", 15), ("dualpi2(scheduler='round_robin')", 15)]
        ),
    ],
)
def test_a_discipline_keeps_the_queue_near_its_target(tmp_path: Path, discipline: str, target_ms: int) -> None:
    values = run(tmp_path, discipline)
    queue = queueing_ms(tmp_path)
    assert target_ms / 2 < sum(queue) / len(queue) < 1.5 * target_ms
    assert (values["queue_drops"] or 0) > 10  # none of them for want of room
    assert values["queue_marks"] == 0
    assert (values["total_mbps"] or 0) > 9.1


@only_long
def test_marks_are_counted_apart(tmp_path: Path) -> None:
    values = run(tmp_path, "codel(ecn=true)", scheme="dctcp")
    assert (values["queue_marks"] or 0) > 10
    assert values["queue_drops"] == 0


def test_nodectl_negotiates_beside_a_discipline(tmp_path: Path) -> None:
    """Its program has the discipline in it, and its rates are as without."""
    values = run(tmp_path, "fq_codel", scheme="nodectl")
    assert values["mean_mbps.A"] == pytest.approx(values["mean_mbps.B"], rel=0.001)
    assert (values["total_mbps"] or 0) > 9.5
    assert queueing_ms(tmp_path)[-1] < 10


@only_long
def test_a_discipline_drops_and_waits_as_linuxs_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench of docs/disciplines.md, in short."""
    monkeypatch.setattr(disciplines, "SECONDS", 14.0)
    monkeypatch.setattr(disciplines, "MEASURED_FROM_S", 4.0)
    setting = disciplines.Setting("pie", rtt_ms=20, connections=10)
    switch = disciplines.through_switch(setting, tmp_path / "switch")
    router = disciplines.through_router(setting, tmp_path / "router")
    assert switch.mean_ms == pytest.approx(router.mean_ms, rel=0.1)
    assert switch.dropped_percent == pytest.approx(router.dropped_percent, rel=0.1)
    assert switch.dropped_percent > 3


@only_long
def test_without_it_the_queue_is_as_long_as_it_may_be(tmp_path: Path) -> None:
    run(tmp_path, "drop_tail")
    assert queueing_ms(tmp_path)[-1] > 1000


def test_round_robin_divides_by_weights(tmp_path: Path) -> None:
    (tmp_path / "two.p4").write_text(TWO_QUEUES)
    values = run(tmp_path, "drr(queues=2, weights=[1, 3])", 'p4 = "two.p4"\ntestbed_routes = true')
    first, second = values["mean_mbps.A"], values["mean_mbps.B"]
    assert first is not None
    assert second is not None
    assert first + second > 9.4
    assert second / first == pytest.approx(3, rel=0.02)
