"""Two embedded switches without hosts, joined by their ports 1 and 2, each with a P4Runtime server.

Packets come in by a packet-out at the neighbour: a packet that s2 sends to its port 1 arrives at s1's port 1.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format

from tests.harness.free_port import free_port
from tests.harness.switches import binaries
from tests.harness.waiting import LIMIT_S, wait_for
from tests.p4runtime.client import Client, Names

CPU_PORT = 510
PROGRAM = Path(__file__).parent / "testbed.p4"


@dataclass(frozen=True)
class Program:
    """A compiled program."""

    config: p4r.ForwardingPipelineConfig
    names: Names
    json_path: Path
    p4info_path: Path


@dataclass(frozen=True)
class Pair:
    """The addresses of the two switches; device ids 1 and 2."""

    addresses: tuple[str, str]

    def client(self, device_id: int = 1, election_id: int | None = 1, role: str = "") -> Client:
        """A controller of one of them, not connected yet."""
        return Client(self.addresses[device_id - 1], device_id, election_id, role)


def binary(name: str) -> Path:
    path = binaries() / name
    if not path.exists():
        pytest.skip(f"the embedded toolchain is not built ({path} is missing): run `make setup`")
    return path


def compile_testbed(directory: Path, source: Path = PROGRAM, cookie: int = 4711) -> Program:
    """JSON and P4Info of a program."""
    compiler = os.environ.get("NODECTL_P4C") or str(binary("p4c-bm2-ss"))
    json_path, p4info_path = directory / f"{source.stem}.json", directory / f"{source.stem}.p4info.txtpb"
    command = [
        compiler,
        "--arch",
        "v1model",
        "--p4v",
        "16",
        "--p4runtime-files",
        str(p4info_path),
        "-o",
        str(json_path),
        str(source),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    p4info = text_format.Parse(p4info_path.read_text(), p4i.P4Info())
    config = p4r.ForwardingPipelineConfig(p4info=p4info, p4_device_config=json_path.read_bytes())
    config.cookie.cookie = cookie
    return Program(config, Names(p4info), json_path, p4info_path)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compile_testbed(tmp_path_factory.mktemp("p4runtime"))


def ip(*words: str) -> None:
    """The command of that name, which must succeed."""
    subprocess.run(["ip", *words], check=True)


def wait_until_listening(process: subprocess.Popen[Any], port: int) -> None:
    """Until a switch that has been started serves P4Runtime."""

    def listens() -> bool:
        assert process.poll() is None, f"the switch ended with {process.returncode}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_for(f"a P4Runtime server at port {port}", listens)


def start_pair(directory: Path, interface: str = "") -> tuple[subprocess.Popen[str], Pair]:
    """Start the two switches; s1 with a port 3 that is an interface of this machine, if one is named."""
    addresses = (f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}")
    switches = []
    for own, (address, peer) in enumerate(zip(addresses, ("s2", "s1"), strict=True), start=1):
        peers = [{"port": n, "name": f"s{own}-{peer}-{n}", "peer": {"switch": peer, "port": n}, "egress": {}} for n in (1, 2)]
        ports: list[dict[str, Any]] = [*peers]
        if interface and own == 1:
            ports.append({"port": 3, "interface": interface})
        switches.append({"name": f"s{own}", "device_id": own, "grpc_addr": address, "cpu_port": CPU_PORT, "ports": ports})
    network = directory / "network.json"
    network.write_text(json.dumps({"switches": switches}))
    command = [str(binary("p4switch")), "--log-level", "warn", "run", str(network)]
    log = directory / "switch.log"
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    started = json.loads(process.stdout.readline() or "{}").get("event") == "ready"
    assert started, f"p4switch ended with {process.wait()}: {log.read_text()}"
    return process, Pair(addresses)


def stop_pair(process: subprocess.Popen[str]) -> int:
    """End them; the exit status."""
    process.terminate()
    try:
        status = process.wait(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    if process.stdout is not None:
        process.stdout.close()
    return status


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    process, pair = start_pair(tmp_path)
    yield pair
    assert stop_pair(process) == 0


@pytest.fixture
def primary(pair: Pair, program: Program) -> Iterator[Client]:
    """The primary controller of s1, with the program loaded."""
    with pair.client() as client:
        client.arbitrate()
        client.set_pipeline(program.config)
        yield client


@pytest.fixture
def names(program: Program) -> Names:
    return program.names


@pytest.fixture
def neighbour(pair: Pair, program: Program) -> Iterator[Client]:
    """The primary controller of s2, with the program loaded: it sends frames to s1."""
    with pair.client(2) as client:
        client.arbitrate()
        client.set_pipeline(program.config)
        yield client
