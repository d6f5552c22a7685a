"""Cells on a Ray cluster: the digits of one machine, whoever dies, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from common.errors import UserError
from engine.execute.time_choice import uses_virtual_time
from scenario.run_request import RunRequest
from tests.harness.long_tests import only_long
from tests.harness.waiting import wait_for
from tests.virtual_time.identity import Checksums, checksums, measured, started, temporary_folder, with_cubic_alone
from tests.virtual_time.inside import needs_virtual_time
from virtual_time.cluster import driver
from virtual_time.cluster.driver import AUTO, Cluster
from virtual_time.session import Session

pytestmark = pytest.mark.timeout(1800)

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed (`make cluster`): the cluster is NOT tested")
START_S = 600.0
"""Generous: Ray is slow to start on a busy machine."""

END_S = 120.0
LOOPBACK = re.compile(r"(\[::ffff:)?127\.0\.0\.1\]?:\d+|\[::1\]:\d+")


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_cubic_alone(tmp_path_factory.mktemp("scenario"))


@pytest.fixture(scope="module")
def reference(scenario: Path) -> Checksums:
    return measured(scenario=scenario)


@pytest.fixture
def folder() -> Iterator[Path]:
    with temporary_folder() as folder:
        yield folder


def family(process: int) -> dict[int, str]:
    """A process and all that it has started, directly or not, with their command lines."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(file.read_text().rpartition(")")[2].split()[1]), []).append(int(file.parent.name))
        except OSError:
            continue
    found, todo = {}, [process]
    while todo:
        one = todo.pop()
        todo += children.get(one, [])
        try:
            found[one] = Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


def alive(processes: dict[int, str]) -> dict[int, str]:
    """Those that are still there, by their sessions: whoever has been started meanwhile too."""
    sessions = {one for one, command in processes.items() if "ray.scripts" in command} | set(processes)
    return {one: command for one, command in family(1).items() if one in processes or (_session(one) in sessions)}


def _session(process: int) -> int:
    try:
        return os.getsid(process)
    except OSError:
        return -1


def kernels(process: subprocess.Popen[str]) -> dict[int, int]:
    """Workers that have a kernel at work: the worker, and the kernel."""
    return {
        worker: kernel
        for worker, command in family(process.pid).items()
        if command.startswith("ray::")
        for kernel, its in family(worker).items()
        if "time-travel" in its and _session(kernel) == kernel
    }


def files_of_ray(processes: dict[int, str]) -> set[Path]:
    """The folder of Ray's own files; in TMPDIR, but elsewhere if that has a long name."""
    found = {Path(written) for command in processes.values() for written in re.findall(r"--temp-dir=(\S+)", command)}
    assert found
    return found


def listening(processes: dict[int, str]) -> list[str]:
    said = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    return [line.split()[3] for line in said.splitlines() if {int(pid) for pid in re.findall(r"pid=(\d+)", line)} & set(processes)]


def test_real_time_is_refused() -> None:
    with pytest.raises(UserError, match="CLUSTER=auto is for virtual time"):
        uses_virtual_time("real", RunRequest(cluster=AUTO).only_virtual)


@needs_virtual_time
def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match="CLUSTER needs Ray, which is not installed"), Cluster(Session.prepare(), AUTO):
        pass


@needs_virtual_time
@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "somewhere"])
def test_nobody_answers(address: str) -> None:
    with pytest.raises(UserError, match=f"CLUSTER={address}: there is no answer"), Cluster(Session.prepare(), address):
        pass


@only_long
@needs_virtual_time
@needs_ray
def test_a_worker_that_is_killed(reference: Checksums, scenario: Path, folder: Path) -> None:
    """Its cell is done again, with the same digits; meanwhile nobody else can reach Ray, and in the end nothing of it is left."""
    with started(scenario, folder, cluster=AUTO) as process:
        wait_for("a kernel", lambda: kernels(process) or process.poll() is not None, limit_s=START_S)
        before = family(process.pid)
        addresses = listening(before)
        assert addresses
        assert not [address for address in addresses if not LOOPBACK.fullmatch(address)]
        ((worker, kernel),) = kernels(process).items()
        os.kill(worker, signal.SIGKILL)
        wait_for("the end of its kernel", lambda: not Path(f"/proc/{kernel}").exists(), limit_s=END_S)
        wait_for("another kernel", lambda: kernels(process) or process.poll() is not None, limit_s=END_S)
        before |= family(process.pid)
        assert checksums(process, folder) == reference
        wait_for("the end of the last of them", lambda: not alive(before), limit_s=END_S)
        assert not [written for written in files_of_ray(before) if written.exists()]


@only_long
@needs_virtual_time
@needs_ray
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_end_of_whoever_asked(scenario: Path, folder: Path, number: signal.Signals) -> None:
    with started(scenario, folder, cluster=AUTO) as process:
        wait_for("a kernel", lambda: kernels(process) or process.poll() is not None, limit_s=START_S)
        before = family(process.pid)
        os.killpg(process.pid, number)
        _, said = process.communicate(timeout=END_S)
        wait_for("the end of all processes", lambda: not alive(before), limit_s=END_S)
        if number == signal.SIGINT:
            assert (process.returncode, said.splitlines()[-1]) == (130, "interrupted")
            assert [one.name for one in folder.iterdir()] in ([], ["results"])
            assert not [written for written in files_of_ray(before) if written.exists()]


@only_long
@pytest.mark.alone  # Ray gives a node 30 s of real time to come up
@needs_virtual_time
@needs_ray
def test_a_cluster_that_loses_a_node(reference: Checksums, scenario: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.cluster_utils import Cluster as Nodes

    for name, value in {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": "/tmp"}.items():
        monkeypatch.setenv(name, value)
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        first = nodes.add_node(num_cpus=1)
        settings = {"RAY_AUTH_MODE": "disabled"}
        with started(scenario, folder, cluster=nodes.address, environment=settings) as process:
            wait_for("a kernel", lambda: [one for one in family(os.getpid()).values() if "time-travel" in one], limit_s=START_S)
            nodes.add_node(num_cpus=1)
            nodes.remove_node(first, allow_graceful=False)
            assert checksums(process, folder) == reference
    finally:
        nodes.shutdown()
