"""The reference model of each variant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from protocol.model.reference_model import ModelRules, SwitchModel
from protocol.model.variants.deployable import DeployableRules
from protocol.model.variants.fair_level import FairLevelRules
from protocol.model.variants.paper import PaperRules
from protocol.variant import COMPLETE, Variant, VariantName

RULES: Mapping[VariantName, Callable[[Variant, Mapping[int, int], Collection[int]], ModelRules]] = {
    VariantName.PAPER: PaperRules,
    VariantName.DEPLOYABLE: DeployableRules,
    VariantName.FAIR_LEVEL: FairLevelRules,
}
"""Made from the variant, the ports' capacities in kbit/s, and the ports with hosts behind them."""


def new_model(
    capacities_kbps: dict[int, int],
    tolerances_kbps: dict[int, int] | None = None,
    variant: Variant = COMPLETE,
    host_ports: Collection[int] = (),
) -> SwitchModel:
    """A switch that does what the P4 program does when compiled as that variant.

    Args:
        capacities_kbps: by port; others take no part.
        tolerances_kbps: β by port.
        variant: which Nodectl.
        host_ports: the ports with hosts behind them; some variants do not believe these hosts without proof.
    """
    return SwitchModel(RULES[variant.basis](variant, capacities_kbps, host_ports), capacities_kbps, tolerances_kbps, variant)
