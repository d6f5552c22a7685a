"""Disciplines of the link model: which of a port's queues is next."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from scenario.disciplines.base import Discipline, Weight


class Drr(Discipline):
    """Deficit round robin."""

    queues: int = Field(default=8, ge=1, le=1024)
    quantum_bytes: Weight = 1514
    weights: tuple[Weight, ...] = ()
    new_first: bool = False

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"drr": self.model_dump(mode="json")}}


class Wrr(Discipline):
    """Weighted round robin."""

    weights: tuple[Weight, ...] = Field(min_length=1, max_length=1024)

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"wrr": self.model_dump(mode="json")}}


class Pifo(Discipline):
    """The smallest rank first."""

    queues: int = Field(default=1, ge=1, le=64)

    def fields_of_link(self) -> dict[str, Any]:
        """See :meth:`Discipline.fields_of_link`."""
        return {"scheduler": {"pifo": self.model_dump(mode="json")}}
