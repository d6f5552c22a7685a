"""A hand-written P4Runtime client: grpcio and generated messages, nothing that hides what is sent."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
from finsy.proto import p4i, p4r, p4r_grpc, rpc_status

TIMEOUT_S = 5.0
CALL_TIMEOUT_S = 60.0
"""Loading a program takes BMv2 0.15 s, and on a busy machine more than ten times that."""


class Names:
    """P4Info ids by name."""

    def __init__(self, p4info: p4i.P4Info) -> None:
        self.p4info = p4info
        kinds = ("tables", "actions", "action_profiles", "counters", "meters", "registers", "value_sets", "digests")
        self._objects = {
            preamble_name: item
            for kind in kinds
            for item in getattr(p4info, kind)
            for preamble_name in (item.preamble.name, item.preamble.alias)
        }

    def __getitem__(self, name: str) -> int:
        return int(self._objects[name].preamble.id)

    def action(self, name: str, *values: int) -> p4r.Action:
        """An action with its parameters in order."""
        message = p4r.Action(action_id=self[name])
        for parameter, value in zip(self._objects[name].params, values, strict=True):
            message.params.add(param_id=parameter.id, value=encode(value))
        return message

    def table_action(self, name: str, *values: int) -> p4r.TableAction:
        """The same, for a table entry."""
        return p4r.TableAction(action=self.action(name, *values))


def encode(value: int) -> bytes:
    """The canonical byte string of a number."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def exact(field: int, value: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field, exact=p4r.FieldMatch.Exact(value=encode(value)))


def lpm(field: int, value: int, length: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field, lpm=p4r.FieldMatch.LPM(value=encode(value), prefix_len=length))


def ternary(field: int, value: int, mask: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field, ternary=p4r.FieldMatch.Ternary(value=encode(value), mask=encode(mask)))


def between(field: int, low: int, high: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field, range=p4r.FieldMatch.Range(low=encode(low), high=encode(high)))


def optional(field: int, value: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field, optional=p4r.FieldMatch.Optional(value=encode(value)))


def entry(message: Any) -> p4r.Entity:
    """Any entity message, wrapped."""
    fields = {field.message_type: field.name for field in p4r.Entity.DESCRIPTOR.fields}
    return p4r.Entity(**{fields[message.DESCRIPTOR]: message})


class WriteFailed(Exception):  # noqa: N818 (reads better in pytest.raises)
    """Some updates failed: their codes and messages, in order."""

    def __init__(self, status: rpc_status.Status) -> None:
        errors = []
        for detail in status.details:
            error = p4r.Error()
            assert detail.Unpack(error)
            errors.append(error)
        self.codes = [grpc_code(error.canonical_code) for error in errors]
        super().__init__(", ".join(f"{error.canonical_code} {error.message}" for error in errors))


def grpc_code(number: int) -> grpc.StatusCode:
    return next(code for code in grpc.StatusCode if code.value[0] == number)


class Client:
    """One controller: a channel, a stream, and an election id."""

    def __init__(self, address: str, device_id: int, election_id: int | None = 1, role: str = "", credentials: Any = None) -> None:
        self.device_id = device_id
        self.election_id = election_id
        self.role = role
        self.channel = grpc.secure_channel(address, credentials) if credentials else grpc.insecure_channel(address)
        self.stub = p4r_grpc.P4RuntimeStub(self.channel)
        self._outgoing: queue.Queue[p4r.StreamMessageRequest | None] = queue.Queue()
        self._incoming: queue.Queue[p4r.StreamMessageResponse | grpc.RpcError | None] = queue.Queue()
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._outgoing.put(None)
        self.channel.close()
        if self._reader:
            self._reader.join(TIMEOUT_S)

    def open(self) -> None:
        """Open the stream."""

        def requests() -> Iterator[p4r.StreamMessageRequest]:
            while (message := self._outgoing.get()) is not None:
                yield message

        responses = self.stub.StreamChannel(requests())

        def read() -> None:
            try:
                for response in responses:
                    self._incoming.put(response)
                self._incoming.put(None)
            except grpc.RpcError as error:
                self._incoming.put(error)

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()

    def send(self, **update: Any) -> None:
        """Send a stream message."""
        self._outgoing.put(p4r.StreamMessageRequest(**update))

    def receive(self, kind: str | None = None, timeout: float = TIMEOUT_S) -> Any:
        """The next stream message (which must be of this kind), or the status that ended the stream."""
        message = self._incoming.get(timeout=timeout)
        if isinstance(message, grpc.RpcError) or message is None:
            return message
        update = message.WhichOneof("update")
        assert update is not None
        assert kind in (None, update), f"expected {kind}, got {message}"
        return getattr(message, update)

    def nothing(self, during: float = 0.2) -> None:
        """Checks that nothing comes."""
        try:
            message = self._incoming.get(timeout=during)
        except queue.Empty:
            return
        raise AssertionError(f"unexpected: {message}")

    def arbitration(self) -> p4r.MasterArbitrationUpdate:
        """The client's own arbitration message."""
        update = p4r.MasterArbitrationUpdate(device_id=self.device_id)
        if self.election_id is not None:
            update.election_id.low = self.election_id & (2**64 - 1)
            update.election_id.high = self.election_id >> 64
        if self.role:
            update.role.name = self.role
        if self.election_id == 0:
            update.election_id.SetInParent()
        return update

    def arbitrate(self) -> grpc.StatusCode:
        """Open the stream if need be, ask to be primary, return the answer's code."""
        if self._reader is None:
            self.open()
        self.send(arbitration=self.arbitration())
        return grpc_code(self.receive("arbitration").status.code)

    def set_pipeline(self, config: p4r.ForwardingPipelineConfig | None, action: str = "VERIFY_AND_COMMIT") -> None:
        request = p4r.SetForwardingPipelineConfigRequest(
            device_id=self.device_id,
            role=self.role,
            action=p4r.SetForwardingPipelineConfigRequest.Action.Value(action),
            election_id=self.arbitration().election_id,
            config=config,
        )
        self.stub.SetForwardingPipelineConfig(request, timeout=CALL_TIMEOUT_S)

    def get_pipeline(self, response_type: str = "ALL") -> p4r.GetForwardingPipelineConfigResponse:
        kind = p4r.GetForwardingPipelineConfigRequest.ResponseType.Value(response_type)
        request = p4r.GetForwardingPipelineConfigRequest(device_id=self.device_id, response_type=kind)
        response: p4r.GetForwardingPipelineConfigResponse = self.stub.GetForwardingPipelineConfig(request, timeout=CALL_TIMEOUT_S)
        return response

    def write(self, updates: Iterable[p4r.Update], atomicity: str = "CONTINUE_ON_ERROR") -> None:
        request = p4r.WriteRequest(
            device_id=self.device_id, role=self.role, atomicity=p4r.WriteRequest.Atomicity.Value(atomicity), updates=updates
        )
        arbitration = self.arbitration()
        if arbitration.HasField("election_id"):
            request.election_id.CopyFrom(arbitration.election_id)
        try:
            self.stub.Write(request, timeout=CALL_TIMEOUT_S)
        except grpc.RpcError as error:
            raise details(error) or error from None

    def insert(self, *messages: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.INSERT, entity=entry(message)) for message in messages)

    def modify(self, *messages: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.MODIFY, entity=entry(message)) for message in messages)

    def delete(self, *messages: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.DELETE, entity=entry(message)) for message in messages)

    def read(self, *messages: Any) -> list[Any]:
        """The entities that answer the requests, unwrapped."""
        request = p4r.ReadRequest(device_id=self.device_id, role=self.role, entities=map(entry, messages))
        found: list[Any] = []
        try:
            for response in self.stub.Read(request, timeout=CALL_TIMEOUT_S):
                found.extend(getattr(entity, entity.WhichOneof("entity")) for entity in response.entities)
        except grpc.RpcError as error:
            raise details(error) or error from None
        return found


def details(error: grpc.RpcError) -> WriteFailed | None:
    """The per-element errors of a status, if it has them."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status = rpc_status.Status()
            status.ParseFromString(value)
            return WriteFailed(status)
    return None
