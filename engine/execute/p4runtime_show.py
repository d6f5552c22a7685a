"""`show` for a switch that is known by P4Runtime alone, as BMv2 is: its tables and counters, by the names of its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import grpc
from finsy.proto import p4i, p4r, p4r_grpc

from controller.entries.names import by_names, found

ANSWER_S = 5.0
USAGE = "of BMv2, `show` has: tables, table NAME, counters, counter NAME [FIRST [COUNT]]"
COUNTER_CELLS = 16
"""Of a counter, unless more are wished for."""


def shown_by_p4runtime(address: str, device: int, what: Sequence[str]) -> str:
    """A switch's answer as text for people; an error is a text as well.

    Args:
        address: of its P4Runtime server.
        device: its P4Runtime number.
        what: the words after the switch's name.
    """
    with grpc.insecure_channel(address) as channel:
        stub = p4r_grpc.P4RuntimeStub(channel)
        wanted = p4r.GetForwardingPipelineConfigRequest(
            device_id=device, response_type=p4r.GetForwardingPipelineConfigRequest.ResponseType.P4INFO_AND_COOKIE
        )
        try:
            info = stub.GetForwardingPipelineConfig(wanted, timeout=ANSWER_S).config.p4info
            return "\n".join(_Shown(stub, device, info).lines(what))
        except grpc.RpcError as error:
            return f"the switch does not say it: {error.details()}"
        except ValueError as error:
            return str(error)


class _Shown:
    def __init__(self, stub: p4r_grpc.P4RuntimeStub, device: int, info: p4i.P4Info) -> None:
        self._stub, self._device, self._info = stub, device, info

    def lines(self, what: Sequence[str]) -> Iterator[str]:
        match list(what):
            case ["tables"]:
                for table in self._info.tables:
                    yield from [f"{table.preamble.name}:", *self._table(table)]
            case ["table", name]:
                yield from self._table(found(name, by_names(self._info.tables), "table", ""))
            case ["counters"]:
                yield from (f"{one.preamble.name} [{one.size}]" for one in self._info.counters) if self._info.counters else ["no counters"]
            case ["counter", name, *range_of] if len(range_of) <= 2 and all(word.isdecimal() for word in range_of):
                first, count = (list(map(int, range_of)) + [0, COUNTER_CELLS][len(range_of) :])[:2]
                yield from self._counter(found(name, by_names(self._info.counters), "counter", ""), first, count)
            case _:
                yield USAGE

    def _table(self, table: p4i.Table) -> Iterator[str]:
        entries = [one.table_entry for one in self._read(p4r.Entity(table_entry=p4r.TableEntry(table_id=table.preamble.id)))]
        for entry in entries:
            given = {one.field_id: one for one in entry.match}
            keys = ", ".join(f"{field.name}: {_key(given[field.id])}" for field in table.match_fields if field.id in given) or "anything"
            priority = f", priority {entry.priority}" if entry.priority else ""
            yield f"  {keys}{priority} -> {self._action(entry.action)}"
        default = p4r.TableEntry(table_id=table.preamble.id, is_default_action=True)
        for one in self._read(p4r.Entity(table_entry=default)):
            yield f"  (default) -> {self._action(one.table_entry.action)}"

    def _counter(self, counter: p4i.Counter, first: int, count: int) -> Iterator[str]:
        wanted = p4r.CounterEntry(counter_id=counter.preamble.id)
        for one in self._read(p4r.Entity(counter_entry=wanted)):
            cell = one.counter_entry
            if first <= cell.index.index < first + count:
                yield f"  {cell.index.index}: {cell.data.packet_count} packets, {cell.data.byte_count} bytes"

    def _read(self, entity: p4r.Entity) -> list[p4r.Entity]:
        request = p4r.ReadRequest(device_id=self._device, entities=[entity])
        return [one for response in self._stub.Read(request, timeout=ANSWER_S) for one in response.entities]

    def _action(self, action: p4r.TableAction) -> str:
        kind = action.WhichOneof("type")
        if kind is None:
            return "nothing"
        if kind != "action":
            return f"{kind.removeprefix('action_profile_').replace('_', ' ')} {getattr(action, kind)}".rstrip()
        (known,) = [one for one in self._info.actions if one.preamble.id == action.action.action_id]
        names = {param.id: param.name for param in known.params}
        arguments = ", ".join(f"{names[one.param_id]}={_hex(one.value)}" for one in action.action.params)
        return f"{known.preamble.name}({arguments})"


def _key(match: p4r.FieldMatch) -> str:
    match match.WhichOneof("field_match_type"):
        case "lpm":
            return f"{_hex(match.lpm.value)}/{match.lpm.prefix_len}"
        case "ternary":
            return f"{_hex(match.ternary.value)} &&& {_hex(match.ternary.mask)}"
        case "range":
            return f"{_hex(match.range.low)}..{_hex(match.range.high)}"
        case kind:
            return _hex(getattr(match, str(kind)).value)


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"
