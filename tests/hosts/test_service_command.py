"""The command line of the host service: bad input and missing parts get one clear line, and a service is found where it runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from common.errors import UserError
from hosts.service import asking, connection_watch, control_group, running, watch_object
from hosts.service import command_line as command
from hosts.service.asking import JOIN, STATUS, ask
from hosts.service.connection_watch import ConnectionWatch, WatchSettings
from hosts.service.control_group import hierarchy
from hosts.service.control_socket import ControlSocket
from hosts.service.options import ServiceOptions
from protocol.wire import MAX_RATE_KBPS
from tests.hosts.agent_program import ROOT

NAME = f"\0nodectl-test-{os.getpid()}"


@pytest.fixture(autouse=True)
def _own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "NAME", NAME)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "no command is given"),
        (["serve", "--min-rate-mbps", "5", "--max-rate-mbps", "2"], "is above"),
        (["serve", "--scheme", "cubic"], "keeps to no negotiated rate"),
        (["serve", "--scheme", "tahoe"], "there is no scheme tahoe"),
        (["status"], "this host has no service"),
    ],
)
def test_mistakes_get_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert command.main(arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("nodectl: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--first-rtt", "never"],
        ["serve", "--max-rate-mbps", "much"],
        ["serve", "--max-rate-mbps", "0"],
        ["serve", "--idle-s", "0"],
        ["serve", "--address", "here"],
        ["serve", "--address", "::1"],
        ["serve", "--variant", "other"],
    ],
)
def test_what_argparse_refuses(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert arguments[1] in capsys.readouterr().err


def test_who_is_not_root_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert command.main(["run", "true"]) == 2
    assert "needs root" in capsys.readouterr().err


def test_a_kernel_without_control_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text("tmpfs / tmpfs rw 0 0\n")
    (tmp_path / "filesystems").write_text("nodev\ttmpfs\n")
    monkeypatch.setattr(control_group, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(control_group, "_KINDS", tmp_path / "filesystems")
    with pytest.raises(UserError, match="no cgroup v2"):
        hierarchy()


def test_where_they_are_mounted_and_not_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hidden, seen = tmp_path / "hidden", tmp_path / "seen"
    for folder in (hidden, seen):
        folder.mkdir()
    (seen / "cgroup.procs").touch()
    (tmp_path / "mounts").write_text(f"cgroup {tmp_path} cgroup rw 0 0\ncgroup2 {hidden} cgroup2 rw 0 0\ncgroup2 {seen} cgroup2 rw 0 0\n")
    monkeypatch.setattr(control_group, "_MOUNTS", tmp_path / "mounts")
    assert hierarchy() == seen


def test_a_system_without_libbpf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connection_watch, "LIBRARY", "libbpf-that-nobody-has.so.1")
    with pytest.raises(UserError, match="is not installed; connections cannot be watched"):
        ConnectionWatch(tmp_path / "none.o", tmp_path, WatchSettings("reno", "cubic", None), lambda _event: None)


def test_an_object_that_was_not_brought(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(watch_object.OBJECT_VARIABLE, str(tmp_path / "none.o"))
    with pytest.raises(UserError, match="there is no"):
        watch_object.watch_object()


def test_an_object_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "none.o"
    file.write_text("no object")
    with pytest.raises(UserError, match="does not take the program"):
        ConnectionWatch(file, tmp_path, WatchSettings("reno", "cubic", None), lambda _event: None)


def test_a_service_is_found_and_asked() -> None:
    joined: list[int] = []

    def join(process: int) -> dict[str, object]:
        joined.append(process)
        return {"joined": process}

    async def run() -> None:
        assert await asyncio.to_thread(ask, STATUS) is None
        control = ControlSocket({JOIN: join, STATUS: lambda _: {"connections": []}})
        await control.open()
        assert await asyncio.to_thread(ask, STATUS) == {"connections": []}
        assert await asyncio.to_thread(ask, JOIN) == {"joined": os.getpid()}
        with pytest.raises(UserError, match="nobody answers 'dance'"):
            await asyncio.to_thread(ask, "dance")
        with pytest.raises(UserError, match="has a service already"):
            await ControlSocket({}).open()
        control.close()

    asyncio.run(run())
    assert joined == [os.getpid()]


def test_a_group_that_cannot_be_joined_is_said() -> None:
    def refuse(_process: int) -> dict[str, object]:
        raise PermissionError(1, "Operation not permitted")

    async def run() -> None:
        control = ControlSocket({JOIN: refuse})
        await control.open()
        with pytest.raises(UserError, match="refuses 'join': Operation not permitted"):
            await asyncio.to_thread(ask, JOIN)
        control.close()

    asyncio.run(run())


def test_addresses_of_this_host_leave_the_loopback_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed = [
        {"flags": ["LOOPBACK", "UP"], "addr_info": [{"local": "127.0.0.1", "scope": "host"}]},
        {"flags": ["UP"], "addr_info": [{"local": "10.0.0.1", "scope": "global"}, {"local": "169.254.0.1", "scope": "link"}]},
    ]
    program = tmp_path / "ip"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(listed)}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert running.local_addresses() == ["10.0.0.1"]
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(UserError, match="cannot be listed"):
        running.local_addresses()
    program.write_text("#!/bin/sh\n")
    with pytest.raises(UserError, match="no IPv4 address besides"):
        running.local_addresses()


def test_rates_are_brought_into_what_messages_can_say() -> None:
    assert ServiceOptions().max_rate_kbps == MAX_RATE_KBPS
    assert ServiceOptions(min_rate_bps=1_500_400).min_rate_kbps == 1501
    assert ServiceOptions(min_rate_bps=1_500_400, max_rate_bps=1_500_900).max_rate_kbps == 1501
    assert ServiceOptions(max_rate_bps=10).max_rate_kbps == 1
    assert ServiceOptions(grants_bps=2_000_000).provide_kbps == 2000


def test_the_command_works_from_anywhere(tmp_path: Path) -> None:
    link = tmp_path / "nodectl"
    link.symlink_to(ROOT / "hosts" / "service" / "nodectl")
    result = subprocess.run([link, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("nodectl: run: no command is given")
