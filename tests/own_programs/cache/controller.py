"""A controller that answers packet-ins with entries, removes those that nobody uses, and says what it does, and when: with gRPC alone."""

import queue
import socket
import time
from pathlib import Path

import grpc
from google.protobuf import text_format
from google.rpc import code_pb2, status_pb2
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2 as p4
from p4.v1 import p4runtime_pb2_grpc

ADDRESS = "127.0.0.1:50051"
PORTS = {"10.0.1.1": 1, "10.0.1.2": 2}
IDLE_NS = 2_000_000_000
ELECTION = p4.Uint128(low=1)


def main() -> None:
    """Control the switch until somebody ends the program."""
    info = text_format.Parse(Path("build/cache.p4.p4info.txtpb").read_text(), p4info_pb2.P4Info())
    requests: queue.SimpleQueue[p4.StreamMessageRequest] = queue.SimpleQueue()
    requests.put(p4.StreamMessageRequest(arbitration={"device_id": 0, "election_id": ELECTION}))
    stub = p4runtime_pb2_grpc.P4RuntimeStub(grpc.insecure_channel(ADDRESS))
    stream = stub.StreamChannel(iter(requests.get, None))
    next(stream)
    config = p4.ForwardingPipelineConfig(p4info=info, p4_device_config=Path("build/cache.json").read_bytes())
    commit = p4.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
    stub.SetForwardingPipelineConfig(p4.SetForwardingPipelineConfigRequest(device_id=0, election_id=ELECTION, action=commit, config=config))
    began = time.monotonic()
    try:
        write(stub, p4.Update.DELETE, entry(info, "10.0.1.1", "10.0.1.2"))
    except grpc.RpcError as error:
        print(f"0.0 s: an entry that is not there: {reasons(error)}", flush=True)
    for message in stream:
        now = time.monotonic() - began
        if message.WhichOneof("update") == "packet":
            frame = message.packet.payload
            source, destination = (socket.inet_ntoa(frame[first : first + 4]) for first in (26, 30))
            print(f"{now:.1f} s: asked for {source} to {destination}", flush=True)
            write(stub, p4.Update.INSERT, entry(info, source, destination))
            metadata = [p4.PacketMetadata(metadata_id=1, value=bytes([PORTS[destination]])), p4.PacketMetadata(metadata_id=2, value=b"\0")]
            requests.put(p4.StreamMessageRequest(packet=p4.PacketOut(payload=frame, metadata=metadata)))
        elif message.WhichOneof("update") == "error":
            print(f"{now:.1f} s: refused: {message.error.message}", flush=True)
        elif message.WhichOneof("update") == "idle_timeout_notification":
            for idle in message.idle_timeout_notification.table_entry:
                ends = " to ".join(socket.inet_ntoa(match.exact.value.rjust(4, b"\0")) for match in idle.match)
                print(f"{now:.1f} s: nobody uses {ends}", flush=True)
                write(stub, p4.Update.DELETE, p4.TableEntry(table_id=idle.table_id, match=idle.match))


def write(stub: p4runtime_pb2_grpc.P4RuntimeStub, kind: p4.Update.Type, table_entry: p4.TableEntry) -> None:
    """Make one change of the table."""
    update = p4.Update(type=kind, entity={"table_entry": table_entry})
    stub.Write(p4.WriteRequest(device_id=0, election_id=ELECTION, updates=[update]))


def reasons(error: grpc.RpcError) -> list[str]:
    """The code of each update that was not made, as clients read them."""
    status = status_pb2.Status()
    for key, value in error.trailing_metadata():
        if key == "grpc-status-details-bin":
            status.ParseFromString(value)
    found = []
    for detail in status.details:
        one = p4.Error()
        detail.Unpack(one)
        found.append(code_pb2.Code.Name(one.canonical_code))
    return found


def entry(info: p4info_pb2.P4Info, source: str, destination: str) -> p4.TableEntry:
    """The entry of a flow, which the switch tells of when nobody has used it for a while."""
    table = next(one for one in info.tables if one.preamble.alias == "flows")
    action = next(one for one in info.actions if one.preamble.alias == "forward")
    made = p4.TableEntry(table_id=table.preamble.id, idle_timeout_ns=IDLE_NS)
    for field, address in enumerate((source, destination), start=1):
        made.match.add(field_id=field).exact.value = socket.inet_aton(address)
    made.action.action.action_id = action.preamble.id
    made.action.action.params.add(param_id=1, value=bytes([PORTS[destination]]))
    return made


if __name__ == "__main__":
    main()
