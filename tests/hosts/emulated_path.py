"""Rules of tests over an emulated path: when they are skipped, how long they may take, and when they are repeated."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec

import pytest

from bench.studies.emulated_transfers.emulated_path import ATTEMPTS, EmulatedPath, why_no_namespaces
from tests.harness.long_tests import LONG

P = ParamSpec("P")

LIMIT_S = 1200 if LONG else 300
"""For one test, with the repetitions that the fidelity verdict asks for."""


def skip_without_namespaces() -> None:
    """Skips the test, saying so, where namespaces or TAP devices cannot be made."""
    if missing := why_no_namespaces():
        pytest.skip(f"{missing}: sending over network namespaces is NOT tested")


def repeated_if_unfaithful(test: Callable[P, None]) -> Callable[P, None]:
    """Decorates a test that measures, so that it depends on real time: a run counts if the machine was able to emulate the path.

    Else it is repeated, which pytest shows as a warning; a test without any run that counts fails.
    """

    @pytest.mark.real_time
    @functools.wraps(test)
    def attempt(*arguments: P.args, **named: P.kwargs) -> None:
        for number in range(1, ATTEMPTS + 1):
            failure = None
            EmulatedPath.was_ever_unfaithful = False
            try:
                test(*arguments, **named)
            except AssertionError as error:
                failure = error
            if not EmulatedPath.was_ever_unfaithful:
                if failure is not None:
                    raise failure
                return
            warnings.warn(f"attempt {number} of {ATTEMPTS} does not count: the machine was too busy to emulate the path", stacklevel=2)
        pytest.fail(f"this machine was too busy to emulate a path, {ATTEMPTS} times")

    return attempt
