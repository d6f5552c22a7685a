"""The reference model of each variant."""

from __future__ import annotations

from protocol.deployable_model import DeployableSwitchModel
from protocol.fair_level_model import FairLevelSwitchModel
from protocol.reference_model import SwitchModel
from protocol.variant import Variant, VariantName

_MODELS: dict[VariantName, type[SwitchModel]] = {
    VariantName.PAPER: SwitchModel,
    VariantName.DEPLOYABLE: DeployableSwitchModel,
    VariantName.FAIR_LEVEL: FairLevelSwitchModel,
}


def model_of(variant: Variant) -> type[SwitchModel]:
    """The class that does what the P4 program does when compiled as that variant."""
    return _MODELS[variant.basis]
