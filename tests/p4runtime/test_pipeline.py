"""Setting and getting the forwarding pipeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r

from tests.p4runtime.client import Client, Names, lpm
from tests.p4runtime.conftest import Pair, Program, compile_testbed


def refused(attempt: Callable[[], object]) -> grpc.StatusCode:
    with pytest.raises(grpc.RpcError) as raised:
        attempt()
    code = raised.value.code()
    assert isinstance(code, grpc.StatusCode)
    return code


def route(names: Names, address: int = 0x0A000100, port: int = 2) -> p4r.TableEntry:
    return p4r.TableEntry(
        table_id=names["the_ingress.route"], match=[lpm(1, address, 24)], action=names.table_action("the_ingress.forward", port)
    )


def test_without_a_pipeline_there_is_nothing_to_read_or_write(pair: Pair) -> None:
    with pair.client() as client:
        client.arbitrate()
        assert not client.get_pipeline().HasField("config")
        assert refused(lambda: client.read(p4r.TableEntry())) == grpc.StatusCode.FAILED_PRECONDITION
        assert refused(lambda: client.write([])) == grpc.StatusCode.FAILED_PRECONDITION
        client.send(packet=p4r.PacketOut(payload=b"x"))
        assert client.receive("error").canonical_code == grpc.StatusCode.FAILED_PRECONDITION.value[0]


def test_what_was_set_is_got(primary: Client, program: Program) -> None:
    assert primary.get_pipeline().config == program.config
    only_cookie = primary.get_pipeline("COOKIE_ONLY").config
    assert only_cookie == p4r.ForwardingPipelineConfig(cookie=program.config.cookie)
    p4info = primary.get_pipeline("P4INFO_AND_COOKIE").config
    assert p4info == p4r.ForwardingPipelineConfig(cookie=program.config.cookie, p4info=program.config.p4info)
    device = primary.get_pipeline("DEVICE_CONFIG_AND_COOKIE").config
    assert device.p4_device_config == program.config.p4_device_config
    assert not device.HasField("p4info")


def test_verify_changes_nothing(pair: Pair, program: Program) -> None:
    with pair.client() as client:
        client.arbitrate()
        client.set_pipeline(program.config, "VERIFY")
        assert not client.get_pipeline().HasField("config")


def test_refuses_wrong_configurations(pair: Pair, program: Program) -> None:
    config = program.config
    wrong_json = p4r.ForwardingPipelineConfig(p4info=config.p4info, p4_device_config=b"{}")
    no_json = p4r.ForwardingPipelineConfig(p4info=config.p4info, p4_device_config=b"\x00\x01")
    no_p4info = p4r.ForwardingPipelineConfig(p4_device_config=config.p4_device_config)
    other_width = p4r.ForwardingPipelineConfig()
    other_width.CopyFrom(config)
    next(t for t in other_width.p4info.tables if t.preamble.alias == "route").match_fields[0].bitwidth = 31
    other_name = p4r.ForwardingPipelineConfig()
    other_name.CopyFrom(config)
    other_name.p4info.tables[0].preamble.name = "nothing"
    with pair.client() as client:
        client.arbitrate()
        for wrong in (None, p4r.ForwardingPipelineConfig(), wrong_json, no_json, no_p4info, other_width, other_name):
            for action in ("VERIFY", "VERIFY_AND_SAVE", "VERIFY_AND_COMMIT", "RECONCILE_AND_COMMIT"):
                assert refused(lambda w=wrong, a=action: client.set_pipeline(w, a)) == grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[misc]
        assert refused(lambda: client.set_pipeline(config, "UNSPECIFIED")) == grpc.StatusCode.INVALID_ARGUMENT


def test_commit_clears_the_state(primary: Client, program: Program, names: Names) -> None:
    primary.insert(route(names))
    primary.set_pipeline(program.config)
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.route"])) == []


def test_save_then_commit_replays_writes(primary: Client, program: Program, names: Names) -> None:
    assert refused(lambda: primary.set_pipeline(None, "COMMIT")) == grpc.StatusCode.NOT_FOUND
    old, new = route(names, 0x0A000100), route(names, 0x0A000200)
    primary.insert(old)
    primary.set_pipeline(program.config, "VERIFY_AND_SAVE")
    wildcard = p4r.TableEntry(table_id=names["the_ingress.route"])
    assert primary.read(wildcard) == [], "reads refer to the saved pipeline"
    primary.insert(new)
    register = p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=3))
    register.data.bitstring = b"\x2a"
    primary.modify(register)
    assert refused(lambda: primary.set_pipeline(program.config, "COMMIT")) == grpc.StatusCode.INVALID_ARGUMENT
    primary.set_pipeline(None, "COMMIT")
    assert primary.read(wildcard) == [new]
    assert primary.read(register) == [register]
    assert refused(lambda: primary.set_pipeline(None, "COMMIT")) == grpc.StatusCode.NOT_FOUND


def test_reconcile_keeps_what_fits(primary: Client, program: Program, names: Names, tmp_path: Path) -> None:
    entry = route(names)
    register = p4r.RegisterEntry(register_id=names["seen"], index=p4r.Index(index=3))
    register.data.bitstring = b"\x2a"
    primary.insert(entry)
    primary.modify(register)

    smaller = tmp_path / "smaller.p4"
    source = (Path(__file__).parent / "testbed.p4").read_text()
    smaller.write_text(source.replace("forward; multicast; to_cpu; drop; @defaultonly", "multicast; to_cpu; drop; @defaultonly"))
    without_forward = compile_testbed(tmp_path, smaller, cookie=2)
    assert refused(lambda: primary.set_pipeline(without_forward.config, "RECONCILE_AND_COMMIT")) == grpc.StatusCode.INVALID_ARGUMENT
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.route"])) == [entry], "a refused pipeline changes nothing"

    larger = tmp_path / "larger.p4"
    larger.write_text(source.replace("register<bit<32>>(16) seen;", "register<bit<32>>(32) seen;"))
    with_more_cells = compile_testbed(tmp_path, larger, cookie=3)
    primary.set_pipeline(with_more_cells.config, "RECONCILE_AND_COMMIT")
    assert primary.get_pipeline("COOKIE_ONLY").config.cookie.cookie == 3
    assert primary.read(p4r.TableEntry(table_id=names["the_ingress.route"])) == [entry]
    assert primary.read(register) == [register]
    assert len(primary.read(p4r.RegisterEntry(register_id=names["seen"]))) == 32


def test_capabilities(pair: Pair) -> None:
    with pair.client() as client:
        assert client.stub.Capabilities(p4r.CapabilitiesRequest()).p4runtime_api_version.startswith("1.5")
        assert refused(lambda: client.stub.Capabilities(p4r.CapabilitiesRequest(device_id=9))) == grpc.StatusCode.NOT_FOUND
