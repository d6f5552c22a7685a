"""The testbed from Python: :func:`run` carries out a scenario and returns its measurements as pandas frames (docs/python-api.md)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.errors import UserError as TestbedError
    from testbed.python_run import run
    from testbed.result import Result

__all__ = ["Result", "TestbedError", "run"]

PLACES = {"Result": ("testbed.result", "Result"), "TestbedError": ("common.errors", "UserError"), "run": ("testbed.python_run", "run")}
"""Module and name of each. They are loaded at first use, since the command line needs none of their imports."""


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, original = PLACES[name]
    return getattr(import_module(module), original)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
