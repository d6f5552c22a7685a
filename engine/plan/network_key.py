"""Which cells can be measured on one running network."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from engine.plan.cell import Cell
from engine.plan.options import RunOptions
from engine.plan.schemes import ecn_scheme_of, needed_schemes, p4_source_of
from protocol.variant import VariantName
from scenario.links import LinkParameters
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.toolchain import SOURCE


def network_key(scenario: Scenario, plan: NetworkPlan, program: str = str(SOURCE), *, ecn: str = "") -> str:
    """A key that is equal for scenarios that can be measured on one running network.

    Links may differ in everything but their rates and the part of them that is kept for transmissions that negotiate: the controller is
    told of these when it starts.

    Args:
        program: the one that the switches run: a P4 program, or the checksum of a data plane.
        ecn: name of the scheme whose use of ECN the hosts follow.
    """
    shape = replace(plan, seed=0, switches={}, hosts={})
    rates = [(*ends, link.rate_bps, *_part_of(link)) for ends, link in ((ends, plan.direction(*ends)) for ends in plan.directions())]
    nodectl = sorted([*scenario.without, *([] if scenario.variant is VariantName.PAPER else [scenario.variant])])
    described = json.dumps([repr(shape), list(plan.hosts), rates, nodectl, program, ecn])
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def _part_of(link: LinkParameters) -> tuple[float, ...]:
    """Values of a link, besides its rate, that the controller is told: none for most links."""
    return () if link.negotiated_percent == 100 else (link.negotiated_percent,)


def key_of(cell: Cell, options: RunOptions) -> str:
    """:func:`network_key` of a cell."""
    schemes = needed_schemes(cell)
    plan, ecn = plan_network(cell.scenario, options.request.grpc_base_port), ecn_scheme_of(schemes)
    given = options.data_plane is not None  # then there is one network alone, inside
    program = "" if given else options.data_planes.of(cell.scenario).digest or str(p4_source_of(schemes))
    return network_key(cell.scenario, plan, program, ecn="" if ecn is None else ecn.name)
