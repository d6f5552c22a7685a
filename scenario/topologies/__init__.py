"""The kinds of topology, a file each; a new one is found by being here."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from scenario.topologies.kind import Layout, TopologyKind


def _found() -> dict[str, type[TopologyKind]]:
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return {str(cls.model_fields["kind"].annotation.__args__[0]): cls for cls in TopologyKind.__subclasses__()}  # type: ignore[union-attr]


KINDS = _found()
"""By the name that a scenario's ``topology.kind`` gives."""

if TYPE_CHECKING:
    Topology = TopologyKind
else:
    Topology = Annotated[Union[tuple(KINDS.values())], Field(discriminator="kind")]  # noqa: UP007 - the members are not known beforehand

__all__ = ["KINDS", "Layout", "Topology", "TopologyKind"]
