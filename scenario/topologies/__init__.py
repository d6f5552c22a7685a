"""The kinds of topology, a file each; a new one is found by being here."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Union, get_args

from pydantic import Field

from scenario.topologies.kind import HostSetup, Layout, TopologyKind


def _found() -> dict[str, type[TopologyKind]]:
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    kinds: list[type[TopologyKind]] = TopologyKind.__subclasses__()
    return {str(get_args(kind.model_fields["kind"].annotation)[0]): kind for kind in kinds}


KINDS = _found()
"""By the name that a scenario's ``topology.kind`` gives."""

if TYPE_CHECKING:
    Topology = TopologyKind
else:
    Topology = Annotated[Union[tuple(KINDS.values())], Field(discriminator="kind")]  # noqa: UP007 - the members are not known beforehand

__all__ = ["KINDS", "HostSetup", "Layout", "Topology", "TopologyKind"]
