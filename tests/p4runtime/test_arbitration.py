"""Client arbitration, roles and clients' permissions."""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest
from finsy.proto import p4r

from tests.p4runtime.client import Client
from tests.p4runtime.conftest import Pair, Program

OK = grpc.StatusCode.OK
ALREADY_EXISTS = grpc.StatusCode.ALREADY_EXISTS
NOT_FOUND = grpc.StatusCode.NOT_FOUND
PERMISSION_DENIED = grpc.StatusCode.PERMISSION_DENIED


def test_highest_election_id_is_primary_and_backups_are_told(pair: Pair) -> None:
    with pair.client(election_id=1) as low, pair.client(election_id=2) as high:
        assert low.arbitrate() == OK
        assert high.arbitrate() == OK
        update = low.receive("arbitration")
        assert update.status.code == ALREADY_EXISTS.value[0]
        assert update.election_id.low == 2
        high.close()
        assert low.receive("arbitration").status.code == NOT_FOUND.value[0]
        low.election_id = 2
        assert low.arbitrate() == OK


def test_large_election_ids_and_backups_without_one(pair: Pair) -> None:
    with pair.client(election_id=None) as standby, pair.client(election_id=(7 << 64) + 3) as client:
        assert standby.arbitrate() == NOT_FOUND
        assert client.arbitrate() == OK
        update = standby.receive("arbitration")
        assert (update.election_id.high, update.election_id.low) == (7, 3)


def test_election_id_in_use_ends_the_stream(pair: Pair) -> None:
    with pair.client() as first, pair.client() as second:
        assert first.arbitrate() == OK
        second.open()
        second.send(arbitration=second.arbitration())
        error = second.receive()
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
        first.nothing()


def test_unknown_device_ends_the_stream(pair: Pair) -> None:
    with pair.client() as client:
        client.device_id = 77
        client.open()
        client.send(arbitration=client.arbitration())
        assert client.receive().code() == NOT_FOUND


def test_only_the_primary_may_write_and_set_the_pipeline(pair: Pair, program: Program) -> None:
    with pair.client(election_id=2) as primary, pair.client(election_id=1) as backup:
        primary.arbitrate()
        assert backup.arbitrate() == ALREADY_EXISTS
        attempts: list[Callable[[], None]] = [lambda: backup.set_pipeline(program.config), lambda: backup.write([])]
        for attempt in attempts:
            with pytest.raises(grpc.RpcError) as raised:
                attempt()
            assert raised.value.code() == PERMISSION_DENIED
        primary.set_pipeline(program.config)
        # Reading is for everyone.
        assert backup.read(p4r.TableEntry()) != []


def test_roles_have_primaries_of_their_own(pair: Pair) -> None:
    with pair.client() as default, pair.client(role="monitoring") as other:
        assert default.arbitrate() == OK
        assert other.arbitrate() == OK
        default.nothing()
        default.close()
        other.nothing()


def test_a_role_that_nobody_has_is_not_found(pair: Pair) -> None:
    with pair.client() as client:
        client.arbitrate()
        client.role = "nobody"
        with pytest.raises(grpc.RpcError) as raised:
            client.write([])
        assert raised.value.code() == NOT_FOUND


def test_role_configuration_limits_writes_and_reads(pair: Pair, program: Program) -> None:
    from finsy.proto import stratum

    names = program.names
    config = stratum.P4RoleConfig(exclusive_p4_ids=[names["seen"]], receives_packet_ins=False, can_push_pipeline=False)
    with pair.client() as default, pair.client(role="registers") as limited:
        default.arbitrate()
        default.set_pipeline(program.config)
        limited.open()
        arbitration = limited.arbitration()
        arbitration.role.config.Pack(config)
        limited.send(arbitration=arbitration)
        assert limited.receive("arbitration").role.config == arbitration.role.config
        register = p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=1))
        register.data.bitstring = b"\x05"
        limited.modify(register)
        assert default.read(p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=1))) == [register]
        counter = p4r.CounterEntry(counter_id=names["port_counter"], index=p4r.Index(index=0), data=p4r.CounterData())
        with pytest.raises(Exception, match="role") as raised:
            limited.modify(counter)
        assert raised.value.codes == [PERMISSION_DENIED]  # type: ignore[attr-defined]
        assert limited.read(p4r.CounterEntry()) == []
        with pytest.raises(grpc.RpcError) as refused:
            limited.set_pipeline(program.config)
        assert refused.value.code() == PERMISSION_DENIED


def test_scripts_without_a_stream_may_write_while_nobody_else_does(pair: Pair, program: Program) -> None:
    with pair.client(election_id=None) as script:
        _set_without_election(script, program)
        script.write([])


def _set_without_election(client: Client, program: Program) -> None:
    request = p4r.SetForwardingPipelineConfigRequest(
        device_id=1, action=p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT, config=program.config
    )
    client.stub.SetForwardingPipelineConfig(request)
