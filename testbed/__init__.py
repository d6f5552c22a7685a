"""The testbed from Python: :func:`run` carries out a scenario and returns its measurements as pandas frames (docs/python-api.md)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from common.errors import UserError as TestbedError

if TYPE_CHECKING:
    from testbed.python_run import run
    from testbed.result import Result

__all__ = ["Result", "TestbedError", "run"]

MODULES = {"Result": "testbed.result", "run": "testbed.python_run"}
"""The modules that are loaded when their name is first used, since the command line needs none of their imports."""


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
