"""The deployable variant (docs/protocol/deployable.md): the paper's lists, with Mins, reserves, and one share for each source."""

from __future__ import annotations

from collections.abc import Callable

from common.units import US_PER_S
from controller.adjustment_lists import AdjustmentLists
from controller.decisions import Changes, keep_minimum
from controller.known_switch import SwitchOptions
from controller.minimum import changes_to_fit_above_minimum, without_room
from controller.policy import Policy
from controller.records import Load, PortRecords, Record
from protocol.deployable_headers import KEYS, MAX_COUNTED_RTT_US, DeployableEvent
from protocol.headers import Event
from protocol.wire import Negotiation
from scenario.network_description import PortDescription


class ReserveRules:
    """Events tell reserves and Mins, and a switch has secrets."""

    reads_with_each_batch = True
    takes_back = True

    def __init__(self, new_key: Callable[[], int]) -> None:
        self._new_key = new_key

    def new_port(self, port: PortDescription) -> PortRecords:
        """As in Bookkeeping."""
        described = PortRecords(port.port, port.capacity_kbps, port.tolerance_kbps, port.peer, shares_by_source=True)
        if port.least_kbps is not None:
            described.load = Load(port.capacity_kbps, port.least_kbps)
        return described

    def undescribed_port(self, number: int) -> PortRecords:
        """As in Bookkeeping."""
        return PortRecords(number, 0, 0, shares_by_source=True)

    def new_keys(self) -> list[int]:
        """As in Bookkeeping (decisions "tokens", "places by a keyed hash")."""
        return [self._new_key() for _ in range(KEYS)]

    def note(self, record: Record, event: Event) -> None:
        """As in Bookkeeping (decisions "two-phase grants", "Mins are kept")."""
        if isinstance(event, DeployableEvent):
            record.min_kbps = event.min_kbps
            record.reserved_kbps = event.reserved_kbps

    def rtt_s(self, message: Negotiation) -> float:
        """As in ListRules (decision "arrivals of a source")."""
        return min(message.rtt_us, MAX_COUNTED_RTT_US) / US_PER_S

    def note_refresh(self, record: Record, message: Negotiation) -> None:
        """A refresh tells the present RTT."""
        record.rtt_s = self.rtt_s(message)

    def is_held_back(self, record: Record) -> bool:
        """It may have asked only for the rate that it was told was available."""
        return record.is_bottleneck

    def keep_minimum(self, changes: Changes) -> None:
        """As in ListRules (decision "Mins are kept")."""
        keep_minimum(changes)

    def without_room(self, port: PortRecords) -> list[Record]:
        """Of those whose Mins do not fit any more, the last that came (decision "Mins of a link that gets slower")."""
        return without_room(port)

    def changes_to_fit(self, port: PortRecords) -> Changes | None:
        """As in ListRules; None: all are at their Mins."""
        changes = changes_to_fit_above_minimum(port)
        return changes if changes.reduce else None


def policy(options: SwitchOptions) -> Policy:
    """The policy for one switch."""
    return AdjustmentLists(options, ReserveRules(options.new_key))
