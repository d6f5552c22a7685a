"""Prompt commands that look into the switches: `show` and `trace` (both are `p4switch` at the management socket)."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from common.installation import BINARIES

P4SWITCH = BINARIES / "p4switch"
ANSWER_S = 10.0


class SwitchCommands:
    """`show` and `trace` for a prompt (a mixin of `cmd.Cmd`); one trace a switch at a time."""

    switch_socket: Path
    """The switch process's management socket."""

    def __init__(self) -> None:
        self._traces: dict[str, subprocess.Popen[bytes]] = {}

    def do_show(self, line: str) -> None:
        """show SWITCH WHAT: tables, table NAME, registers, register NAME [FIRST [COUNT]], counters, counter NAME,
        meters, multicast, clones, queues, links, statistics."""
        words = self._words(line)
        if len(words) < 2:
            print("usage: show SWITCH WHAT, such as: show s1 tables; `help show` lists what there is")
            return
        switch, *what = words
        subprocess.run([P4SWITCH, "show", self.switch_socket, *what, "--switch", switch], timeout=ANSWER_S, check=False)

    def do_trace(self, line: str) -> None:
        """trace SWITCH FILTER | trace SWITCH off: print what the switch does with the next packets, e.g. trace s1 dst 10.0.0.4 count 5."""
        words = self._words(line)
        if not words:
            filters = "[in PORT] [src|dst|host ADDRESS] [tcp|udp|icmp] [sport|dport|port N] [count N] [brief]"
            print(f"usage: trace SWITCH {filters}, or trace SWITCH off")
            return
        switch, *chosen = words
        if (old := self._traces.pop(switch, None)) is not None:
            self._end(old)
        if chosen != ["off"]:
            # It goes on beside the prompt, and ends by itself after the packets asked for.
            self._traces[switch] = subprocess.Popen([P4SWITCH, "trace", self.switch_socket, "--switch", switch, "--", *chosen])

    def end_traces(self) -> None:
        """End all traces that still go on beside the prompt."""
        for trace in self._traces.values():
            self._end(trace)
        self._traces.clear()

    def _words(self, line: str) -> list[str]:
        try:
            return shlex.split(line)
        except ValueError:
            return []

    def _end(self, trace: subprocess.Popen[bytes]) -> None:
        if trace.poll() is None:
            trace.terminate()
        trace.wait()
