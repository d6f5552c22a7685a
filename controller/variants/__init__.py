"""The controller's policy of each variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.known_switch import SwitchOptions
from controller.policy import Policy
from controller.variants import deployable, fair_level, paper
from protocol.variant import VariantName

POLICIES: Mapping[VariantName, Callable[[SwitchOptions], Policy]] = {
    VariantName.PAPER: paper.policy,
    VariantName.DEPLOYABLE: deployable.policy,
    VariantName.FAIR_LEVEL: fair_level.policy,
}


def policy_of(options: SwitchOptions) -> Policy:
    """The policy for a switch of the options' variant."""
    return POLICIES[options.variant.basis](options)
