"""A switch that is measured, with its program, routes, and a P4Runtime client of the least cost."""

from __future__ import annotations

import itertools
import queue
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from finsy.p4client import P4RpcStatus
from finsy.proto import p4i, p4r, p4r_grpc
from google.protobuf import text_format

from common.errors import UserError

from .interfaces import Interfaces
from .processes import end
from .tools import Tool, embedded

READY_S = 30.0
PORT_IN, PORT_OUT = 1, 2
NEXT_MAC = 0x020000000102
WRITE = "/p4.v1.P4Runtime/Write"
MESSAGE_BYTES = 64 << 20
BATCH = 1000
"""Updates in a request."""


@dataclass(frozen=True)
class Compiled:
    """A program for any switch."""

    name: str
    json: Path
    p4info: p4i.P4Info

    def table(self, alias: str) -> p4i.Table:
        """A table by name."""
        found: p4i.Table = next(table for table in self.p4info.tables if table.preamble.alias == alias)
        return found

    def action(self, alias: str) -> p4i.Action:
        """An action by name."""
        found: p4i.Action = next(action for action in self.p4info.actions if action.preamble.alias == alias)
        return found


def compile_program(source: Path, folder: Path, *defines: str) -> Compiled:
    """With the repository's compiler, for every switch the same.

    Raises:
        UserError: the program is not compiled; the compiler has told why.
    """
    name = "-".join((source.stem, *defines))
    json, p4info = folder / f"{name}.json", folder / f"{name}.p4info.txtpb"
    options = [f"-D{define}" for define in defines]
    result = subprocess.run([embedded("p4c-bm2-ss").command, *options, "-o", json, "--p4runtime-files", p4info, source], check=False)
    if result.returncode != 0:
        raise UserError(f"{source} is not compiled")
    return Compiled(name, json, text_format.Parse(p4info.read_text(), p4i.P4Info()))


@dataclass
class SwitchUnderTest:
    """A running switch whose controller we are."""

    process: subprocess.Popen[bytes]
    channel: grpc.Channel

    def write(self, request: p4r.WriteRequest) -> None:
        """Writes entries."""
        self.write_bytes(request.SerializeToString())

    def write_bytes(self, request: bytes) -> None:
        """The same, encoded before: a client's encoding is not what is measured.

        Raises:
            UserError: the switch refuses one.
        """
        try:
            self.channel.unary_unary(WRITE)(request, timeout=600)
        except grpc.RpcError as error:
            raise UserError(f"the switch refuses entries: {_refusal(error)}") from None


@contextmanager
def running(tool: Tool, program: Compiled, between: Interfaces, port: int, options: Sequence[str] = ()) -> Iterator[SwitchUnderTest]:
    """A switch with the program, from the one interface to the other, with further options of its own.

    Raises:
        UserError: it does not start, or refuses the program.
    """
    ports = ["-i", f"{PORT_IN}@{between.inside_in}", "-i", f"{PORT_OUT}@{between.inside_out}"]
    address = f"127.0.0.1:{port}"
    command = [str(tool.command), *options, *ports, "--no-p4", "--", "--grpc-server-addr", address]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sizes = [("grpc.max_send_message_length", MESSAGE_BYTES), ("grpc.max_receive_message_length", MESSAGE_BYTES)]
    requests: queue.Queue[p4r.StreamMessageRequest | None] = queue.Queue()
    try:
        with grpc.insecure_channel(address, options=sizes) as channel:
            stream = _become_controller(process, channel, requests, f"{tool.command} does not start (is port {port} free?)")
            _load(channel, program)
            yield SwitchUnderTest(process, channel)
            requests.put(None)
            stream.cancel()
    finally:
        end(process)


def _become_controller(process: subprocess.Popen[bytes], channel: grpc.Channel, requests: queue.Queue[Any], failure: str) -> Any:
    give_up = time.monotonic() + READY_S
    while True:
        if process.poll() is not None or time.monotonic() > give_up:
            raise UserError(failure)
        try:
            grpc.channel_ready_future(channel).result(timeout=1)
            break
        except grpc.FutureTimeoutError:
            continue
    stream = p4r_grpc.P4RuntimeStub(channel).StreamChannel(iter(requests.get, None))
    arbitration = p4r.MasterArbitrationUpdate(device_id=0, election_id=p4r.Uint128(low=1))
    requests.put(p4r.StreamMessageRequest(arbitration=arbitration))
    next(stream)
    # A stream that nobody holds is closed.
    return stream


def _load(channel: grpc.Channel, program: Compiled) -> None:
    config = p4r.ForwardingPipelineConfig(p4info=program.p4info, p4_device_config=program.json.read_bytes())
    action = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
    request = p4r.SetForwardingPipelineConfigRequest(device_id=0, election_id=p4r.Uint128(low=1), action=action, config=config)
    try:
        p4r_grpc.P4RuntimeStub(channel).SetForwardingPipelineConfig(request)
    except grpc.RpcError as error:
        raise UserError(f"the switch refuses {program.name}: {_refusal(error)}") from None


def _refusal(error: Any) -> str:
    """The first refused update of a request and its reason, as P4Runtime tells them."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for number, refused in P4RpcStatus.from_bytes(value).details.items():
                return f"update {number + 1} of a request: {refused.message}"
    return str(error.details())


def batches(updates: Iterable[p4r.Update]) -> Iterator[p4r.WriteRequest]:
    """Requests of at most :data:`BATCH` updates, in their order."""
    rest = iter(updates)
    while some := list(itertools.islice(rest, BATCH)):
        yield p4r.WriteRequest(device_id=0, election_id=p4r.Uint128(low=1), updates=some)


def _encode(value: int) -> bytes:
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def _match(table: p4i.Table, address: int) -> p4r.FieldMatch:
    field = table.match_fields[0]
    value = _encode(address)
    kinds = p4i.MatchField
    if field.match_type == kinds.EXACT:
        return p4r.FieldMatch(field_id=field.id, exact=p4r.FieldMatch.Exact(value=value))
    if field.match_type == kinds.LPM:
        return p4r.FieldMatch(field_id=field.id, lpm=p4r.FieldMatch.LPM(value=value, prefix_len=field.bitwidth))
    if field.match_type == kinds.TERNARY:
        return p4r.FieldMatch(field_id=field.id, ternary=p4r.FieldMatch.Ternary(value=value, mask=_encode((1 << field.bitwidth) - 1)))
    return p4r.FieldMatch(field_id=field.id, range=p4r.FieldMatch.Range(low=value, high=value))


def routes(program: Compiled, table: str, action: str, addresses: Iterable[int], out_of: int = PORT_OUT) -> Iterator[p4r.WriteRequest]:
    """Entries for these addresses that send out of a port, in batches. An action's further parameters are addresses of frames."""
    where, what = program.table(table), program.action(action)
    values = [out_of, *[NEXT_MAC] * (len(what.params) - 1)]
    call = p4r.Action(action_id=what.preamble.id)
    for parameter, value in zip(what.params, values, strict=True):
        call.params.add(param_id=parameter.id, value=_encode(value))
    priority = 10 if where.match_fields[0].match_type in (p4i.MatchField.TERNARY, p4i.MatchField.RANGE) else 0
    entries = (
        p4r.TableEntry(table_id=where.preamble.id, priority=priority, match=[_match(where, address)], action=p4r.TableAction(action=call))
        for address in addresses
    )
    return batches(p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry)) for entry in entries)
