"""Events that a scenario wants during its run: faults of a part, links that change or break."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from scenario.base import Name, Strict
from scenario.links import LinkParameters

ACTIONS = ("kill", "restart", "set_link", "link_down", "link_up")
CONTROLLER = "controller"


class Event(Strict):
    """One event: ``at_s`` and one of the actions.

    ``set_link = ["s1", "s2"]`` takes keys of a link beside it: ``{ at_s = 5, set_link = ["s1", "s2"], rate_mbps = 20 }``.
    """

    at_s: float = Field(ge=0)
    """Seconds after the start of the transmissions."""
    kill: str | None = Field(default=None, examples=["controller"])
    """A part of the testbed that ends at once: ``controller``, ``switch``, or ``host NAME``'s program."""
    restart: str | None = Field(default=None, examples=["controller"])
    """A killed part that starts again."""
    set_link: tuple[Name, Name] | None = Field(default=None, examples=[["s1", "s2"]])
    """The link whose keys change; the keys stand beside it."""
    link_down: tuple[Name, Name] | None = Field(default=None, examples=[["s1", "s2"]])
    """The link that breaks."""
    link_up: tuple[Name, Name] | None = Field(default=None, examples=[["s1", "s2"]])
    """The link that works again."""
    changes: dict[str, Any] = Field(default={}, examples=[{"rate_mbps": 20}])
    """With ``set_link``: the new values of the link's keys."""
    both_ways: bool = True
    """Both directions of the link change; false: only the one from the first-named end."""

    @model_validator(mode="before")
    @classmethod
    def _gather_changes(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "set_link" not in value:
            return value
        changed = {key: part for key, part in value.items() if key in LinkParameters.model_fields}
        return {key: part for key, part in value.items() if key not in changed} | {"changes": value.get("changes", {}) | changed}

    @model_validator(mode="after")
    def _has_one_action(self) -> Event:
        named = [action for action in ACTIONS if getattr(self, action) is not None]
        if len(named) != 1:
            raise ValueError(f"an event has one action out of {', '.join(ACTIONS)}; this one has {', '.join(named) or 'none'}")
        if self.set_link and not self.changes:
            raise ValueError("set_link: say which keys of the link change, e.g. rate_mbps = 20")
        return self

    @property
    def action(self) -> str:
        """Which of the actions."""
        return next(action for action in ACTIONS if getattr(self, action) is not None)

    @property
    def ends(self) -> tuple[str, str] | None:
        """The link that is meant, if one is."""
        return self.set_link or self.link_down or self.link_up

    def __str__(self) -> str:
        if self.ends is None:
            return f"{self.action} {self.kill or self.restart}"
        changed = ", ".join(f"{key} = {value}" for key, value in self.changes.items())
        return f"{self.action.replace('_', ' ')} {'–'.join(self.ends)}{f' ({changed})' if changed else ''}"
