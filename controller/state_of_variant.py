"""What the controller knows of a switch, for each variant."""

from __future__ import annotations

from controller.fair_level_state import FairLevelState
from controller.switch_state import SwitchState
from protocol.variant import Variant, VariantName


def state_class(variant: Variant) -> type[SwitchState]:
    """The class for switches of that variant."""
    return FairLevelState if variant.basis is VariantName.FAIR_LEVEL else SwitchState
