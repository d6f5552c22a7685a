"""Load that takes processors away leaves alone what a test has stopped itself."""

from __future__ import annotations

import pytest

from tests.beside_load.loads import is_stopped_again

STATUS = "Name:\tswitch\nState:\t{}\nSigPnd:\t0000000000000000\nShdPnd:\t{}\nSigBlk:\t0000000000000000\n"
STOPPED, RUNS = "T (stopped)", "R (running)"


@pytest.mark.parametrize(
    ("state", "pending", "again"),
    [
        (STOPPED, "0000000000000000", False),
        (STOPPED, "0000000000040000", True),
        (STOPPED, "0000000000044002", True),
        (STOPPED, "0000000000020000", False),
        (RUNS, "0000000000040000", False),
    ],
)
def test_a_stop_of_somebody_else_is_seen(state: str, pending: str, again: bool) -> None:
    assert is_stopped_again(STATUS.format(state, pending)) is again
