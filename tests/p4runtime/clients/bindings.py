"""A hand-written controller on the `p4runtime` package of PyPI: ADDRESS-1 ADDRESS-2 P4INFO JSON.

A packet-out at the first switch comes to the second one, which sends it to its controller.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format
from google.rpc import code_pb2, status_pb2
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2 as p4r
from p4.v1 import p4runtime_pb2_grpc as p4r_grpc

TIMEOUT_S = 10.0


class Controller:
    """One switch's controller, with election id 1."""

    def __init__(self, address: str, device_id: int, p4info: Any, device_config: bytes) -> None:
        self.device_id = device_id
        self.p4info = p4info
        self.stub = p4r_grpc.P4RuntimeStub(grpc.insecure_channel(address))
        self.outgoing: queue.Queue[Any] = queue.Queue()
        self.incoming: queue.Queue[Any] = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(self.stub.StreamChannel(self._requests()),), daemon=True)
        self.reader.start()
        hello = p4r.StreamMessageRequest()
        hello.arbitration.device_id = device_id
        hello.arbitration.election_id.low = 1
        self.outgoing.put(hello)
        assert self.incoming.get(timeout=TIMEOUT_S).arbitration.status.code == code_pb2.OK
        request = p4r.SetForwardingPipelineConfigRequest(device_id=device_id, action="VERIFY_AND_COMMIT")
        request.election_id.low = 1
        request.config.p4info.CopyFrom(p4info)
        request.config.p4_device_config = device_config
        self.stub.SetForwardingPipelineConfig(request, timeout=TIMEOUT_S)

    def _requests(self) -> Iterator[Any]:
        while (message := self.outgoing.get()) is not None:
            yield message

    def _read(self, responses: Any) -> None:
        for response in responses:
            self.incoming.put(response)

    def named(self, kind: str, name: str) -> Any:
        return next(item for item in getattr(self.p4info, kind) if item.preamble.name == name)

    def route(self, action_name: str, value: bytes) -> Any:
        """An entry of the table `route` for 10.0.0.0/8."""
        entry = p4r.TableEntry(table_id=self.named("tables", "the_ingress.route").preamble.id)
        entry.match.add(field_id=1).lpm.CopyFrom(p4r.FieldMatch.LPM(value=b"\x0a\x00\x00\x00", prefix_len=8))
        action = entry.action.action
        action.action_id = self.named("actions", action_name).preamble.id
        action.params.add(param_id=1, value=value)
        return entry

    def write(self, kind: str, entry: Any) -> None:
        request = p4r.WriteRequest(device_id=self.device_id)
        request.election_id.low = 1
        request.updates.add(type=kind).entity.table_entry.CopyFrom(entry)
        self.stub.Write(request, timeout=TIMEOUT_S)

    def read(self, table_id: int) -> list[Any]:
        request = p4r.ReadRequest(device_id=self.device_id)
        request.entities.add().table_entry.table_id = table_id
        return [entity.table_entry for response in self.stub.Read(request, timeout=TIMEOUT_S) for entity in response.entities]


def first_error(error: Any) -> int:
    """The code of the first update that failed."""
    [details] = [value for key, value in error.trailing_metadata() if key == "grpc-status-details-bin"]
    detail = p4r.Error()
    assert status_pb2.Status.FromString(details).details[0].Unpack(detail)
    return int(detail.canonical_code)


def main() -> None:
    first_address, second_address, p4info_path, json_path = sys.argv[1:]
    p4info = text_format.Parse(Path(p4info_path).read_text(), p4info_pb2.P4Info())
    device_config = Path(json_path).read_bytes()
    first = Controller(first_address, 1, p4info, device_config)
    second = Controller(second_address, 2, p4info, device_config)
    version = first.stub.Capabilities(p4r.CapabilitiesRequest(), timeout=TIMEOUT_S).p4runtime_api_version
    assert version.startswith("1."), version

    entry = second.route("the_ingress.to_cpu", b"\x21")
    second.write("INSERT", entry)
    assert second.read(entry.table_id) == [entry]
    try:
        second.write("INSERT", entry)
    except grpc.RpcError as error:
        code = first_error(error)
    else:
        code = code_pb2.OK
    assert code == code_pb2.ALREADY_EXISTS, code

    frame = bytes.fromhex("02000000000102000000000208004500001c00000000400600000a0909090a000001") + b"payload!"
    message = p4r.StreamMessageRequest()
    message.packet.payload = frame
    message.packet.metadata.add(metadata_id=1, value=b"\x02")
    message.packet.metadata.add(metadata_id=2, value=b"\x00")
    first.outgoing.put(message)
    packet = second.incoming.get(timeout=TIMEOUT_S).packet
    assert packet.payload == frame, packet
    assert {field.metadata_id: field.value for field in packet.metadata}[1] == b"\x02"

    second.write("DELETE", entry)
    assert second.read(entry.table_id) == []
    for controller in (first, second):
        controller.outgoing.put(None)
        controller.reader.join(TIMEOUT_S)
        assert not controller.reader.is_alive()
    print(f"bindings: server of P4Runtime {version}")


if __name__ == "__main__":
    main()
