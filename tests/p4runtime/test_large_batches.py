"""Batches with so many failures that a detail for each would be more than gRPC clients take."""

from __future__ import annotations

import grpc
import pytest
from finsy.proto import p4r, rpc_status
from google.protobuf import any_pb2

from tests.harness.waiting import LIMIT_S
from tests.p4runtime.client import Client, Names, lpm

UPDATES = 1000
SIZE = 64
"""Of the table `route`."""
CLIENTS_TAKE_BYTES = 8 * 1024
"""The default of gRPC's C core, which Python's client is made of."""


def route(names: Names, address: int) -> p4r.TableEntry:
    return p4r.TableEntry(
        table_id=names["the_ingress.route"], match=[lpm(1, address, 32)], action=names.table_action("the_ingress.forward", 2)
    )


def write(primary: Client, updates: list[p4r.Update]) -> grpc.RpcError:
    request = p4r.WriteRequest(device_id=primary.device_id, election_id=p4r.Uint128(low=1), updates=updates)
    with pytest.raises(grpc.RpcError) as raised:
        primary.stub.Write(request, timeout=LIMIT_S)
    return raised.value


def errors_of(failure: grpc.RpcError) -> list[p4r.Error]:
    metadata = [(key, value) for key, value in failure.trailing_metadata() if key == "grpc-status-details-bin"]
    [(_, value)] = metadata
    assert len(value) * 4 / 3 < CLIENTS_TAKE_BYTES
    status = rpc_status.Status()
    status.ParseFromString(value)
    errors = []
    for detail in status.details:
        assert isinstance(detail, any_pb2.Any)
        error = p4r.Error()
        assert detail.Unpack(error)
        errors.append(error)
    return errors


def update(kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> p4r.Update:
    return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))


def test_a_thousand_entries_into_a_full_table(primary: Client, names: Names) -> None:
    failure = write(primary, [update(p4r.Update.INSERT, route(names, number)) for number in range(1, UPDATES + 1)])
    assert failure.code() is grpc.StatusCode.UNKNOWN, failure.details()
    failed = UPDATES - SIZE
    assert failure.details().startswith(f"{failed} of {UPDATES} updates failed, first (at {SIZE}): ")
    errors = errors_of(failure)
    assert [error.canonical_code for error in errors[:SIZE]] == [0] * SIZE
    assert {error.canonical_code for error in errors[SIZE:]} == {grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]}
    assert SIZE + 5 < len(errors) < UPDATES
    assert errors[-1].message.endswith(f"; {UPDATES - len(errors)} more failures are not listed")
    assert all("not listed" not in error.message for error in errors[:-1])


def test_a_late_failure_is_in_the_message(primary: Client, names: Names) -> None:
    primary.insert(route(names, 1))
    present = [update(p4r.Update.MODIFY, route(names, 1))] * 500
    failure = write(primary, [*present, update(p4r.Update.MODIFY, route(names, 2))])
    assert failure.code() is grpc.StatusCode.UNKNOWN
    assert failure.details().startswith("1 of 501 updates failed, first (at 500): ")
    assert errors_of(failure) == []
