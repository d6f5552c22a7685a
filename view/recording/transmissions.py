"""Whose flow it is: the transmission of a TCP connection, told from its addresses, and from its ports where the senders have said them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from view.recording.network_view import PlannedTransmission
from view.recording.switch_samples import Flow


class FlowNames:
    """Names flows.

    Several transmissions of one pair of hosts are told apart by the order in which they start; with a prompt they are one.

    Args:
        planned: the run's transmissions; none with a prompt, where flows have the names of the controller's records.
        addresses: names of host interfaces by address.
        data_port: that receivers listen on.
        labels: the controller's names for the transmissions of a pair of hosts, by ``SENDER_IP>RECEIVER_IP``.
    """

    def __init__(
        self, planned: Sequence[PlannedTransmission], addresses: Mapping[str, str], data_port: int, labels: Mapping[str, str]
    ) -> None:
        self._addresses = addresses
        self._data_port = data_port
        self._is_planned = bool(planned)
        self._waiting: dict[tuple[str, str], list[str]] = defaultdict(list)
        for one in sorted(planned, key=lambda each: each.planned.start_s):
            for number in range(len(one.ways)):
                interface = one.planned.sender if number == 0 else f"{one.planned.sender}.{number}"
                self._waiting[interface, one.planned.receiver].append(one.name)
        self._labels = labels
        self._known: dict[Flow, str | None] = {}

    def __call__(self, flow: Flow) -> str | None:
        """The transmission whose data the flow carries; None: it carries acknowledgements, or is nobody's."""
        if flow not in self._known:
            self._known[flow] = self._named(flow)
        return self._known[flow]

    def _named(self, flow: Flow) -> str | None:
        source, destination, _, destination_port = flow
        sender, receiver = self._addresses.get(source), self._addresses.get(destination)
        if sender is None or receiver is None or destination_port != self._data_port:
            return None
        if not self._is_planned:
            return self._labels.get(f"{source}>{destination}") or f"{sender}→{receiver}"
        waiting = self._waiting[sender, receiver]
        return waiting.pop(0) if waiting else None
