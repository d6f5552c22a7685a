"""CAPTURE=: a run's frames in a file that Wireshark reads, and the same run as without."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from common.errors import UserError
from engine.collect.record import SAMPLES, CellRecord
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from protocol.codes import EventType, MessageType
from protocol.constants import VERSION
from protocol.deployable_headers import EXTENDED_FRAME_BYTES, VERSION_2, DeployableEvent, MessageExtension
from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES
from protocol.headers import FRAME_BYTES, Event, MessageHeader
from protocol.layout import Header, layout_of
from protocol.wire import Adjustment
from protocol.wire_v2 import decode
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest
from tests.harness.long_tests import only_long
from tests.harness.scenario_file import load_scenario
from tests.view.wireshark.conftest import Tshark, number, numbers
from tests.virtual_time.identity import SCENARIO
from topo.frame_capture import ALL, FILE, SNAP_BYTES, check_capture, frames_fields
from topo.layout import plan_network
from virtual_time.session import explain_missing

CAPTURED = (ALL, "h1-s1", "h3-s2")
BOTTLENECK_DELAY_S = 0.005
BOTTLENECK_BPS = 10e6
FIELDS = ("frame.interface_name", "frame.packet_flags_direction", "frame.time_epoch", "frame.len", "frame.cap_len", "ip.id", "ip.src")
IN, OUT = 1, 2
LONGEST_TCP_HEADER_BYTES = 60


@dataclass(frozen=True)
class Frame:
    interface: str
    direction: int
    time_s: float
    length: int
    kept: int
    packet: tuple[str, str]
    """Address of the sender and IPv4 identification."""


@dataclass(frozen=True)
class Measured:
    record: CellRecord
    folder: Path

    @property
    def capture(self) -> Path:
        return next(self.folder.glob(f"logs/*/{FILE}"))

    def link_delay_s(self, name: str) -> float:
        network = json.loads(next(self.folder.glob("logs/*/switch-network.json")).read_text())
        (port,) = (port for switch in network["switches"] for port in switch["ports"] if port["name"] == name)
        return float(port["egress"]["delay_us"]) / 1e6

    def ports(self) -> list[dict[str, str]]:
        with next(self.folder.glob("logs/*/ports.csv")).open() as stream:
            return list(csv.DictReader(stream))


def measured(folder: Path, capture: tuple[str, ...], schemes: str = "nodectl") -> Measured:
    if missing := explain_missing():
        pytest.skip(f"no virtual time: {missing}")
    experiment = ReportedExperiment.read(SCENARIO, Effort(schemes=schemes))
    store = ResultStore(folder)
    options = RunOptions(RunRequest(keep_samples=True, capture=",".join(capture)), Console(stderr=True), virtual=True)
    Runner(store, options).run([experiment])
    (record,) = store.records(experiment.cells())
    assert record.is_result, record.failure
    return Measured(record, folder)


@pytest.fixture(scope="module")
def with_capture(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured(tmp_path_factory.mktemp("with"), CAPTURED)


@pytest.fixture(scope="module")
def deployable(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured(tmp_path_factory.mktemp("deployable"), CAPTURED, "nodectl(variant=deployable)")


@dataclass(frozen=True)
class Variant:
    """The version and the headers of its runs."""

    version: int
    message: tuple[type[Header], ...]
    event: type[Event]


PAPER = Variant(VERSION, (MessageHeader,), Event)
DEPLOYABLE = Variant(VERSION_2, (MessageHeader, MessageExtension), DeployableEvent)


@pytest.fixture(params=[pytest.param(PAPER, id="paper"), pytest.param(DEPLOYABLE, id="deployable", marks=only_long)])
def variant(request: pytest.FixtureRequest) -> Variant:
    found: Variant = request.param
    return found


@pytest.fixture
def run(request: pytest.FixtureRequest, variant: Variant) -> Measured:
    found: Measured = request.getfixturevalue("with_capture" if variant is PAPER else "deployable")
    return found


@pytest.fixture(scope="module")
def frames(with_capture: Measured, tshark: Tshark) -> list[Frame]:
    options = [word for field in FIELDS for word in ("-e", field)]
    text = tshark.run("-r", with_capture.capture, "-T", "fields", "-E", "occurrence=l", *options)
    found = []
    for name, way, at, length, kept, identification, source in csv.reader(io.StringIO(text), delimiter="\t"):
        found.append(Frame(name, int(way, 0), float(at), int(length), int(kept), (source, identification)))
    return found


@only_long
def test_a_run_is_the_same_with_and_without(with_capture: Measured, tmp_path: Path) -> None:
    without = measured(tmp_path, ())
    assert without.record.facts[SAMPLES] == with_capture.record.facts[SAMPLES]
    assert without.ports() == with_capture.ports()
    assert not list(tmp_path.glob(f"logs/*/{FILE}"))


def test_interfaces_have_the_names_of_ends(frames: list[Frame]) -> None:
    ends = {f"s{switch}-{peer}" for switch, peers in ((1, ("h1", "h2", "s2")), (2, ("h3", "h4", "s1"))) for peer in (*peers, "controller")}
    assert {one.interface for one in frames} == ends | {"h1-s1", "h3-s2"}


def test_every_frame_that_a_link_sent_is_there(frames: list[Frame], with_capture: Measured) -> None:
    sent = {(row["switch"], row["port"], row["direction"]): int(row["tx_packets"]) for row in with_capture.ports()}
    recorded = Counter((one.interface, one.direction) for one in frames)
    assert recorded["s1-s2", OUT] == sent["s1", "3", "egress"] > 1000
    assert recorded["s1-h1", IN] == sent["s1", "1", "ingress"]
    assert recorded["s2-h3", OUT] == recorded["h3-s2", IN] == sent["s2", "1", "egress"]


def test_times_are_those_of_the_link_model(frames: list[Frame], with_capture: Measured) -> None:
    out = [one for one in frames if (one.interface, one.direction) == ("s1-s2", OUT)]
    arrived = [one for one in frames if (one.interface, one.direction) == ("s2-s1", IN)]
    assert len(out) >= len(arrived) > 1000
    delay_s = with_capture.link_delay_s("s1-s2")  # the scenario's, and the pipeline of the switch
    assert BOTTLENECK_DELAY_S <= delay_s < BOTTLENECK_DELAY_S + 1e-5
    for sent, got in zip(out, arrived, strict=False):  # a link loses none here, and some are still on their way
        assert sent.packet == got.packet
        assert got.time_s - sent.time_s == pytest.approx(sent.length * 8 / BOTTLENECK_BPS + delay_s, abs=2e-8)


def test_the_beginning_of_each_frame_is_kept(frames: list[Frame]) -> None:
    on_links = [one for one in frames if not one.interface.endswith("controller")]
    assert all(one.kept == min(one.length, SNAP_BYTES) for one in on_links)
    assert all(one.kept == one.length for one in frames if one.interface.endswith("controller"))
    assert [one.time_s for one in frames] == sorted(one.time_s for one in frames)


def test_messages_events_and_batches_are_dissected(with_capture: Measured, tshark: Tshark) -> None:
    def found(display_filter: str) -> int:
        return len(tshark.run("-r", with_capture.capture, "-Y", display_filter).splitlines())

    assert found("nodectl.type == 0x11 && frame.interface_name == h1-s1 && nodectl.flags.refresh == 0") >= 1
    assert found("nodectl_event.event == 1 && frame.interface_name == s1-controller") == 2, "A and B are admitted"
    assert found("nodectl_batch.entry.type == 0x21") >= 1, "A is reduced"
    assert found('_ws.expert.group == "Malformed"') == 0


def values_of(data: bytes, *headers: type[Header]) -> dict[str, int]:
    """The numbers of headers that follow one another."""
    found: dict[str, int] = {}
    for header in headers:
        found |= layout_of(header).values(data)
        data = data[layout_of(header).size_bytes :]
    return found


def test_every_message_is_read_as_protocol_reads_it(run: Measured, variant: Variant, tshark: Tshark) -> None:
    read = tshark.read(run.capture, "-x", "-Y", "nodectl && !nodectl_event")
    kinds = set()
    for layers in read:
        shown, data = layers["nodectl"], bytes.fromhex(layers["nodectl_raw"][0])
        message = decode(data)
        kinds.add(message.type)
        wanted = values_of(data, *variant.message)
        if isinstance(message, Adjustment):
            assert number(shown["nodectl.speed_kbps"]) == message.speed_kbps
            wanted = {name: value for name, value in wanted.items() if name not in ("max_kbps", "min_kbps", "rtt_us")}
        found = numbers(shown, "nodectl")
        assert {name: found[name] for name in wanted} == wanted
        assert wanted["version"] == variant.version
        assert "nodectl.error" not in shown
    assert kinds >= {MessageType.REQUEST, MessageType.SUCCESS, MessageType.REDUCE, MessageType.TERMINATE}
    assert (MessageType.CHALLENGE in kinds) == (variant is DEPLOYABLE)


def test_every_event_is_read_as_protocol_reads_it(run: Measured, variant: Variant, tshark: Tshark) -> None:
    read = tshark.read(run.capture, "-x", "-Y", "nodectl_event")
    kinds = set()
    for layers in read:
        wanted = values_of(bytes.fromhex(layers["nodectl_event_raw"][0]), variant.event)
        kinds.add(wanted["event"])
        found = numbers(layers["nodectl_event"], "nodectl_event")
        assert {name: found[name] for name in wanted} == wanted
    assert kinds >= {EventType.ADMITTED, EventType.CONFIRMED, EventType.PORT_TOTALS}


@only_long
def test_a_deployable_run_by_filters(deployable: Measured, tshark: Tshark) -> None:
    def found(display_filter: str) -> int:
        return len(tshark.run("-r", deployable.capture, "-Y", display_filter).splitlines())

    challenges = found("nodectl.type == 0x14 && frame.interface_name == s1-h1 && nodectl.token != 0")
    assert challenges >= 1, "A's first request lacks the token"
    assert found("nodectl.type == 0x11 && frame.interface_name == s1-h1 && nodectl.token == 0") == challenges
    assert found("nodectl.type == 0x11 && frame.interface_name == s1-h1 && nodectl.token != 0") >= 1
    assert found("nodectl.token > 0xffff && frame.interface_name == s1-s2") == 0, "the first switch takes it out, and leaves its mark"
    assert found("nodectl.type == 0x11 && nodectl.granted_kbps < nodectl.max_kbps && frame.interface_name == s1-s2") >= 1, "B waits for A"
    granted = "nodectl.type == 0x12 && nodectl.granted_kbps == nodectl.max_kbps && frame.interface_name == s1-h2"
    assert found(granted) >= 1, "nobody waits for what is free"
    assert found("nodectl_event.event == 1 && nodectl_event.reserved_kbps < nodectl_event.rate_kbps") >= 1
    assert found("nodectl_batch.entry.type == 0x33") == 2, "each switch gets its keys"
    assert found('_ws.expert.group == "Malformed"') == 0


def test_frames_are_long_enough_for_every_message() -> None:
    assert max(FRAME_BYTES, EXTENDED_FRAME_BYTES, ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + LONGEST_TCP_HEADER_BYTES) == SNAP_BYTES


@pytest.mark.parametrize("wanted", ["s1-s3", "h1-h2", "s1", "controller-s1"])
def test_an_end_that_is_not_there_is_refused(wanted: str) -> None:
    with pytest.raises(UserError, match=f"there is no {wanted} in this network") as refused:
        check_capture(plan_network(load_scenario(SCENARIO)), ("s1-s2", wanted))
    assert "all, s1-h1, h1-s1" in refused.value.remedy


def test_beside_bmv2_the_controller_cannot_be_heard() -> None:
    plan = plan_network(load_scenario(SCENARIO))
    with pytest.raises(UserError, match="there is no s1-controller in this network"):
        check_capture(plan, ("s1-controller",), beside_bmv2=True)
    ends = [one["name"] for one in frames_fields(plan, (ALL,), Path(FILE), beside_bmv2=True)["interfaces"]]
    assert ends == ["s1-h1", "s1-h2", "s1-s2", "s2-h3", "s2-h4", "s2-s1"]
