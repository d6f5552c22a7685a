"""The controller of the fair-level variant: it learns who has a record and asks for their age, and sends nothing else about them."""

from __future__ import annotations

from common.units import US_PER_S
from controller.names import NameBook
from controller.switch_state import SwitchState
from protocol.codes import EntryType
from protocol.constants import RECORD_TIMEOUT_S, SLOTS
from protocol.deployable_headers import MessageExtension
from protocol.headers import Entry, TransmissionId
from protocol.model.variants import new_model
from protocol.packet_out import decode_entries
from protocol.variant import FAIR_LEVEL
from protocol.wire import MessageType
from protocol.wire_v2 import ExtendedNegotiation
from scenario.network_description import PortDescription

PORT = 2
TICK_S = 0.1


class Pair:
    """A switch's model and its controller."""

    def __init__(self) -> None:
        self.model = new_model({PORT: 36_000}, variant=FAIR_LEVEL)
        self.now_s = 0.0
        self.start(is_empty=True)
        self.run(2 * TICK_S)  # its keys come first

    def start(self, *, is_empty: bool) -> None:
        self.state = SwitchState("s1", [PortDescription(port=PORT, capacity_bps=36_000_000)], NameBook({}, {}), variant=FAIR_LEVEL)
        self.state.connected(self.now_s, is_empty=is_empty)

    def ask(self, number: int, sequence: int = 1) -> None:
        extension = MessageExtension(sequence=sequence, granted_kbps=36_000)
        message = ExtendedNegotiation(MessageType.REQUEST, TransmissionId(number, 0), 36_000, 0, 20_000, extension=extension)
        reaction = self.model.handle_message(message, number, 99, 1, PORT, round(self.now_s * US_PER_S))
        if reaction.event is not None:
            self.state.handle(reaction.event, message, self.now_s)

    def run(self, seconds: float) -> list[Entry]:
        """Let time pass; returns the entries that the controller sends meanwhile."""
        sent = []
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.now_s += TICK_S
            self.state.tick(self.now_s)
            for batch in self.state.take_batches(self.now_s):
                for entry in decode_entries(batch.payload):
                    sent.append(entry)
                    reaction = self.model.handle_entry(entry, True, round(self.now_s * US_PER_S))
                    if reaction.event is not None:
                        self.state.handle(reaction.event, None, self.now_s)
        return sent

    @property
    def known(self) -> int:
        return len(self.state.ports[PORT].records)


def test_nobody_is_told_that_others_came() -> None:
    pair = Pair()
    for number in range(1, 40):
        pair.ask(number)
    assert pair.known == 39
    assert {entry.type for entry in pair.run(RECORD_TIMEOUT_S / 2)} == {EntryType.READ_PORT}
    assert pair.state.ports[PORT].totals().count == 39


def test_who_does_not_ask_any_more_goes_and_the_others_stay() -> None:
    pair = Pair()
    pair.ask(1)
    pair.ask(2)
    pair.run(RECORD_TIMEOUT_S - 1)
    pair.ask(1, sequence=2)
    assert [entry.type for entry in pair.run(2)].count(EntryType.EXPIRE) == 2
    assert pair.known == len(pair.model.records) == 1
    pair.run(2 * RECORD_TIMEOUT_S)
    assert pair.known == len(pair.model.records) == 0


def test_one_that_starts_beside_records_reads_them_all() -> None:
    pair = Pair()
    for number in range(1, 6):
        pair.ask(number)
    pair.start(is_empty=False)
    assert not pair.state.reconciler.is_synchronised
    sent = pair.run(3)
    assert [entry.value for entry in sent if entry.type is EntryType.READ_SLOT] == list(range(SLOTS))
    assert pair.known == 5
    assert pair.state.reconciler.is_synchronised
    assert pair.state.knows_all_records
    (told,) = pair.state.take_announcements()
    assert (told["event"], told["records"]) == ("took_over", 5)


def test_another_capacity_is_the_switchs_business() -> None:
    pair = Pair()
    pair.ask(1)
    pair.run(1)
    assert pair.state.set_capacity(PORT, 10_000, pair.now_s) == (0, 0)
    assert pair.state.ports[PORT].capacity_kbps == 10_000
    assert EntryType.REDUCE not in {entry.type for entry in pair.run(10)}
