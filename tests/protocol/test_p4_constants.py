"""The constants of the P4 program are those of protocol/."""

from __future__ import annotations

import re

from protocol import constants, deployable_headers, frames, headers, telemetry
from protocol.codes import KNOWN_FLAGS, KNOWN_FLAGS_2, VERDICTS, EntryType, ErrorReason, EventType, Flags, MessageType
from protocol.model import dualpi2_model, enforcement_model, queue_ticks, rate_units, rcp_model, xcp_model
from protocol.variant import DATA_PLANE, Variant
from scenario.disciplines import codel
from tests.harness.switches import REPOSITORY
from topo import equal_cost_ways

SOURCES = sorted((REPOSITORY / "p4src").glob("*.p4"))

NAMED = {
    "CPU_PORT": constants.CPU_PORT,
    "CLONE_SESSION": constants.CLONE_SESSION,
    "PORTS": constants.PORTS,
    "SLOTS_PER_WAY": constants.SLOTS_PER_WAY,
    "SLOTS": constants.SLOTS,
    "NO_SLOT": constants.NO_SLOT,
    "IN_USE": constants.IN_USE,
    "ETHERTYPE_IPV4": frames.ETHERTYPE_IPV4,
    "PROTOCOL_UDP": frames.PROTOCOL_UDP,
    "NODECTL_PORT": constants.UDP_PORT,
    "NODECTL_LENGTH": headers.MESSAGE_BYTES,
    "NODECTL_UDP_LENGTH": headers.UDP_LENGTH_BYTES,
    "NODECTL_IPV4_LENGTH": headers.IPV4_LENGTH_BYTES,
    "NODECTL_FRAME_LENGTH": headers.FRAME_BYTES,
    "NODECTL_VERSION": constants.VERSION,
    "NODECTL_V2_LENGTH": deployable_headers.EXTENDED_BYTES,
    "NODECTL_V2_UDP_LENGTH": deployable_headers.EXTENDED_UDP_LENGTH_BYTES,
    "NODECTL_V2_IPV4_LENGTH": deployable_headers.EXTENDED_IPV4_LENGTH_BYTES,
    "NODECTL_V2_FRAME_LENGTH": deployable_headers.EXTENDED_FRAME_BYTES,
    "NODECTL_VERSION_2": deployable_headers.VERSION_2,
    "PACKET_IN_V2_LENGTH": deployable_headers.DEPLOYABLE_EVENT_BYTES,
    "CLASS_OTHERS": enforcement_model.TrafficClass.OTHERS,
    "CLASS_NEGOTIATED": enforcement_model.TrafficClass.NEGOTIATED,
    "CLASS_CONTROL": enforcement_model.TrafficClass.CONTROL,
    "DSCP_OTHERS": enforcement_model.DSCP_OTHERS,
    "DSCP_NEGOTIATED": enforcement_model.DSCP_NEGOTIATED,
    "DSCP_OPENING": enforcement_model.DSCP_OPENING,
    "UNITS_PER_BYTE": enforcement_model.UNITS_PER_BYTE,
    "BUCKET_BURST": enforcement_model.BUCKET_BURST,
    "BURST_US": enforcement_model.BURST_US,
    "ANSWERS_BURST": enforcement_model.ANSWERS_BURST,
    "ANSWERS_PART": enforcement_model.ANSWERS_PART,
    "SLACK": enforcement_model.SLACK,
    "LONGEST_FILLING_US": enforcement_model.LONGEST_FILLING_US,
    "CONTROL_KBPS": enforcement_model.CONTROL_KBPS,
    "LEFT_FOR_MESSAGES": enforcement_model.LEFT_FOR_MESSAGES,
    "LONGEST_ANSWER": enforcement_model.LONGEST_ANSWER,
    "LONGEST_OPENING": enforcement_model.LONGEST_OPENING,
    "GRACE_US": enforcement_model.GRACE_US,
    "PROTOCOL_TCP": frames.PROTOCOL_TCP,
    "TCP_SYN": frames.TCP_SYN,
    "KEYS": deployable_headers.KEYS,
    "INDEX_KEY": deployable_headers.INDEX_KEY,
    "TOKEN_KEY": deployable_headers.TOKEN_KEY,
    "SOURCE_SLOTS": deployable_headers.SOURCE_SLOTS,
    "SOURCE_RECORDS": deployable_headers.SOURCE_RECORDS,
    "MAX_COUNTED_RTT_US": deployable_headers.MAX_COUNTED_RTT_US,
    "NEW_MESSAGE_TTL": constants.NEW_MESSAGE_TTL,
    "MAX_RTT_US": constants.MAX_RTT_US,
    "UNKNOWN_FLAGS": 0xFF & ~KNOWN_FLAGS,
    "UNKNOWN_FLAGS_2": 0xFF & ~KNOWN_FLAGS_2,
    "PACKET_OUT_MAGIC": constants.PACKET_OUT_MAGIC,
    "PACKET_IN_LENGTH": headers.EVENT_BYTES,
    "ERROR_REASONS": constants.ERROR_REASONS,
    "MAX_ARRIVALS": constants.MAX_ARRIVALS,
    "ONE_ARRIVAL_Q8": constants.ONE_ARRIVAL_Q8,
    "MAX_EXPECTED_Q8": constants.MAX_EXPECTED_Q8,
    "ALPHA_Q10": rcp_model.ALPHA_Q10,
    "BETA_Q10": rcp_model.BETA_Q10,
    "INTERVAL_US": rcp_model.INTERVAL_US,
    "IDLE_US": rate_units.IDLE_US,
    "MAX_WAIT_US": rate_units.MAX_WAIT_US,
    "MAX_RATE_KBPS": rate_units.MAX_RATE_KBPS,
    "BIT_PER_MS": rate_units.BIT_PER_MS,
    "LEAST_PART": rate_units.LEAST_PART,
    "TYPE_TELEMETRY": telemetry.TelemetryType.QUESTION,
    "TYPE_TELEMETRY_ECHO": telemetry.TelemetryType.ECHO,
    "TELEMETRY_UDP_LENGTH": telemetry.QUESTION_UDP_LENGTH_BYTES,
    "HOP_LENGTH": telemetry.HOP_BYTES,
    "MOST_HOPS": telemetry.MOST_HOPS,
    "XCP_ALPHA_Q10": xcp_model.ALPHA_Q10,
    "XCP_BETA_Q10": xcp_model.BETA_Q10,
    "XCP_GAMMA_Q10": xcp_model.GAMMA_Q10,
    "LONGEST_INTERVAL_US": xcp_model.LONGEST_INTERVAL_US,
    "MAX_UP": xcp_model.MAX_UP,
    "WHOLE_Q16": xcp_model.WHOLE_Q16,
    "ALL_HASHES": equal_cost_ways.ALL_HASHES,
    "FORGOTTEN_TICKS_SHIFT": queue_ticks.FORGOTTEN_TICKS_SHIFT,
    "LOW_LATENCY_QUEUE": dualpi2_model.LOW_LATENCY,
    "CLASSIC_QUEUE": dualpi2_model.CLASSIC,
    "QUEUES": codel.ALL_QUEUES,
}

DEFAULTS = {"NODECTL_WAY_BITS": str(constants.WAY_BITS)}
"""Macros that the compiler's command line may set, and their values otherwise."""

P4_ALONE = re.compile(r"INSTANCE_TYPE_INGRESS_CLONE|EVENT_NONE|DO_[A-Z_]+|(NO_)?STEP[A-Z_]*|NOT_ECT|CONGESTION_EXPERIENCED|ALL_FLOW_HASHES")
"""Constants that stay inside the program: v1model's own number, no event, operations, steps of CoDel, code points of ECN, hashes."""


def text() -> str:
    return "\n".join(source.read_text(encoding="utf-8") for source in SOURCES)


def p4_constants() -> dict[str, int]:
    found: dict[str, int] = {}
    for name, value in re.findall(r"^const\s+bit<\d+>\s+(\w+)\s*=\s*(.+?);", text(), re.MULTILINE):
        assert name not in found, f"{name} is declared twice"
        terms = re.sub(r"\(bit<\d+>\)", "", value).split("+")
        found[name] = sum(found[term.strip()] if term.strip() in found else number(term) for term in terms)
    return found


def number(term: str) -> int:
    base, _, shift = term.partition("<<")
    return int(base, 0) << int(DEFAULTS.get(shift.strip(), shift) or 0)


def python_constants() -> dict[str, int]:
    message_types = {int(kind) for kind in MessageType}
    enumerated: dict[str, int] = {f"TYPE_{kind.name}": kind for kind in MessageType}
    enumerated |= {f"TYPE_{kind.name}": kind for kind in EntryType if kind.value not in message_types}
    enumerated |= {f"FLAG_{flag.name}": flag for flag in Flags if flag}
    enumerated |= {f"EVENT_{event.name}": event for event in EventType}
    enumerated |= {f"VERDICT_{verdict.name}": verdict for verdicts in VERDICTS.values() for verdict in verdicts}
    enumerated |= {f"ERROR_{reason.name}": reason for reason in ErrorReason}
    return {**{name: int(value) for name, value in enumerated.items()}, **NAMED}


def test_every_constant_is_the_same() -> None:
    shared = {name: value for name, value in p4_constants().items() if not P4_ALONE.fullmatch(name)}
    assert shared == python_constants()


def test_nothing_that_python_knows_is_a_bare_number_in_a_macro() -> None:
    """Macros name field lists, guards, variants and settings of the compiler's command line; numbers that others know are constants."""
    assert set(re.findall(r"^#define\s+(\w+)[ \t]+\S", text(), re.MULTILINE)) == {
        "KEEP_EVENT",
        "KEEP_CONTINUATION",
        "MARKING_THRESHOLD",
        "GROUP_CONTENT_ID",
        "GROUP_DESTINATION_ID",
        "NODECTL_WAY_BITS",
        "QUEUE",
    }
    for macro, value in DEFAULTS.items():
        assert re.findall(rf"^#define {macro} (\w+)$", text(), re.MULTILINE) == [value]


def test_every_variant_is_in_the_program() -> None:
    assert set(re.findall(r"NODECTL_WITHOUT_\w+", text())) == set(Variant(DATA_PLANE).defines)


def test_the_store_has_as_many_ways_as_the_program_looks_into() -> None:
    records = (REPOSITORY / "p4src" / "records.p4").read_text(encoding="utf-8")
    assert len(re.findall(r"look_\d\.apply", records)) == constants.WAYS
    assert re.findall(r"look_0\.apply\(meta, WAY_SLOT\(0, low\[(\d+):0\], more\[(\d+):0\]\)", records) == [
        (str(constants.WAY_BITS - 1), str(constants.MAX_WAY_BITS - constants.WAY_BITS - 1))
    ]


def test_the_arrival_window_is_as_long() -> None:
    arrivals = (REPOSITORY / "p4src" / "arrivals.p4").read_text(encoding="utf-8")
    assert f"(bit<32>) (now_us >> {constants.ARRIVAL_WINDOW_BITS})" in arrivals
    assert f"({constants.ARRIVAL_WINDOW_US:#x} - (bit<64>) now_us[{constants.ARRIVAL_WINDOW_BITS - 1}:0])" in arrivals
    assert f">> {constants.ARRIVAL_WINDOW_BITS - constants.FRACTION_BITS};" in arrivals
