"""Takes back the rate that a sender keeps after a reduce (docs/decisions/enforcement.md).

The sender's first switch holds it to the reduced rate, so nobody is harmed. There is no I/O and no clock, as in
controller/switch_state.py; entries wait in the switches' outboxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller import timing
from controller.records import Record
from controller.switch_state import SwitchState


class TakeBack:
    """Looks at all switches of a network: one alone does not know whether the first one has heard of a reduce."""

    def __init__(self, states: Sequence[SwitchState], first_switch: Callable[[int], SwitchState | None]) -> None:
        """``first_switch``: the one that a sender is behind, by its address; None if that is not known."""
        self._states = states
        self._first_switch = first_switch

    def tick(self, now_s: float) -> None:
        """Take back what is due; to be called every `timing.TICK_S` while all switches are connected."""
        if all(state.knows_all_records for state in self._states):
            for state in self._states:
                for record in state.keeping_too_much(now_s):
                    self._take_back(state, record, now_s)

    def _take_back(self, state: SwitchState, record: Record, now_s: float) -> None:
        first = self._first_switch(record.sender_ip)
        if first is None:
            return
        metered = first.records_of(record.id)
        if any(one.rate_kbps > record.rate_kbps for one in metered):
            state.reduce_again(record, now_s)  # it was lost before it came there
        elif all(now_s - one.lowered_at_s >= timing.OBEYED_AFTER_S for one in metered):
            state.take_back(record)
