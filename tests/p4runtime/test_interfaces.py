"""simple_switch_grpc on interfaces that others use too. Root only: it makes pairs of interfaces."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.interfaces import add_pair
from tests.harness.free_port import free_port
from tests.harness.waiting import LIMIT_S
from tests.p4runtime.conftest import binary, wait_until_listening

ETH_P_ALL = 3
MARK = b"own interface".ljust(60, b".")


@pytest.fixture
def pairs() -> Iterator[list[tuple[str, str]]]:
    """Two pairs of interfaces, up and silent: the switch's end and the neighbour's."""
    if os.geteuid() != 0:
        pytest.skip("not root: interfaces are NOT tested")
    pairs = [(f"nds{os.getpid()}{number}", f"ndn{os.getpid()}{number}") for number in (1, 2)]
    try:
        for ends in pairs:
            add_pair(*ends)
        yield pairs
    finally:
        for ends in pairs:
            subprocess.run(["ip", "link", "delete", ends[0]], capture_output=True, check=False)


def listen(interface: str) -> socket.socket:
    listening = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)  # with a protocol it would hear every interface until it is bound
    listening.bind((interface, ETH_P_ALL))
    listening.settimeout(5)
    return listening


@pytest.fixture
def switch(pairs: list[tuple[str, str]], tmp_path: Path) -> Iterator[list[tuple[str, str]]]:
    """A switch between the pairs, started with a stray word as BMv2 takes it."""
    program = tmp_path / "swap.json"
    subprocess.run([str(binary("p4c-bm2-ss")), "-o", str(program), str(Path(__file__).parent / "swap.p4")], check=True)
    port = free_port()
    interfaces = [word for number, (end, _) in enumerate(pairs, 1) for word in ("-i", f"{number}@{end}")]
    command = [str(binary("simple_switch_grpc")), *interfaces, str(program), "stray", "--", "--grpc-server-addr", f"127.0.0.1:{port}"]
    with subprocess.Popen(command) as process:
        try:
            wait_until_listening(process, port)
            yield pairs
        finally:
            process.terminate()
            assert process.wait(timeout=LIMIT_S) == 0


@pytest.mark.parametrize("at", ["own", "neighbour"])
def test_frames_written_at_either_end_are_received(switch: list[tuple[str, str]], at: str) -> None:
    """Test frameworks for BMv2 write frames to the switch's own interface."""
    (own, neighbour), (_, beyond) = switch
    with listen(beyond) as listening, listen(own if at == "own" else neighbour) as writing:
        writing.send(b"\0" + MARK)
        assert listening.recv(2048) == b"\1" + MARK
        listening.settimeout(0.3)
        with pytest.raises(TimeoutError):  # the switch does not take its own frame for one that came in
            listening.recv(2048)


def test_a_program_beside_no_p4_is_left_out(tmp_path: Path) -> None:
    port = free_port()
    command = [str(binary("simple_switch_grpc")), "--no-p4", str(tmp_path / "none.json"), "--", "--grpc-server-addr", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "the program is ignored because of --no-p4" in process.stderr.readline()
        wait_until_listening(process, port)
        process.terminate()
        assert process.wait(timeout=LIMIT_S) == 0
