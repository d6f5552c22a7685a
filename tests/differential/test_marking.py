"""ecn.p4 against its rule: a packet of a sender that knows of ECN is marked if more than K packets wait when it comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

from tests.harness.nodectl_switch import neighbour_mac, switch_mac
from tests.harness.switches import COMPILERS, REPOSITORY, Combination, EmbeddedSwitch, compile_program, require

SOURCE = REPOSITORY / "p4src" / "ecn.p4"
K = int(re.search(r"#define MARKING_THRESHOLD (\d+)", SOURCE.read_text())[1])  # type: ignore[index]
NOT_ECT, CE = 0, 3
PORT = 2


@pytest.fixture(scope="module", params=COMPILERS)
def switch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSwitch]:
    """The embedded switch with a route to port 2: only in it a test can say what a queue is like."""
    require(Combination(request.param, "embedded"))
    folder: Path = tmp_path_factory.mktemp("marking")
    started = EmbeddedSwitch(compile_program(SOURCE, folder, request.param))
    match = [{"lpm": ["0a000200", 24]}]
    macs = [int(mac.replace(":", ""), 16) for mac in (switch_mac(PORT), neighbour_mac(PORT))]
    started.add_entry("ipv4_lpm", match, "forward", [PORT, *macs])
    yield started
    started.close()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ecn=st.integers(0, 3), dscp=st.integers(0, 63), before=st.integers(0, 2 * K), behind=st.integers(0, 2 * K))
@example(ecn=2, dscp=46, before=K, behind=0)
@example(ecn=2, dscp=46, before=K + 1, behind=0)
@example(ecn=0, dscp=0, before=2**19 - 1, behind=0)
def test_marks(switch: EmbeddedSwitch, ecn: int, dscp: int, before: int, behind: int) -> None:
    sent = Ether(src=neighbour_mac(1), dst=switch_mac(1)) / IP(src="10.0.1.1", dst="10.0.2.1", tos=dscp << 2 | ecn) / b"payload"
    counted = switch.counter("EcnEgress.marked", PORT)
    out = switch.send(1, bytes(sent), 0, enq_qdepth=before, deq_qdepth=behind)
    is_marked = ecn != NOT_ECT and before > K
    expected = Ether(src=switch_mac(PORT), dst=neighbour_mac(PORT)) / sent[IP].copy()
    expected[IP].ttl, expected[IP].tos, expected[IP].chksum = 63, dscp << 2 | (CE if is_marked else ecn), None
    assert out == {PORT: [bytes(expected)]}
    assert switch.counter("EcnEgress.marked", PORT) - counted == is_marked
