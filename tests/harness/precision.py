"""How exactly a result is known: in virtual time except for TCP's own effects, in real time as well as a machine keeps time."""

from __future__ import annotations

from common.time_mode import is_virtual_time
from engine.collect.record import CellRecord

SHARE = 0.0005
"""Of rates that Nodectl allocates, in virtual time: a window of some seconds holds no whole number of packets."""

LATEST_MS = 0.02
"""No packet leaves a link later than this in virtual time: the switch's wait for a system call."""


def within(virtual: float, *, real: float) -> float:
    """The one of two tolerances that belongs to the time in which the test runs."""
    return virtual if is_virtual_time() else real


def assert_on_time(record: CellRecord) -> None:
    """In virtual time links keep their model exactly; in real time the run's verdict has judged them already."""
    assert record.verdict is not None
    assert record.verdict.accepted
    if is_virtual_time():
        assert (record.values["lateness_max_ms"] or 0) < LATEST_MS
