"""The deployable variant in which senders follow one level a port (docs/protocol.md, D32)."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.errors import UserError
from protocol.variant import Variant, VariantName


@dataclass(frozen=True)
class FairLevelVariant(Variant):
    """With all decisions of the deployable variant."""

    is_deployable: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.without or not self.is_deployable:
            raise UserError(f"nothing can be left out of the variant {self.basis}", "without = [...] is for the others")

    @property
    def basis(self) -> VariantName:
        """Which Nodectl it is."""
        return VariantName.FAIR_LEVEL

    @property
    def defines(self) -> tuple[str, ...]:
        """As in Variant."""
        return ("NODECTL_FAIR_LEVEL", *super().defines)


FAIR_LEVEL = FairLevelVariant()
