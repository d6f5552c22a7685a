"""The paper's variant: the lists of Algorithm 1, and nothing besides."""

from __future__ import annotations

from common.units import US_PER_S
from controller.adjustment_lists import AdjustmentLists
from controller.decisions import Changes, changes_to_fit
from controller.known_switch import SwitchOptions
from controller.policy import Policy
from controller.records import PortRecords, Record
from protocol.headers import Event
from protocol.wire import Negotiation
from scenario.network_description import PortDescription


class PaperRules:
    """Events tell no reserves and no Mins, a transmission is a group, and what a message tells is believed."""

    reads_with_each_batch = False
    takes_back = False

    def new_port(self, port: PortDescription) -> PortRecords:
        """As in Bookkeeping."""
        return PortRecords(port.port, port.capacity_kbps, port.tolerance_kbps, port.peer)

    def undescribed_port(self, number: int) -> PortRecords:
        """As in Bookkeeping."""
        return PortRecords(number, 0, 0)

    def new_keys(self) -> list[int]:
        """The program needs none."""
        return []

    def note(self, record: Record, event: Event) -> None:
        """There is nothing besides."""

    def rtt_s(self, message: Negotiation) -> float:
        """As in ListRules."""
        return message.rtt_us / US_PER_S

    def note_refresh(self, record: Record, message: Negotiation) -> None:
        """There is nothing besides."""

    def is_held_back(self, _record: Record) -> bool:
        """Its own next request says so."""
        return False

    def keep_minimum(self, changes: Changes) -> None:
        """Nobody's Min is known: a sender that is reduced below its Min gives up."""

    def without_room(self, _port: PortRecords) -> list[Record]:
        """There is room for all: their rates only become less."""
        return []

    def changes_to_fit(self, port: PortRecords) -> Changes | None:
        """As in ListRules."""
        return changes_to_fit(port)


def policy(options: SwitchOptions) -> Policy:
    """The policy for one switch."""
    return AdjustmentLists(options, PaperRules())
