"""One run of a cell whose hosts run ordinary programs: each has the cell's congestion control, or is served by the host service.

Nothing in a program is changed: a scheme that negotiates is brought by the service (`nodectl serve`, `nodectl run`), any other one is the
default of the hosts' namespaces.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from common.own_module import own_module
from common.units import BITS_PER_MEGABIT
from engine.collect.entries import EntryCounter
from engine.collect.link_account import LinkAccountant
from engine.collect.processor_standstills import read_standstills
from engine.collect.run_data import ProgramData, RunData
from engine.execute.network import COMMAND_S, READY_S, RunningNetwork
from engine.execute.start_moment import wait_for_moment
from engine.plan.cell import Cell
from engine.plan.queue_programs import managed_switches
from hosts.cca.scheme_names import parse_scheme, socket_name
from protocol.variant import Decision
from scenario.transmissions import FOLDER, Program
from topo.child_process import ChildProcess
from topo.layout import plan_network
from topo.process_state import how_it_ended

POLL_S = 0.005
LOOK_S = 0.02
"""How often the links are looked at."""

LISTEN_S = 10.0
START_IN_S = 0.1
CONGESTION_SYSCTL = "net.ipv4.tcp_congestion_control"
LISTENING = "0A"
LAST_LINES = 3
LAST_BYTES = 1 << 16
"""Bytes at the end of a program's output that are looked at."""

NOT_FOUND = re.compile(r"^\S+: (?:line )?\d+: (\S+): (?:command )?not found$", re.MULTILINE)
"""The message of shells for a command that is not there; their exit code is often that of another command, in a pipeline for example."""

QUIET = 'exec "$@" >"$0" 2>&1'
"""For a shell: the program's output goes to a file."""


@dataclass
class _Running:
    program: Program
    name: str
    child: ChildProcess
    started_s: float


@dataclass
class ProgramRun:
    """One attempt at a cell; see :class:`engine.execute.measure.CellRun`."""

    network: RunningNetwork
    cell: Cell
    folder: Path
    on_progress: Callable[[float], None] = lambda _seconds: None
    _children: list[ChildProcess] = field(default_factory=list, init=False)
    _files: Path = field(default=Path(), init=False)

    def carry_out(self) -> RunData:
        """Run it until all programs but the servers have ended, or its time is over.

        Raises:
            UserError: a part of the testbed ended that should not have, or a program could not be started.
        """
        with tempfile.TemporaryDirectory(prefix="nodectl-files-") as files:
            self._files = Path(files)
            try:
                return self._carry_out()
            finally:
                for child in reversed(self._children):
                    child.stop()

    def _carry_out(self) -> RunData:
        network, scenario, testbed = self.network, self.cell.scenario, self.network.testbed
        self._make_files()
        for host in sorted({program.host for program in scenario.programs}):
            self._prepare_host(host)
        wait_for_moment(len(network.plan.hosts))
        network.prepare(scenario, plan_network(scenario, network.plan.grpc_base_port))
        servers: list[_Running] = []
        for program in scenario.programs:
            if program.listens_on is not None:
                child = self._start(program, 1)
                self._wait_until_listening(program, program.listens_on, child)
                servers.append(_Running(program, program.name, child, time.monotonic()))
        entries, accountant = EntryCounter(), LinkAccountant(testbed.switches, managed_switches(scenario, network.plan))
        start_s = time.monotonic() + START_IN_S
        accountant.watch_window(start_s + scenario.run.measure_from_s, start_s + scenario.run.measured_to_s)
        testbed.switches.start_traces(start_s)
        waiting = sorted(
            ((program.start_s, number, program) for program in scenario.programs if program.listens_on is None
             for number in range(1, program.count + 1)),
            key=lambda one: one[0],
        )  # fmt: skip
        running: list[_Running] = []
        finished: list[ProgramData] = []
        looked_s = 0.0
        while (waiting or running) and (now_s := time.monotonic()) < start_s + scenario.run.duration_s:
            while waiting and now_s >= start_s + waiting[0][0]:
                _, number, program = waiting.pop(0)
                child = self._start(program, number)
                running.append(_Running(program, program.names[number - 1], child, time.monotonic()))
            for one in [one for one in running if one.child.process.poll() is not None]:
                running.remove(one)
                finished.append(self._ended(one, time.monotonic(), start_s))
            if now_s >= looked_s + LOOK_S:
                looked_s = now_s
                testbed.check(start_s)
                accountant.look(now_s)
                self.on_progress(now_s - start_s)
            time.sleep(POLL_S)
        finished += [self._unfinished(one, start_s) for one in running]
        finished += [self._ended(one, time.monotonic(), start_s) for one in servers if one.child.process.poll() is not None]
        end_s = time.monotonic()
        for child in reversed(self._children):
            child.stop()
        testbed.check()
        links = accountant.close()
        entries.close(links.frames, testbed.options.folder)
        return RunData(
            scenario=scenario,
            scheme=self.cell.scheme,
            folder=self.folder,
            start_s=start_s,
            end_s=end_s,
            links=links,
            transmissions={},
            standstills=read_standstills(testbed.standstills_file, start_s, end_s),
            programs={one.name: one for one in sorted(finished, key=lambda one: one.name)},
        )

    def _make_files(self) -> None:
        for name, content in self.cell.scenario.files.items():
            file = self._files / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                file.write_text(content)
                if content.startswith("#!"):
                    file.chmod(0o755)
            else:
                with file.open("wb") as stream:
                    stream.truncate(content)

    @property
    def _scheme(self) -> str:
        return self.cell.scheme

    def _prepare_host(self, host: str) -> None:
        scheme = parse_scheme(self._scheme)
        if scheme.needs.negotiates:
            scenario = self.cell.scenario
            command = [
                *own_module("hosts.service"), "serve", "--joined-only", "--scheme", self._scheme,
                "--variant", scenario.variant, "--address", self.network.plan.hosts[host].ip,
                "--max-rate-mbps", str(self._access_bps(host) / BITS_PER_MEGABIT),
                "--log", str(self.folder / f"service-{host}.jsonl"),
                *([] if Decision.REFRESHED in scenario.nodectl else ["--no-refreshes"]),
            ]  # fmt: skip
            log = self.network.testbed.options.folder / f"service-{host}.log"
            service = self._on_host(host, f"the host service on {host}", command, log)
            service.wait_ready(READY_S)
        else:
            setting = ["sysctl", "-q", "-w", f"{CONGESTION_SYSCTL}={socket_name(scheme)}"]
            log = self.network.testbed.options.folder / f"settings-{host}.log"
            child = self._on_host(host, f"sysctl on {host}", setting, log)
            if child.process.wait(COMMAND_S) != 0:
                raise UserError(f"{self._scheme} cannot be the default of {host}\n{child.log_tail()}".rstrip())

    def _access_bps(self, host: str) -> int:
        return max(one.link.there.rate_bps for one in self.cell.scenario.layout.hosts if one.host == host)

    def _start(self, program: Program, number: int) -> ChildProcess:
        addresses = {name: host.ip for name, host in self.network.plan.hosts.items()}
        words = program.words(number, addresses | {FOLDER: str(self._files)})
        if parse_scheme(self._scheme).needs.negotiates:
            words = own_module("hosts.service", "run", *words)
        name = program.names[number - 1]
        return self._on_host(
            program.host,
            f"the program {name}",
            ["sh", "-c", QUIET, str(self._said(name)), *words],
            self.folder / f"{name}.log",
            may_fail=True,
        )

    def _on_host(self, host: str, name: str, command: list[str], log: Path, *, may_fail: bool = False) -> ChildProcess:
        child = self.network.testbed.start_on_host(host, name, command, log, may_end=True, may_fail=may_fail)
        self._children.append(child)
        return child

    def _said(self, name: str) -> Path:
        return self.folder / f"said-{name}.txt"

    def _wait_until_listening(self, program: Program, port: int, child: ChildProcess) -> None:
        sockets = Path(f"/proc/{self.network.testbed.mininet.get(program.host).pid}/net/tcp")
        deadline_s = time.monotonic() + LISTEN_S
        while not any(f":{port:04X}" in line.split()[1] and line.split()[3] == LISTENING for line in _lines(sockets)):
            if child.process.poll() is not None or time.monotonic() > deadline_s:
                status = child.process.poll()
                ended = "" if status is None else f": it ended, {how_it_ended(status)}"
                raise UserError(
                    f"program {program.name} on {program.host} does not listen on port {port}{ended}\n"
                    f"{self._words_of(program.name)}".rstrip(),
                    f"all that it said: {self._said(program.name)}",
                )
            time.sleep(POLL_S)

    def _words_of(self, name: str) -> str:
        file = self._said(name)
        return file.read_bytes()[-LAST_BYTES:].decode(errors="replace").strip() if file.exists() else ""

    def _ended(self, one: _Running, end_s: float, start_s: float) -> ProgramData:
        return self._data(one, start_s, end_s - one.started_s, one.child.process.returncode)

    def _unfinished(self, one: _Running, start_s: float) -> ProgramData:
        return self._data(one, start_s, None, None)

    def _data(self, one: _Running, start_s: float, took_s: float | None, status: int | None) -> ProgramData:
        words = self._words_of(one.name)
        if not words and status:
            words = one.child.log_tail().strip()  # of the process that was to start it
        not_found = tuple(dict.fromkeys(NOT_FOUND.findall(words)))
        last = "\n".join(words.splitlines()[-LAST_LINES:])
        return ProgramData(one.name, one.program, one.started_s - start_s, took_s, status, last, not_found)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()[1:]
