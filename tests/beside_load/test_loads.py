"""Load that takes processors away leaves alone what a test has stopped itself."""

from __future__ import annotations

import pytest

from tests.beside_load.loads import is_stopped_again

STATUS = "Name:\tswitch\nState:\tT (stopped)\nSigPnd:\t0000000000000000\nShdPnd:\t{}\nSigBlk:\t0000000000000000\n"


@pytest.mark.parametrize(
    ("pending", "again"), [("0000000000000000", False), ("0000000000040000", True), ("0000000000044002", True), ("0000000000020000", False)]
)
def test_a_stop_of_somebody_else_is_seen(pending: str, again: bool) -> None:
    assert is_stopped_again(STATUS.format(pending)) is again
