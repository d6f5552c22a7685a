"""Whole networks of Nodectl switches, event by event: to check what no single switch shows.

The switches are reference models, the controllers and senders the real ones without their I/O. Messages, events and
entries take time and arrive in order; a network may lose messages between neighbours. Times are µs, rates kbit/s.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from common.units import BITS_PER_KILOBIT, US_PER_S
from controller import timing
from controller.names import NameBook
from controller.switch_state import SwitchState
from controller.take_back import TakeBack
from hosts.receiver_negotiation import answer
from hosts.sender_negotiation import Action, AskElsewhere, Send, SenderNegotiation, SetRate
from hosts.variants import SENDERS
from protocol.headers import Entry, Event
from protocol.model.reference_model import SwitchModel
from protocol.model.variants import new_model
from protocol.packet_out import decode_entries
from protocol.variant import COMPLETE, Variant, VariantName
from protocol.wire import Flags, Message, MessageType, Negotiation, TransmissionId
from protocol.wire_v2 import ExtendedNegotiation
from scenario.network_description import PortDescription

HOST_PORT = 0
"""Port by which senders' messages come to the first switch; it takes no part."""
INNER_PORT = 1000
"""And to the others."""


@dataclass(eq=False)
class Transmission:
    """A sender, or one subflow of one, and its way: the (switch, egress port) pairs it crosses, in order.

    `of`: number of the transmission that it is a subflow of (its own number: it is the only one).
    `host`: number of the host that sends (its own number: nothing else does).
    """

    number: int
    way: list[tuple[str, int]]
    wanted_kbps: int
    hop_us: int
    of: int | None = None
    host: int | None = None
    min_kbps: int = 0
    is_deployable: bool = False
    follows_level: bool = False
    """As senders of the fair-level variant do (decision "one level a port")."""
    bypassed: frozenset[str] = frozenset()
    """Switches on its way that messages to it do not pass (decision "answers that come another way")."""
    follows_rtt: bool = True
    """Whether it is told the present RTT, as the kernel tells it, before whatever it does."""
    on_refused: Callable[[], None] | None = None
    """Called if it is refused on this way; None: there is no other way (decision "another path")."""
    obeys: bool = True
    """If not, it hears of nothing that would make it slower."""
    received: Counter[MessageType] = field(default_factory=Counter)
    sender: SenderNegotiation = field(init=False)
    woken_at_us: int = -1

    def __post_init__(self) -> None:
        rtt_us = self.rtt_us(self.hop_us)
        whole = self.number if self.of is None else self.of
        name = VariantName.FAIR_LEVEL if self.follows_level else VariantName.DEPLOYABLE if self.is_deployable else VariantName.PAPER
        identity = TransmissionId(whole, 0, self.number)
        self.sender = SenderNegotiation(SENDERS[name](0, 0), identity, self.wanted_kbps, self.min_kbps, rtt_us)
        self.sender.has_other_path = self.on_refused is not None
        self.sender_ip, self.receiver_ip = 0x0A000000 + (self.number if self.host is None else self.host), 0x0A800000 + self.number
        self.rate_kbps = 0

    def rtt_us(self, hop_us: int) -> int:
        """There and back, with so many µs from neighbour to neighbour."""
        return 2 * hop_us * (len(self.way) + 1)

    def crosses(self, switch: str, port: int) -> bool:
        """Whether its data leaves the switch by the port."""
        return (switch, port) in self.way


def without_refreshes(transmission: Transmission) -> int:
    """Messages that the sender has got, but for the answers to its refreshes."""
    received = transmission.received
    return received.total() - received[MessageType.SUCCESS] + transmission.sender.counters.successes


class Network:
    """Switches, controllers and senders, and the events that are to come."""

    def __init__(
        self,
        capacities_kbps: dict[str, dict[int, int]],
        hop_us: int,
        controller_us: int,
        loses: Callable[[], bool] = lambda: False,
        variant: Variant = COMPLETE,
        least_kbps: Mapping[tuple[str, int], int] = {},
    ) -> None:
        """
        Args:
            capacities_kbps: by switch and port.
            hop_us: between neighbours.
            controller_us: switch to controller.
            loses: whether the next message between neighbours is lost.
            variant: of switches and controllers; that of a sender is its own.
            least_kbps: by switch and port, where what others send is taken off the capacity, down to this (decision "the measured load").
        """
        self.loses = loses
        self.lost = 0
        self.variant = variant
        self._capacities_kbps = capacities_kbps
        self._least_kbps = least_kbps
        self.switches: dict[str, SwitchModel] = {
            name: new_model(ports, variant=variant, host_ports={HOST_PORT}) for name, ports in capacities_kbps.items()
        }
        for (name, port), least in least_kbps.items():
            switch = self.switches[name]
            assert switch.reserving is not None
            switch.set_capacity(port, capacities_kbps[name][port], least)
        self.controllers = self._new_controllers()
        self._are_controllers_dead = False
        self.transmissions: dict[TransmissionId, Transmission] = {}
        self.hop_us = hop_us
        self.controller_us = controller_us
        self.now_us = 0
        self.last_change_us = 0
        """When a sender last changed its rate."""
        self.grants_on_the_way_back = True
        """Whether receivers leave it to the switches that the answer passes to say how much is granted."""
        self.keeps_tokens = True
        """Whether a host knows its token from its former transmissions (docs/decisions/nobody-waits-for-what-is-free.md)."""
        self._tokens: dict[int, int] = {}
        self.under_way: Counter[str] = Counter()
        """Events and packet-outs between a switch and its controller: while there are none, all reduces are out."""
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._sequence = 0
        for state in self.controllers.values():
            state.connected(0.0, is_empty=True)
            state.take_batches(0.0)
        self._tick()

    def _new_controllers(self) -> dict[str, SwitchState]:
        return {
            name: SwitchState(
                name,
                [self._description(name, port, rate) for port, rate in ports.items()],
                NameBook({}, {}),
                variant=self.variant,
            )
            for name, ports in self._capacities_kbps.items()
        }

    def _description(self, name: str, port: int, rate_kbps: int) -> PortDescription:
        least_kbps = self._least_kbps.get((name, port))
        least_bps = least_kbps and least_kbps * BITS_PER_KILOBIT
        return PortDescription(port=port, capacity_bps=rate_kbps * BITS_PER_KILOBIT, least_bps=least_bps)

    def set_capacity(self, name: str, port: int, rate_kbps: int) -> None:
        """The link behind a port has another rate, and its controller is told (decision "a link's new rate")."""
        self.switches[name].set_capacity(port, rate_kbps)
        self.controllers[name].set_capacity(port, rate_kbps, self.now_us / US_PER_S)
        self._send_batches(name)

    def kill_controllers(self) -> None:
        """Events and packet-outs that are under way to them, and from them, are lost."""
        self._are_controllers_dead = True
        self.under_way.clear()

    def restart_controllers(self) -> None:
        """They know nothing until the switches tell them."""
        self._are_controllers_dead = False
        self.controllers = self._new_controllers()
        for name, state in self.controllers.items():
            state.connected(self.now_us / US_PER_S, is_empty=False)
            self._send_batches(name)

    def after(self, delay_us: int, action: Callable[[], None]) -> None:
        """Do something so many µs from now; actions at one time keep the order of these calls."""
        self._sequence += 1
        heapq.heappush(self._queue, (self.now_us + delay_us, self._sequence, action))

    def run(self, until_us: int, check: Callable[[Network], None] | None = None) -> None:
        """Runs to a time; `check` is called after every step."""
        while self._queue and self._queue[0][0] <= until_us:
            self.now_us, _, action = heapq.heappop(self._queue)
            action()
            if check is not None:
                check(self)
        self.now_us = until_us

    # Senders

    def start(self, transmission: Transmission) -> None:
        """A sender asks for the first time, with the token that its host knows."""
        self.transmissions[transmission.sender.id] = transmission
        transmission.sender.token = self._tokens.get(transmission.sender_ip, 0)
        self._act(transmission, transmission.sender.start(self.now_us / US_PER_S))

    def stop(self, transmission: Transmission) -> None:
        """A sender terminates its records and sends no more."""
        self._act(transmission, transmission.sender.end())
        transmission.rate_kbps = 0

    def _act(self, transmission: Transmission, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._forward(transmission, action.message, 0)
            elif isinstance(action, SetRate):
                transmission.rate_kbps = action.rate_kbps
                self.last_change_us = self.now_us
            else:
                transmission.rate_kbps = 0
                if isinstance(action, AskElsewhere) and transmission.on_refused is not None:
                    transmission.on_refused()
        deadline_s = transmission.sender.deadline_s
        if deadline_s is not None:
            deadline_us = max(int(deadline_s * US_PER_S) + 1, self.now_us)
            if deadline_us != transmission.woken_at_us:
                transmission.woken_at_us = deadline_us
                self.after(deadline_us - self.now_us, lambda: self._wake(transmission))

    def _tell_rtt(self, transmission: Transmission) -> None:
        if transmission.follows_rtt:
            transmission.sender.note_rtt(lambda: transmission.rtt_us(self.hop_of(transmission)))

    def _wake(self, transmission: Transmission) -> None:
        self._tell_rtt(transmission)
        self._act(transmission, transmission.sender.on_time(self.now_us / US_PER_S))

    def let_through_kbps(self, transmission: Transmission) -> int:
        """The part of its rate that the first switch lets through in its class (decision "enforcement"); the paper's lets all through."""
        switch = self.switches[transmission.way[0][0]]
        if switch.reserving is None:
            return transmission.rate_kbps
        for slot, record in switch.records.items():
            if record.id == transmission.sender.id:
                is_held_to_it = self.now_us >= switch.reserving.enforcement.grace_until_us.get(slot, 0)
                confirmed_kbps = switch.reserving.reserves[slot].confirmed_kbps
                return min(transmission.rate_kbps, min(record.rate_kbps, confirmed_kbps) if is_held_to_it else confirmed_kbps)
        return 0

    # Messages; `position`: how many switches are between the sender and the message

    def _forward(self, transmission: Transmission, message: Message, position: int) -> None:
        self._carry(transmission, lambda: self._arrives_forward(transmission, message, position))

    def _backward(self, transmission: Transmission, message: Message, position: int) -> None:
        self._carry(transmission, lambda: self._arrives_backward(transmission, message, position))

    def _carry(self, transmission: Transmission, arrives: Callable[[], None]) -> None:
        if self.loses():
            self.lost += 1
        else:
            self.after(self.hop_of(transmission), arrives)

    def hop_of(self, _transmission: Transmission) -> int:
        """How long a transmission's messages take between neighbours."""
        return self.hop_us

    def _arrives_forward(self, transmission: Transmission, message: Message, position: int) -> None:
        if position == len(transmission.way):
            success = answer(message)
            if success is not None and not self.grants_on_the_way_back and isinstance(message, ExtendedNegotiation):
                success = replace(message, type=success.type, max_kbps=success.max_kbps)
            if success is not None:
                self._backward(transmission, success, position)
            return
        name, port = transmission.way[position]
        reaction = self.switches[name].handle_message(
            message, transmission.sender_ip, transmission.receiver_ip, INNER_PORT if position else HOST_PORT, port, self.now_us
        )
        self._tell_controller(name, reaction.event, message)
        assert reaction.message is not None
        if reaction.is_dropped:
            return
        if reaction.is_turned_round:
            self._backward(transmission, reaction.message, position)
        else:
            self._forward(transmission, reaction.message, position + 1)

    def _arrives_backward(self, transmission: Transmission, message: Message, position: int) -> None:
        if position == 0:
            transmission.received[message.type] += 1
            if not transmission.obeys and (message.type == MessageType.REDUCE or message.flags & Flags.REFRESH):
                return
            self._tell_rtt(transmission)
            self._act(transmission, transmission.sender.on_message(message, self.now_us / US_PER_S))
            if self.keeps_tokens:
                self._tokens[transmission.sender_ip] = transmission.sender.token
            return
        name, port = transmission.way[position - 1]
        if name in transmission.bypassed:
            self._backward(transmission, message, position - 1)
            return
        reaction = self.switches[name].handle_message(
            message, transmission.receiver_ip, transmission.sender_ip, port, HOST_PORT, self.now_us
        )
        self._tell_controller(name, reaction.event, message)
        assert reaction.message is not None
        if reaction.is_dropped:
            return
        self._backward(transmission, reaction.message, position - 1)

    # Controllers

    def _tell_controller(self, name: str, event: Event | None, message: Message | None) -> None:
        if event is None or self._are_controllers_dead:
            return
        told = self.controllers[name]
        negotiation = message if isinstance(message, Negotiation) else None

        def learns() -> None:
            if self._are_controllers_dead or told is not self.controllers[name]:
                return
            self.under_way[name] -= 1
            self.controllers[name].handle(event, negotiation, self.now_us / US_PER_S)
            self._send_batches(name)

        self.under_way[name] += 1
        self.after(self.controller_us, lambda: self._computes(learns))

    def _computes(self, learns: Callable[[], None]) -> None:
        """An event has come to the controller's processor, which takes no time."""
        learns()

    def _entries_us(self, _count: int) -> int:
        """How long the controller computes so many entries: no time."""
        return 0

    def _tick(self) -> None:
        if not self._are_controllers_dead and self.variant.basis is not VariantName.PAPER:
            TakeBack([*self.controllers.values()], self._first_switch).tick(self.now_us / US_PER_S)
        for name, state in self.controllers.items():
            if not self._are_controllers_dead:
                state.tick(self.now_us / US_PER_S)
                self._send_batches(name)
        self.after(int(timing.TICK_S * US_PER_S), self._tick)

    def _first_switch(self, address: int) -> SwitchState | None:
        ways = (transmission.way for transmission in self.transmissions.values() if transmission.sender_ip == address)
        return next((self.controllers[way[0][0]] for way in ways), None)

    def _send_batches(self, name: str) -> None:
        for batch in self.controllers[name].take_batches(self.now_us / US_PER_S):
            entries = decode_entries(batch.payload)
            self.under_way[name] += 1
            self.after(self._entries_us(len(entries)) + self.controller_us, lambda entries=entries: self._entries_arrive(name, entries))  # type: ignore[misc]

    def _entries_arrive(self, name: str, entries: list[Entry]) -> None:
        if self._are_controllers_dead:
            return
        self.under_way[name] -= 1
        for entry in entries:
            reaction = self.switches[name].handle_entry(entry, True, self.now_us)
            self._tell_controller(name, reaction.event, None)
            if reaction.message is not None:
                transmission = self.transmissions[entry.id]
                self._backward(transmission, reaction.message, transmission.way.index((name, entry.data_port)))
