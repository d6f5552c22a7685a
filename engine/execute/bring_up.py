"""Brings up networks for cells: the schemes that cells need, checks of this machine, and the testbed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.plan.cell import Cell
from engine.plan.data_plane import FOLDER, DataPlanes
from engine.plan.disciplines import check_switch_has_disciplines
from engine.plan.options import RunOptions
from engine.plan.program_files import programs_of
from engine.plan.schemes import check_schemes, ecn_scheme_of, needed_schemes, p4_source_of, schemes_of
from scenario.run_request import RunRequest
from scenario.scenario import Scenario
from topo.frame_capture import check_capture
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.preflight import check_all, check_built_for
from topo.toolchain import SOURCE, Toolchain

if TYPE_CHECKING:
    from topo.testbed import Testbed

ECN_SYSCTL, CLASSIC, ACCURATE = "net.ipv4.tcp_ecn", "1", "3"
"""Connections ask for ECN, and grant it: that of RFC 3168, or of RFC 9768."""

OF_ACCURATE_ECN = Path("/proc/sys/net/ipv4/tcp_ecn_option")
"""Kernels with Accurate ECN have it."""


def labels_of(scenarios: Sequence[Scenario], plan: NetworkPlan) -> dict[str, str]:
    """Names of transmissions for the controller, by addresses; several of one pair of hosts share the key."""
    found: dict[str, dict[str, None]] = {}
    for scenario in scenarios:
        for t in scenario.transmissions:
            for interface in plan.interfaces(t.sender):
                found.setdefault(f"{interface.ip}>{plan.hosts[t.receiver].ip}", {})[t.name] = None
    return {pair: "/".join(names) for pair, names in found.items()}


def check_can_run(scenarios: Sequence[Scenario], toolchain: Toolchain, grpc_base_port: int, *, virtual: bool = False) -> None:
    """Check everything that scenarios' testbeds need of this machine, before anything is made.

    Args:
        virtual: they run in virtual time, which brings its own kernel: nobody has to be root.

    Raises:
        UserError: the first thing that is missing.
    """
    if any(scenario.programs for scenario in scenarios):
        programs_of(scenarios)
    data_planes = DataPlanes(toolchain)
    for scenario in scenarios:
        for scheme in schemes_of(scenario):
            p4_source_of([scheme])
        check_switch_has_disciplines(scenario, toolchain)
        data_planes.of(scenario)
    if virtual:
        check_built_for(toolchain)
        return
    switches = max((len(plan_network(scenario, grpc_base_port).switches) for scenario in scenarios), default=0)
    needs_bpf = True in {check_schemes(schemes_of(scenario)) for scenario in scenarios}
    check_all(toolchain, range(grpc_base_port, grpc_base_port + switches), needs_bpf=needs_bpf)


def check_ends(request: RunRequest, scenarios: Sequence[Scenario], toolchain: Toolchain) -> None:
    """The ends of links whose frames are to be recorded are there (topo/frame_capture.py).

    Raises:
        UserError: one of the scenarios' networks has not got them all.
    """
    for scenario in scenarios if request.ends else ():
        check_capture(plan_network(scenario), request.ends, beside_bmv2=toolchain.bmv2 is not None)


def make_testbed(cells: Sequence[Cell], folder: Path, options: RunOptions) -> Testbed:
    """A testbed on which all these cells can be measured, one after the other; they have one key (engine/plan/network_key.py).

    Args:
        folder: for its logs; made if necessary.
        options: how they are measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scenario = cells[0].scenario
    plan = plan_network(scenario, options.request.grpc_base_port)
    schemes = {scheme.text: scheme for cell in cells for scheme in needed_schemes(cell)}
    ecn = ecn_scheme_of(needed_schemes(cells[0]))
    data_plane = options.data_plane or options.data_planes.of(scenario).written_to(folder / FOLDER)
    is_whole = set(plan.switches) == set(data_plane.switches)
    if ecn is not None:
        accurate = ecn.needs.l4s and OF_ACCURATE_ECN.exists()
        plan.sysctl = {ECN_SYSCTL: ACCURATE if accurate else CLASSIC} | plan.sysctl
    given: Mapping[str, Any] = {
        "folder": folder,
        "labels": labels_of([cell.scenario for cell in cells], plan),
        "congestion_controls": tuple(text for text, scheme in schemes.items() if not scheme.from_kernel),
        "variant": scenario.nodectl,
        "toolchain": options.toolchain,
        "p4_source": SOURCE if is_whole else p4_source_of(needed_schemes(cells[0])),
        "data_plane": data_plane,
        "receiving": None if ecn is None else ecn.text,
        "request": options.request,
    }
    from topo.testbed import Testbed, TestbedOptions  # only here: it needs Mininet, which is there where networks are

    return Testbed(plan, TestbedOptions(**given))
