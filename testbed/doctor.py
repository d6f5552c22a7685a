"""The abilities of this machine, part by part, with a remedy for each missing one."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from common.errors import UserError
from common.installation import how
from hosts.cca.libbpf import explain_missing_support
from topo.preflight import check_built_for, check_commands, check_namespaces, check_root, check_tun
from topo.toolchain import BMV2, P4C, Toolchain, choose, version
from virtual_time.session import explain_missing

VIRTUAL_TIME, REAL_TIME = "runs in virtual time", "runs in real time"
MPTCP = Path("/proc/sys/net/mptcp/enabled")


@dataclass(frozen=True)
class Part:
    """Something that the machine can do or not.

    Args:
        name: in words.
        missing: why it cannot; empty: it can.
        remedy: the way to get it, for people.
        remark: on an ability that is there.
    """

    name: str
    missing: str = ""
    remedy: str = ""
    remark: str = ""


def examine() -> list[Part]:
    """All parts, the most wanted first."""
    return [
        _part("compiler, switch and P4 program are built", lambda: check_built_for(Toolchain())),
        _virtual_time(),
        _part(REAL_TIME, check_root, check_commands, check_namespaces, check_tun),
        _because("BPF congestion controls in real time", explain_missing_support(), "a kernel with CONFIG_DEBUG_INFO_BTF, as Debian's own"),
        _because("MPTCP in real time", "" if MPTCP.exists() else f"{MPTCP} is missing", "a kernel with CONFIG_MPTCP, as Debian's own"),
        _peer("BMv2 instead of the embedded switch", BMV2, "embedded"),
        _peer("p4c instead of the embedded compiler", "embedded", P4C),
        _package("live page, replay and export", "aiohttp", how("make live", "pip install aiohttp")),
        _package("several machines (CLUSTER=)", "ray", how("make cluster", "pip install 'nodectl-testbed[cluster]'")),
        _package("notebook", "jupyterlab", how("make notebook-packages", "pip install 'nodectl-testbed[notebook]'")),
        _command("Wireshark's dissector", "tshark", how("make wireshark", "install tshark, then: testbed python -m view.wireshark")),
        _command("grading in a sandbox", "bwrap", how("make sandbox", "install the package bubblewrap")),
    ]


def can_run(parts: Sequence[Part]) -> bool:
    """Whether runs are possible, in either time."""
    return any(not part.missing for part in parts if part.name in (VIRTUAL_TIME, REAL_TIME))


def shown(parts: Sequence[Part]) -> Table:
    """The parts as a table for the terminal: name, whether it is here, reason or remark, remedy."""
    table = Table("part", "here", "why not, or which", "remedy")
    for part in parts:
        table.add_row(part.name, "no" if part.missing else "yes", part.missing or part.remark, part.remedy if part.missing else "")
    return table


def _part(name: str, *checks: Callable[[], None]) -> Part:
    for check in checks:
        try:
            check()
        except UserError as error:
            return Part(name, error.what, error.remedy)
    return Part(name)


def _virtual_time() -> Part:
    return _because(VIRTUAL_TIME, explain_missing() or "", how("make kernel", "the remedy in brackets"))


def _because(name: str, reason: str | None, remedy: str) -> Part:
    return Part(name, reason or "", remedy)


def _peer(name: str, switch: str, compiler: str) -> Part:
    try:
        toolchain = choose(switch, compiler)
    except UserError as error:
        return Part(name, error.what, "install it, and put it on PATH (docs/bmv2.md)")
    command = toolchain.bmv2 or toolchain.p4c
    return Part(name, remark="" if command is None else f"{command}, {version(command)}")


def _package(name: str, module: str, remedy: str) -> Part:
    return Part(name, "" if importlib.util.find_spec(module) else f"Python has no {module}", remedy)


def _command(name: str, command: str, remedy: str) -> Part:
    found = shutil.which(command)
    return Part(name, "" if found else f"{command} is not on PATH", remedy, found or "")
