"""Prompt commands that look into the switches: `show` and `trace` (both are `p4switch` at the management socket)."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from common.installation import BINARIES
from engine.execute.p4runtime_show import shown_by_p4runtime
from topo.network_plan import NetworkPlan
from topo.switch_files import TRACE_FILE

P4SWITCH = BINARIES / "p4switch"
ANSWER_S = 10.0


class SwitchCommands:
    """`show` and `trace` for a prompt (a mixin of `cmd.Cmd`); one trace a switch at a time."""

    switch_socket: Path
    """The switch process's management socket."""
    folder: Path
    """Traces are recorded there as well (view/recording reads them)."""

    plan: NetworkPlan
    is_beside_bmv2 = False
    """The switches are BMv2's, which are asked by P4Runtime."""

    def __init__(self) -> None:
        self._traces: dict[str, subprocess.Popen[bytes]] = {}
        self._traced = 0

    def do_show(self, line: str) -> None:
        """show SWITCH WHAT: tables, table NAME, registers, register NAME [FIRST [COUNT]], counters, counter NAME,
        meters, multicast, clones, queues, links, statistics."""
        words = self._words(line)
        if len(words) < 2:
            print("usage: show SWITCH WHAT, such as: show s1 tables; `help show` lists what there is")
            return
        switch, *what = words
        if self.is_beside_bmv2:
            known = self.plan.switches.get(switch)
            said = f"there is no {switch}" if known is None else shown_by_p4runtime(known.grpc_address, known.device_id, what)
            print(said)
            return
        subprocess.run([P4SWITCH, "show", self.switch_socket, *what, "--switch", switch], timeout=ANSWER_S, check=False)

    def do_tables(self, line: str) -> None:
        """tables SWITCH: its tables and their entries, as `show SWITCH tables` prints them."""
        self.do_show(f"{line} tables" if line.strip() else "")

    def do_trace(self, line: str) -> None:
        """trace SWITCH FILTER | trace SWITCH off: print what the switch does with the next packets, e.g. trace s1 dst 10.0.0.4 count 5;
        trace HOST FILTER: the same for the host's packets, at the switch next to it."""
        words = self._words(line)
        if not words:
            filters = "[in PORT] [src|dst|host ADDRESS] [tcp|udp|icmp] [sport|dport|port N] [count N] [brief]"
            print(f"usage: trace SWITCH|HOST {filters}, or trace SWITCH|HOST off")
            return
        if self.is_beside_bmv2:
            print("BMv2 traces no packets; leave SWITCH=bmv2 out, and the embedded switch does")
            return
        switch, *chosen = words
        if switch in self.plan.hosts:
            address, switch = str(self.plan.hosts[switch].address.ip), self.plan.attachment(switch)[0].name
            chosen = chosen if chosen == ["off"] else ["host", address, *chosen]
        if (old := self._traces.pop(switch, None)) is not None:
            self._end(old)
        if chosen != ["off"]:
            self._traced += 1
            record = self.folder / f"{switch}-{self._traced}-{TRACE_FILE}"
            command: list[str | Path] = [P4SWITCH, "trace", self.switch_socket, "--switch", switch, "--record", record, "--", *chosen]
            # It goes on beside the prompt, and ends by itself after the packets asked for.
            self._traces[switch] = subprocess.Popen(command)

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
