"""``python -m engine.execute.inside_prompt JOB OUT``: a prompt in virtual time. The clock stands still until the next line is there."""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from common.errors import EXIT_CANNOT_RUN, UserError
from engine.collect.description import PROMPT_BEGAN
from engine.execute.awaited_input import ForegroundTerminal
from engine.execute.growing_files_inside import GrowthReporter
from engine.execute.host_windows import HostWindows
from engine.execute.network import RunningNetwork
from engine.execute.prompt import TestbedPrompt, greeting, prompt_testbed
from engine.execute.start_moment import wait_for_moment
from engine.plan.prompt_job import PromptJob
from topo.toolchain import Toolchain
from virtual_time.question import Asker

IPERF_PORT, IPERF_S = "5001", "5"
LISTENS_WITHIN = 200
"""Looks, until a server must listen."""

PYTHON = Path("/usr/bin/python")
END_AGAIN_S = 1.0
"""After this, a command that does not end is told again."""

TELL_EVERY_S = 0.25
"""How often the outside is told the new parts of files, while time passes."""

LOOK_S = 0.01
"""How often it is looked whether a command has said something, or is to be ended."""


class CommandEndedError(Exception):
    """A user has ended a command that waits for hosts."""


class AskingPrompt(TestbedPrompt):
    """Lines come from the outside, one after the other."""

    def __init__(self, network: RunningNetwork, growth: GrowthReporter | None, command_s: float | None) -> None:
        self._asker = Asker()
        self._command_s = command_s
        self._windows_inside = HostWindows({name: host.ip for name, host in network.plan.hosts.items()})
        self._interrupts = 0
        self._growth = growth
        self._told_s = time.monotonic()
        self._began_s = wait_for_moment(len(network.plan.hosts)) or time.monotonic()
        (network.testbed.options.folder / PROMPT_BEGAN).write_text(json.dumps(self._began_s), encoding="utf-8")
        silent, self._kept_open = os.pipe()  # nobody types: commands on hosts read nothing
        with os.fdopen(silent) as stdin:
            super().__init__(network, stdin)

    def preloop(self) -> None:
        """Commands of Mininet that wait for hosts (pingall and others) wait as the prompt does."""
        for host in self.mn.hosts:
            host.waitOutput = partial(self._output_of, host)

    def isatty(self) -> bool:
        """Nobody types here."""
        return False

    def run(self) -> None:
        """Carry out line after line until one of them ends the prompt."""
        self.preloop()
        stop = False
        while not stop:
            sys.stdout.flush()
            self._tell_all()
            line = self.precmd(self._asker.ask(now_s=round(self._now_s, 6)))
            try:
                stop = bool(self.postcmd(self.onecmd(line), line))
            except CommandEndedError:
                print("*** interrupted")
            except Exception as error:  # a command of Mininet's that fails is no reason to end the network
                print(f"*** {line}: {error}")
        self._windows_inside.close()

    @property
    def _now_s(self) -> float:
        """Since the prompt is there."""
        return time.monotonic() - self._began_s

    def do_run(self, line: str) -> None:
        """run SECONDS: let time pass, as in: run 5s, run 200ms."""
        seconds = seconds_of(line)
        if seconds is None:
            print("usage: run SECONDS, as in: run 5s, run 200ms")
            return
        self._pass_time(seconds, TELL_EVERY_S, lambda: True)

    def do_time(self, line: str) -> None:
        """time: the time on the clock inside; time COMMAND: how long a command takes by it."""
        if line.strip():
            super().do_time(line)
        else:
            print(f"{self._now_s:.6f} s")

    def do_iperf(self, line: str) -> None:
        """iperf FROM TO [SECONDS]: TCP between two hosts, for 5 s."""
        words = line.split() or [host.name for host in (self.mn.hosts[0], self.mn.hosts[-1])]
        if not 2 <= len(words) <= 3 or words[0] not in self.mn or words[1] not in self.mn:
            print("usage: iperf FROM TO [SECONDS]")
            return
        sender, receiver = self.mn[words[0]], self.mn[words[1]]
        seconds = words[2] if len(words) > 2 else IPERF_S
        server = receiver.popen("iperf", "-s", "-p", IPERF_PORT)
        try:
            self._wait_until_listening(receiver)
            sender.sendCmd(f"iperf -c {receiver.IP()} -p {IPERF_PORT} -t {seconds}")
            self.waitForNode(sender)
        finally:
            server.terminate()
            server.wait()

    def _wait_until_listening(self, host: Any) -> None:
        for _ in range(LISTENS_WITHIN):
            if f":{IPERF_PORT} " in host.pexec("ss", "-ltn")[0]:
                return
            time.sleep(LOOK_S)

    def do_window(self, line: str) -> None:
        """window HOST LINE: a command that goes on beside others, or, while it runs, a line that it reads; ^C interrupts it."""
        name, _, rest = line.partition(" ")
        if name not in self.testbed.plan.hosts:
            print(f"usage: window HOST LINE; hosts are {' '.join(self.testbed.plan.hosts)}")
            return
        self._windows_inside.line(self.mn[name], rest, lambda seconds, goes_on: self._pass_time(seconds, LOOK_S, goes_on))

    def _pass_time(self, seconds: float, step_s: float, goes_on: Callable[[], bool]) -> None:
        until_s = time.monotonic() + seconds
        while goes_on() and (left_s := until_s - time.monotonic()) > 0:
            time.sleep(min(step_s, left_s))
            self.look_for_loops()
            self._tell()

    def do_xterm(self, _line: str, _term: str = "") -> None:
        """xterm HOST: a window of tmux, where somebody is at a terminal of it."""
        print("windows are for a terminal: window h1 COMMAND runs one beside others, and shows what it says")

    do_x = do_gterm = do_xterm

    def waitForNode(self, node: Any) -> None:  # noqa: N802 - Mininet's name
        """Wait for a host's command to end, print what it says, give it what it reads; an interrupt from outside ends it."""
        terminal = ForegroundTerminal(node, self._asker)
        for said in self._said_by(node):
            sys.stdout.write(terminal.shown(said))
            sys.stdout.flush()
            if not said and node.waiting:
                terminal.ask_if_awaited(round(self._now_s, 6))
        sys.stdout.write(terminal.rest())

    def _output_of(self, node: Any, verbose: bool = False, findPid: bool = True) -> str:  # noqa: N803, ARG002 - Mininet's names
        asked = self._interrupts
        said = "".join(self._said_by(node))
        if self._interrupts != asked:
            raise CommandEndedError
        return said

    def _said_by(self, node: Any) -> Iterator[str]:
        poller = select.poll()
        poller.register(node.stdout, select.POLLIN)
        ends_s = math.inf if self._command_s is None else self._now_s + self._command_s
        while node.waiting:
            self.look_for_loops()
            yield node.monitor() if poller.poll(round(LOOK_S * 1e3)) else ""
            if self._asker.was_interrupted():
                self._interrupts += 1
                node.sendInt()
            elif self._now_s > ends_s:
                print(f"*** ended after {self._command_s:g} s, no Ctrl-C in a script: COMMAND & goes on beside others", flush=True)
                ends_s += END_AGAIN_S
                node.sendInt()
            self._tell()

    def _tell_all(self) -> None:
        """Show onlookers everything up to now while the clock stands still: the switches write down their samples first."""
        if self._growth is None:
            return
        try:
            self.testbed.switches.request("sample")
        except UserError as error:  # it has gone; the prompt says so when it is asked for something
            print(f"*** {error}")
        self._growth.tell()

    def _tell(self) -> None:
        if self._growth is not None and time.monotonic() >= self._told_s + TELL_EVERY_S:
            self._told_s = time.monotonic()
            self._growth.tell()


def seconds_of(text: str) -> float | None:
    """``5``, ``5s`` or ``200ms`` in seconds; None: it is no time."""
    word = text.strip().replace(" ", "")
    unit, digits = (1e-3, word.removesuffix("ms")) if word.endswith("ms") else (1.0, word.removesuffix("s"))
    try:
        seconds = float(digits) * unit
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e6 else None


def main(job_file: Path, out: Path) -> int:
    """Open it; mistakes are a message and an exit code."""
    job = PromptJob.model_validate_json(job_file.read_bytes())
    if job.folder is not None:
        os.chdir(job.folder)
    if shutil.which("python") is None:  # as exercises call it
        PYTHON.symlink_to(sys.executable)
    try:
        testbed = prompt_testbed(job.scenario, out, job.request, Toolchain(bmv2=job.bmv2), job.data_plane)
        with RunningNetwork(testbed) as network:
            print(greeting(network), flush=True)
            AskingPrompt(network, GrowthReporter(out) if job.watched else None, job.command_s)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(Path(sys.argv[1]), Path(sys.argv[2])))
