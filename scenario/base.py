"""The base of all parts of a scenario file: strict models, names, rates."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

PositiveRate = Annotated[float, Field(gt=0, le=100_000, examples=[20])]
Name = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$",
        description="a name: a letter, then up to 15 letters, digits, _ or -, as a text",
        examples=["h1"],
    ),
]
SchemeName = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9_:]{0,31}(\([a-z0-9_=., ]*\))?$",
        description="the name of a scheme, constants in brackets, as a text",
        examples=["cubic"],
    ),
]
"""``NAME`` is this testbed's own, ``linux:NAME`` the kernel's; constants in brackets: ``qtcolfair(alpha=1.5)``."""


class Strict(BaseModel):
    """A part of a scenario file: unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)
