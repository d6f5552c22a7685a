"""The student's P4 program in a switch without links or clock (`p4sim`), one packet after the other."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from common.built_program import built_program
from labs.check.explain import explain
from labs.check.line_process import LineProcess, StoppedError
from labs.check.packets import PAYLOAD, Fields, but, fields_of, headers_of, shown
from labs.check.trace import first_not_extracted, trace_lines, why_dropped
from labs.check.vocabulary import Failed
from protocol.constants import CLONE_SESSION, CPU_PORT

ANSWER_S = 5.0
"""For one packet."""

INDENT: Final = "  "


@dataclass(frozen=True)
class Sent:
    """A packet that was sent in, and the packets that came out."""

    port: int
    frame: bytes
    out: tuple[tuple[int, bytes], ...]
    trace: tuple[str, ...]
    where_dropped: str
    not_extracted: str
    """The first header that the parser has not extracted, though the packet has it and the program declares it."""
    priorities: tuple[int, ...]
    """The priority of the queue that each packet waited in."""

    def leaves(self, port: int, hint: str = "", **fields: int | str) -> bytes:
        """It came out by this port alone, with these fields (``ipv4_ttl=63``); the others are not looked at. Returns the frame."""
        frame = self._only(port, hint)
        if fields:
            wanted = fields_of(but(frame, **fields))
            names = {name.replace("_", ".", 1) for name in fields}
            self._compare({name: wanted[name] for name in wanted if name in names}, frame, port, hint)
        return frame

    def leaves_as(self, port: int, expected: bytes, hint: str = "", without: Collection[str] = ()) -> bytes:
        """It came out by this port alone, and was ``expected`` byte by byte, but for the fields ``without``. Returns the frame."""
        frame = self._only(port, hint)
        wanted = {name: value for name, value in fields_of(expected).items() if name not in without}
        self._compare(wanted, frame, port, hint)
        if not without and frame != expected:
            raise self._failed(f"{len(frame)} bytes came out, expected {len(expected)}{_because(hint)}")
        return frame

    def is_dropped(self, hint: str = "") -> None:
        """It came out nowhere."""
        if self.by_ports:
            raise self._failed(f"the packet was sent by port {_listed(self.by_ports)}, expected it to be dropped{_because(hint)}")

    @property
    def by_ports(self) -> list[int]:
        """The ports that something came out of, the controller's left out."""
        return [port for port, _ in self.out if port != CPU_PORT]

    def to_controller(self) -> list[bytes]:
        """The frames that came out of the controller's port."""
        return [frame for port, frame in self.out if port == CPU_PORT]

    def failed(self, message: str, details: Sequence[str] = ()) -> Failed:
        """The mistake, with this packet and the program's trace of it."""
        return self._failed(message, details)

    def _only(self, port: int, hint: str) -> bytes:
        ports = self.by_ports
        if not ports:
            where = f" ({self.where_dropped})" if self.where_dropped else ""
            raise self._failed(f"the packet was dropped{where}, expected it by port {port}{_because(hint)}")
        if ports != [port]:
            raise self._failed(f"the packet was sent by port {_listed(ports)}, expected port {port}{_because(hint)}")
        return next(frame for number, frame in self.out if number == port)

    def _compare(self, wanted: Fields, frame: bytes, port: int, hint: str) -> None:
        sent, got = fields_of(self.frame), fields_of(frame)
        wrong = [name for name in wanted if got.get(name) != wanted[name]]
        if not wrong:
            return
        # A checksum that is wrong because something else is says nothing.
        named = [name for name in wrong if not name.endswith(".checksum")] or wrong
        why = {name: explain(name, sent, wanted, got, frame) for name in wrong}
        if self.not_extracted:
            lost = (name for name in wrong if name.startswith(f"{self.not_extracted}.") and got.get(name) == sent.get(name))
            why |= dict.fromkeys(lost, f"as it came in: the parser has not extracted {self.not_extracted}")
        first = named[0]
        text = f"{first} is {shown(first, got.get(first))}, expected {shown(first, wanted[first])}"
        if why[first]:
            text += f" ({why[first]})"
        if len(named) > 1:
            text += f"; also wrong: {', '.join(named[1:])}"
        rows = [("", "sent", "expected", "got", "")]
        for name in sorted({*wrong, *wanted}, key=list(sent | wanted).index):
            mark = "◀ " + why[name] if name in wrong else ""
            rows.append((name, shown(name, sent.get(name)), shown(name, wanted[name]), shown(name, got.get(name)), mark))
        if PAYLOAD in got and PAYLOAD not in wanted and len(wanted) == len(sent):
            rows.append((PAYLOAD, "(not there)", "(not there)", shown(PAYLOAD, got[PAYLOAD]), "◀"))
        raise self._failed(f"{text}{_because(hint)}", [f"sent in by port {self.port}, came out by port {port}:", *table(rows)])

    def _failed(self, message: str, details: Sequence[str] = ()) -> Failed:
        if not details:
            sent = fields_of(self.frame)
            rows = [("", f"sent by port {self.port}"), *((name, shown(name, value)) for name, value in sent.items())]
            details = table(rows)
        return Failed(message, details, self.trace)


@dataclass(frozen=True)
class Queue:
    """The queue that a packet waits in.

    Args:
        before: packets that wait when it comes.
        behind: packets that wait when it leaves.
        waited_us: how long it was there.
        behind_bytes: bytes that wait in its queue when it leaves.
    """

    before: int = 0
    behind: int = 0
    waited_us: int = 0
    behind_bytes: int = 0


@dataclass(frozen=True)
class Place:
    """A packet's place before the port that it leaves by.

    Args:
        queue: the port's queue that it waits in.
        rank: its rank; the packet with the smallest goes first.
    """

    queue: int
    rank: int


class Switch:
    """The student's program, running.

    Args:
        program: BMv2 JSON.
        own_files: names of the files that traces show.
    """

    def __init__(self, program: Path, own_files: Collection[str]) -> None:
        self._own_files = own_files
        compiled = json.loads(program.read_bytes())
        self._headers = {header["name"] for header in compiled["headers"]}
        self._header_types = {one["name"]: [(name, width) for name, width, *_ in one["fields"]] for one in compiled["header_types"]}
        self._names: dict[str, list[str]] = {kind: [one["name"] for one in compiled[f"{kind}_arrays"]] for kind in ("counter", "register")}
        self._registers = {one["name"]: int(one["size"]) for one in compiled["register_arrays"]}
        self._names["table"] = [table["name"] for pipeline in compiled["pipelines"] for table in pipeline["tables"]]
        self._keys = {
            table["name"]: [(key["name"], key["match_type"]) for key in table["key"]]
            for pipeline in compiled["pipelines"]
            for table in pipeline["tables"]
        }
        self._process = LineProcess([str(built_program("p4sim")), str(program)], ANSWER_S)
        self.trace()
        self._time_us = 0

    def close(self) -> None:
        """End it."""
        self._process.close()

    def reset(self) -> None:
        """Bring it back to its state when it was loaded."""
        self._ask(op="reset")
        self.trace()
        self._ask(op="clone_session", session=CLONE_SESSION, port=CPU_PORT)
        self._time_us = 0

    def trace(self, *, on: bool = True) -> None:
        """Whether packets are traced, which takes longer than sending them."""
        self._ask(op="trace", filter=ALL_PACKETS if on else "off")

    def at(self, time_s: float) -> None:
        """Packets that are sent from now on come at this time, in seconds after the switch started."""
        self._time_us = round(time_s * 1e6)

    def send(self, port: int, data: bytes, queue: Queue | None = None) -> Sent:
        """Send a frame in by a port.

        Args:
            port: number.
            data: the frame.
            queue: the one before the port that it leaves by; None: an empty queue.

        Raises:
            Failed: the program does not come to an end with it.
        """
        found = queue or Queue()
        metadata = {
            "enq_qdepth": found.before, "deq_qdepth": found.behind, "deq_timedelta_us": found.waited_us, "queue_bytes": found.behind_bytes,
        }  # fmt: skip
        try:
            answer = self._ask(op="packet", port=port, data=data.hex(), time_us=self._time_us, queue=metadata)
        except StoppedError as error:
            raise Failed(
                f"the program does not come to an end with a packet ({error}): does a parser state lead back to itself, "
                "or is a packet resubmitted or recirculated again and again?"
            ) from None
        out = tuple((packet["port"], bytes.fromhex(packet["data"])) for packet in answer["packets"])
        events = answer.get("trace", [])
        missing = first_not_extracted(events, [name for name in headers_of(data) if name in self._headers])
        priorities = tuple(event["priority"] for event in events if event["event"] == "enqueued")
        if sum(event["event"] == "again" for event in events) >= LOOPS:
            raise Failed("the program sends a packet round again and again: when does it stop resubmitting or recirculating it?")
        return Sent(port, data, out, tuple(trace_lines(events, self._own_files)), why_dropped(events, missing), missing, priorities)

    def place_of(self, port: int, data: bytes) -> Place:
        """The place where a frame that comes in by a port waits. It leaves at once.

        Raises:
            Failed: it waits nowhere, or more than once.
        """
        held = self._ask(op="arrive", port=port, data=data.hex(), time_us=self._time_us)["held"]
        for one in held:
            self._ask(op="leave", packet=one["packet"], time_us=self._time_us)
        if len(held) != 1:
            raise Failed(f"a packet came to {len(held)} queues, expected one")
        return Place(held[0]["queue"], int(held[0]["rank"]))

    def send_many(self, port: int, frames: Iterable[bytes], queue: Queue | None = None) -> list[list[bytes]]:
        """Send frames in one after the other, without traces; returns the frames that came out for each. ``queue``: see :meth:`send`.

        Raises:
            Failed: the program does not come to an end with one.
        """
        self.trace(on=False)
        try:
            found = [self.send(port, data, queue) for data in frames]
        finally:
            self.trace()
        return [[frame for number, frame in sent.out if number != CPU_PORT] for sent in found]

    def route(self, prefix: str, port: int, source: str = "02:00:00:00:00:99", destination: str = "02:00:00:00:00:88") -> None:
        """A route of table ``ipv4_lpm``, with the Ethernet addresses that packets leave with."""
        address, _, length = prefix.partition("/")
        network = bytes(int(part) for part in address.split(".")).hex()
        parameters = [f"{port:04x}", source.replace(":", ""), destination.replace(":", "")]
        self.add_entry("ipv4_lpm", [{"lpm": [network, int(length or 32)]}], "forward", parameters)

    def add_entry(self, table: str, match: Sequence[Mapping[str, Any]], action: str, parameters: Sequence[str]) -> None:
        """An entry of a table.

        Raises:
            Failed: the program has no such table, or none with such a key or action.
        """
        table = self._full_name("table", table)
        for (name, kind), given in zip(self._keys[table], match, strict=False):
            if kind not in given:
                wanted = next(iter(given))
                short = table.rpartition(".")[2]
                raise Failed(
                    f"the controller cannot write an entry into table {short}: its key is matched as {kind}, expected {wanted}",
                    [f"key {name}"],
                )
        answer = self._ask(op="table_add", table=table, match=list(match), action=action, params=list(parameters))
        if "error" in answer:
            raise Failed(
                f"the controller cannot write an entry into table {table.rpartition('.')[2]}: {answer['error']}",
                [f"key {', '.join(next(iter(one)) for one in match)}; action {action} with {len(parameters)} parameters"],
            )

    def declares(self, header: str, expected: Sequence[tuple[str, int]]) -> None:
        """The program declares a header with these fields, of these widths in bits.

        Raises:
            Failed: it has another field somewhere, or none.
        """
        found = self._header_types.get(header)
        if found is None:
            raise Failed(f"the program has no header {header}, or never uses it")
        rows: list[tuple[str, ...]] = [("", "expected", "yours", "")]
        wrong = ""
        for number, (wanted, got) in enumerate(zip_longest(expected, found), start=1):
            texts = [f"bit<{one[1]}> {one[0]}" if one else "(nothing)" for one in (wanted, got)]
            rows.append((f"{number}", *texts, "◀" if wanted != got else ""))
            if wanted != got:
                wrong = wrong or f"field {number} of header {header} is {texts[1]}, expected {texts[0]}"
        if wrong:
            raise Failed(wrong, table(rows))

    def counter(self, name: str, index: int) -> int:
        """The packets that a counter has counted.

        Raises:
            Failed: there is no such counter.
        """
        return int(self._known("counter", name, op="counter_read", index=index)["packets"])

    def write_register(self, name: str, index: int, value: int) -> None:
        """Sets a cell of a register, as no packet would.

        Raises:
            Failed: there is no such register.
        """
        self._known("register", name, op="register_write", index=index, value=str(value))

    def register(self, name: str, index: int) -> int:
        """A cell of a register.

        Raises:
            Failed: there is no such register.
        """
        return int(self._known("register", name, op="register_read", index=index)["value"])

    def registers(self) -> dict[str, int]:
        """The program's registers by their full names, and how many cells each has."""
        return dict(self._registers)

    def cells(self, name: str) -> list[int]:
        """All cells of a register, by its full name."""
        return [int(self._ask(op="register_read", register=name, index=index)["value"]) for index in range(self._registers[name])]

    def _known(self, kind: str, name: str, **request: Any) -> dict[str, Any]:
        answer = self._ask(**request, **{kind: self._full_name(kind, name)})
        if "error" in answer:
            raise Failed(f"the program has no {kind} {name} with a cell {request['index']}: {answer['error']}")
        return answer

    def _full_name(self, kind: str, name: str) -> str:
        found = next((known for known in self._names[kind] if known == name or known.endswith(f".{name}")), None)
        if found is None:
            raise Failed(f"the program has no {kind} {name}, or never uses it: the compiler leaves out what is not used")
        return found

    def _ask(self, **request: Any) -> dict[str, Any]:
        return self._process.ask(**request)


ALL_PACKETS = "count 4000000000"
"""The filter of the trace."""

LOOPS = 1000
"""No packet of a lab goes round so often."""


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, with their columns one below the other."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [INDENT + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _because(hint: str) -> str:
    return f": {hint}" if hint else ""
