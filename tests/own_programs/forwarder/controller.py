"""A P4Runtime client of one's own, with gRPC alone: it loads the program into both switches, writes routes, and ends."""

import argparse
import queue
import socket
from pathlib import Path

import grpc
from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

ROUTES = {1: {"10.0.0.1": 1, "10.0.0.2": 2}, 2: {"10.0.0.1": 2, "10.0.0.2": 1}}


def main() -> None:
    """Configure the switches that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--p4info", required=True)
    parser.add_argument("--pipeline", required=True)
    parser.add_argument("switches", nargs="+", metavar="DEVICE=ADDRESS")
    options = parser.parse_args()
    info = text_format.Parse(Path(options.p4info).read_text(), p4info_pb2.P4Info())
    program = Path(options.pipeline).read_bytes()
    for switch in options.switches:
        device, _, address = switch.partition("=")
        configure(int(device), address, info, program)
        print(f"switch {device} is configured", flush=True)


def configure(device: int, address: str, info: p4info_pb2.P4Info, program: bytes) -> None:
    """Load the program into a switch and write its routes."""
    election = p4runtime_pb2.Uint128(low=1)
    with grpc.insecure_channel(address) as channel:
        stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        bid = p4runtime_pb2.StreamMessageRequest(arbitration={"device_id": device, "election_id": election})
        waiting: queue.SimpleQueue[p4runtime_pb2.StreamMessageRequest | None] = queue.SimpleQueue()
        waiting.put(bid)
        stream = stub.StreamChannel(iter(waiting.get, None))
        next(stream)
        config = p4runtime_pb2.ForwardingPipelineConfig(p4info=info, p4_device_config=program)
        stub.SetForwardingPipelineConfig(
            p4runtime_pb2.SetForwardingPipelineConfigRequest(
                device_id=device,
                election_id=election,
                action=p4runtime_pb2.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT,
                config=config,
            )
        )
        updates = [route(info, address_of, port) for address_of, port in ROUTES[device].items()]
        stub.Write(p4runtime_pb2.WriteRequest(device_id=device, election_id=election, updates=updates))
        stream.cancel()
        waiting.put(None)


def route(info: p4info_pb2.P4Info, address: str, port: int) -> p4runtime_pb2.Update:
    """The update that writes a route to a host."""
    table = next(one for one in info.tables if one.preamble.alias == "ipv4_lpm")
    action = next(one for one in info.actions if one.preamble.alias == "ipv4_forward")
    mac = bytes([2, 0, 0, 0, 0, int(address.rpartition(".")[2])])
    entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id)
    entry.match.add(field_id=1).lpm.CopyFrom(p4runtime_pb2.FieldMatch.LPM(value=socket.inet_aton(address), prefix_len=32))
    entry.action.action.action_id = action.preamble.id
    entry.action.action.params.add(param_id=1, value=mac)
    entry.action.action.params.add(param_id=2, value=bytes([port]))
    return p4runtime_pb2.Update(type=p4runtime_pb2.Update.INSERT, entity={"table_entry": entry})


if __name__ == "__main__":
    main()
