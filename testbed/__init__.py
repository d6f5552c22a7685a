"""The testbed from Python: :func:`run` carries out a scenario and returns its measurements as pandas frames (docs/python-api.md)."""

from common.errors import UserError as TestbedError
from testbed.result import Result
from testbed.running import run

__all__ = ["Result", "TestbedError", "run"]
