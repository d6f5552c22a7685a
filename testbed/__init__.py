"""The testbed from Python: :func:`run` carries out a scenario and returns its measurements as pandas frames (docs/python-api.md)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from common.errors import UserError as TestbedError

if TYPE_CHECKING:
    from labs.catalogue import labs
    from labs.checking import Request as LabRequest
    from labs.checking import check_lab
    from labs.grade.grading import Grading
    from labs.handout import write_handout
    from reports.reproduce import claims
    from scenario.run_request import RunRequest
    from testbed.doctor import examine
    from testbed.prompt import open_prompt
    from testbed.python_reproduce import reproduce
    from testbed.python_run import run
    from testbed.result import Result
    from view.live.export import export
    from view.live.server import LiveServer
    from view.recording.pictures_of_run import draw_pictures
    from virtual_time.kernel.build import build as build_kernel

__all__ = [
    "Grading",
    "LabRequest",
    "LiveServer",
    "Result",
    "RunRequest",
    "TestbedError",
    "build_kernel",
    "check_lab",
    "claims",
    "draw_pictures",
    "examine",
    "export",
    "labs",
    "open_prompt",
    "reproduce",
    "run",
    "write_handout",
]

PLACES = {
    "Grading": "labs.grade.grading:Grading",
    "LabRequest": "labs.checking:Request",
    "LiveServer": "view.live.server:LiveServer",
    "Result": "testbed.result:Result",
    "RunRequest": "scenario.run_request:RunRequest",
    "build_kernel": "virtual_time.kernel.build:build",
    "check_lab": "labs.checking:check_lab",
    "claims": "reports.reproduce:claims",
    "draw_pictures": "view.recording.pictures_of_run:draw_pictures",
    "examine": "testbed.doctor:examine",
    "export": "view.live.export:export",
    "labs": "labs.catalogue:labs",
    "open_prompt": "testbed.prompt:open_prompt",
    "reproduce": "testbed.python_reproduce:reproduce",
    "run": "testbed.python_run:run",
    "write_handout": "labs.handout:write_handout",
}
"""Where each name is. It is loaded when it is first used, since the command line needs none of these imports."""


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = PLACES[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
