"""The testbed from Python: :func:`run` carries out a scenario and returns its measurements as pandas frames (docs/python-api.md)."""

from common.errors import UserError as TestbedError
from testbed.python_run import run
from testbed.result import Result

__all__ = ["Result", "TestbedError", "run"]
