"""Every missing prerequisite gets one clear message that says what to do."""

import socket
from pathlib import Path

import pytest

from common.built_program import check_built
from common.errors import UserError
from topo import preflight


def test_not_root() -> None:
    with pytest.raises(UserError, match=r"needs root.*\n.*sudo"):
        preflight.check_root(effective_uid=1000)


def test_missing_command_names_the_package() -> None:
    with pytest.raises(UserError, match="apt-get install --no-install-recommends mininet"):
        preflight.check_commands({"mnexec": "mininet"}, path="/nowhere")


def test_no_namespaces() -> None:
    with pytest.raises(UserError, match=r"cannot make a network namespace: denied.*\n.*CONFIG_NET_NS"):
        preflight.check_namespaces(["sh", "-c", "echo denied >&2; exit 1"])


def test_no_btf(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no BTF.*\n.*CONFIG_DEBUG_INFO_BTF"):
        preflight.check_btf(tmp_path / "vmlinux")


def test_no_tun(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="modprobe tun"):
        preflight.check_tun(tmp_path / "tun")


def test_not_built(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"not built yet.*\n.*make setup"):
        check_built([tmp_path / "p4switch"])


def test_grpc_port_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UserError, match=f"127.0.0.1:{port} is taken.*\n.*GRPC_BASE_PORT"):
            preflight.check_ports_free([port])


def test_second_run_is_kept_out(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with preflight.lock_testbed(lock), pytest.raises(UserError, match="another run"):
        preflight.lock_testbed(lock)
    preflight.lock_testbed(lock).close()
