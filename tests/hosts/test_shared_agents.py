"""Agents of many hosts in one process: each is on its own host, obeys and ends by itself, and all end with the process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from topo.child_process import ChildProcess
from topo.fork_server import ForkedProcess, ForkServer
from topo.janitor import Janitor

ADDRESS = "127.0.0.1"
READY_S = 30.0
NewAgent = Callable[..., ChildProcess]

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="namespaces need root and unshare: NOT tested")


@pytest.fixture
def new_agent(tmp_path: Path) -> Iterator[NewAgent]:
    """Starts an agent on a new host, which is a network namespace with a loopback interface alone."""
    janitor = Janitor()
    with ExitStack() as stack:
        stack.callback(janitor.close)
        server = ForkServer(tmp_path / "agents.sock", tmp_path / "server.log", janitor)
        stack.callback(server.child.stop)

        def start(name: str, *, alone: bool = False, arguments: tuple[str, ...] = ("agent", "--bind", ADDRESS)) -> ChildProcess:
            host = subprocess.Popen(
                ["unshare", "--net", "sh", "-c", "ip link set lo up; echo up; exec sleep 120"], stdout=subprocess.PIPE, text=True
            )
            stack.callback(host.wait)
            stack.callback(host.kill)
            assert host.stdout is not None
            assert host.stdout.readline() == "up\n"
            agent = ChildProcess(
                name,
                list(arguments),
                tmp_path / f"{name}.log",
                janitor,
                takes_commands=True,
                start=server.start_on(host.pid, alone=alone),
                send_signal=None if alone else ForkedProcess.ask,
            )
            stack.callback(agent.stop)
            return agent

        yield start


def obeys(agent: ChildProcess, file: Path) -> bool:
    agent.tell(json.dumps({"command": "samples", "file": str(file)}))
    return agent.next_event(READY_S) == {"event": "samples", "file": str(file)}


def test_they_share_a_process_and_have_the_same_address_each_on_its_host(new_agent: NewAgent, tmp_path: Path) -> None:
    agents = [new_agent("h1"), new_agent("h2")]
    for agent in agents:
        agent.wait_ready(READY_S)
    assert agents[0].process.pid == agents[1].process.pid
    assert all(obeys(agent, tmp_path / f"{agent.name}.csv") for agent in agents)


def test_one_that_stops_leaves_the_others_alone(new_agent: NewAgent, tmp_path: Path) -> None:
    first, second = new_agent("h1"), new_agent("h2")
    for agent in (first, second):
        agent.wait_ready(READY_S)
    first.stop()
    assert first.process.poll() == 0
    assert second.process.poll() is None
    assert obeys(second, tmp_path / "second.csv")


def test_what_an_agent_says_is_in_its_own_log(new_agent: NewAgent, tmp_path: Path) -> None:
    good = new_agent("h1")
    good.wait_ready(READY_S)
    wrong = new_agent("h2", arguments=("agent", "--bind", "10.9.9.9"))
    assert wrong.wait(READY_S) == 2
    assert "10.9.9.9 is no address of this host" in (tmp_path / "h2.log").read_text()
    assert (tmp_path / "h1.log").read_text() == ""
    assert obeys(good, tmp_path / "good.csv")


def test_all_end_with_their_process_and_one_that_is_alone_goes_on(new_agent: NewAgent, tmp_path: Path) -> None:
    shared, other, alone = new_agent("h1"), new_agent("h2"), new_agent("h3", alone=True)
    for agent in (shared, other, alone):
        agent.wait_ready(READY_S)
    assert alone.process.pid != shared.process.pid
    os.kill(shared.process.pid, signal.SIGKILL)
    assert shared.wait(READY_S) == other.wait(READY_S) == -signal.SIGKILL
    assert obeys(alone, tmp_path / "alone.csv")
