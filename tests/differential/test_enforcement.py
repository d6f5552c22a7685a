"""Enforcement, classes and opening connections: segments and messages of hosts through the compiled P4 program and its model."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.codes import MessageType
from protocol.deployable_headers import MessageExtension
from protocol.frames import TCP_SYN
from protocol.headers import TransmissionId
from protocol.model.enforcement_model import DSCP_NEGOTIATED, DSCP_OPENING, DSCP_OTHERS, LONGEST_ANSWER, LONGEST_OPENING, Flow
from protocol.variant import DEPLOYABLE
from protocol.wire_v2 import ExtendedNegotiation
from tests.conftest import NewSwitch
from tests.differential.test_against_model import Step
from tests.harness.long_tests import examples
from tests.harness.nodectl_switch import PORTS, TCP_ACK, Twin, host_ip

HOSTS = st.sampled_from([host_ip(port, 1) for port in (1, 1, 4)])
RECEIVERS = st.sampled_from([host_ip(port, 1) for port in (2, 3)])
CONNECTION_PORT = st.sampled_from([5000, 5001])
SIZES = st.one_of(
    st.sampled_from([60, 74, LONGEST_OPENING, LONGEST_OPENING + 1, LONGEST_ANSWER, LONGEST_ANSWER + 1]), st.integers(60, 9000)
)
TCP_FLAGS = st.one_of(st.sampled_from([0, TCP_ACK, TCP_SYN, TCP_SYN | TCP_ACK]), st.integers(0, 255))
WAITS_US = st.sampled_from([0, 1, 100, 3_000, 50_000, 300_000, 2**20])


@st.composite
def segments(draw: st.DrawFn) -> Step:
    """A burst of one connection's, or of answers to it; now and then from another port than its record's."""
    sender_ip, receiver_ip = draw(HOSTS), draw(RECEIVERS)
    source_port, destination_port = draw(CONNECTION_PORT), draw(CONNECTION_PORT)
    ingress_port = draw(st.sampled_from([sender_ip >> 8 & 0xFF, sender_ip >> 8 & 0xFF, 1]))
    flow = Flow(sender_ip, receiver_ip, source_port, destination_port, receiver_ip >> 8 & 0xFF)
    if draw(st.booleans()):
        flow = Flow(receiver_ip, sender_ip, destination_port, source_port, sender_ip >> 8 & 0xFF)
        ingress_port = receiver_ip >> 8 & 0xFF
    size, flags, dscp = draw(SIZES), draw(TCP_FLAGS), draw(st.sampled_from([DSCP_OTHERS, DSCP_NEGOTIATED, DSCP_OPENING, 63]))
    count, apart_us = draw(st.sampled_from([1, 1, 5, 100, 400])), draw(WAITS_US)

    def step(twin: Twin) -> None:
        for _ in range(count):
            twin.data(flow, size, ingress_port, flags, dscp)
            twin.wait(apart_us // count)
        twin.wait(apart_us)

    return step


@st.composite
def negotiations(draw: st.DrawFn) -> Step:
    """A sender is challenged, asks with its token, and is answered; or it sends so many requests that some are dropped."""
    sender_ip, receiver_ip = draw(HOSTS), draw(RECEIVERS)
    max_kbps = draw(st.sampled_from([100, 5_000, 200_000]))
    ports = draw(CONNECTION_PORT), draw(CONNECTION_PORT)
    count = draw(st.sampled_from([1, 1, 400]))

    def step(twin: Twin) -> None:
        model = twin.model
        assert model.reserving is not None
        who = TransmissionId(sender_ip << 32 | receiver_ip, ports[0] << 16 | ports[1])
        for _ in range(count):
            known = [model.reserving.reserves[slot].sequence for slot, record in model.records.items() if record.id == who]
            extension = MessageExtension(
                sequence=max(known, default=0) + 1,
                granted_kbps=max_kbps,
                source_port=ports[0],
                destination_port=ports[1],
                token=model.reserving.token_of(sender_ip),
            )
            request = ExtendedNegotiation(MessageType.REQUEST, who, max_kbps, 0, 20_000, extension=extension)
            reaction = twin.message(request, sender_ip, receiver_ip)
        answer = reaction.message if reaction is not None and not reaction.is_turned_round else None
        if isinstance(answer, ExtendedNegotiation):
            success = ExtendedNegotiation(
                MessageType.SUCCESS, who, answer.max_kbps, answer.min_kbps, answer.rtt_us, flags=answer.flags, extension=answer.extension
            )
            twin.message(success, sender_ip, receiver_ip)

    return step


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(st.one_of(segments(), segments(), negotiations()), min_size=1, max_size=25))
def test_switch_and_model_agree(new_deployable_switch: NewSwitch, steps: list[Step]) -> None:
    switch = new_deployable_switch()
    if switch.is_real_time:
        pytest.skip("meters go by the times of single packets, which BMv2 does not tell")
    twin = Twin(switch, DEPLOYABLE, host_ports=PORTS)
    for step in steps:
        step(twin)
    twin.check_state()
