"""The fair-level variant (docs/decisions/one-level-a-port.md) in the reference model: the behaviour of p4src/nodectl_fair_level.p4.

It is the deployable variant (variants/deployable.py), but each port offers one level to all, and its senders ask again and again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from protocol.codes import AdmittedVerdict, EventType, Flags
from protocol.headers import Entry
from protocol.model.allocation import subflow_share_kbps
from protocol.model.port_model import Group, Port, Record
from protocol.model.reference_model import Reaction, SwitchModel
from protocol.model.variants.deployable import DeployableRules
from protocol.variant import Variant
from protocol.wire import Negotiation
from protocol.wire_v2 import ExtendedNegotiation


def fair_level_kbps(port: Port) -> int:
    """The level for one more sender besides those in the port's sums, if it could use all of the level, rounded down.

    Senders that have less than the level are held back elsewhere, or want no more; the others share the rest. No level is below an
    equal part of the capacity.
    """
    rest_kbps = max(0, port.capacity_kbps - (port.sum_kbps - port.bottleneck_sum_kbps))
    return max(port.capacity_kbps // (port.count + 1), rest_kbps // (port.bottleneck_count + 1))


class FairLevelRules:
    """The rules of a switch whose senders follow a level; methods as in ModelRules."""

    shares_by_source = True

    def __init__(self, variant: Variant, capacities_kbps: Mapping[int, int], host_ports: Collection[int] = ()) -> None:
        """``host_ports``: the ports with hosts behind them, which it does not believe without proof."""
        self.reserving = reserving = DeployableRules(variant, capacities_kbps, host_ports)
        self.most_siblings = reserving.most_siblings
        self.set_capacity = reserving.set_capacity
        self.handle_message = reserving.handle_message
        self.record_candidates = reserving.record_candidates
        self.group_candidates = reserving.group_candidates
        self.expected_q8 = reserving.expected_q8
        self.failure = reserving.failure
        self.left_after_refusal = reserving.left_after_refusal
        self.limits = reserving.limits

    def handle_entry(self, of: SwitchModel, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """No event tells of a record that is still alive."""
        reaction = self.reserving.handle_entry(of, entry, has_route, now_us)
        is_alive = reaction.event is not None and reaction.event.event == EventType.REFRESHED
        return replace(reaction, event=None) if is_alive else reaction

    def share(
        self, _of: SwitchModel, _message: Negotiation, port: Port, record: Record | None, siblings: Group, _expected_q8: int
    ) -> tuple[int, int, AdmittedVerdict]:
        """One level for all."""
        level_kbps = fair_level_kbps(port)
        share_kbps = subflow_share_kbps(level_kbps, siblings.sum_kbps, siblings.count) if siblings.count else level_kbps
        if record is not None and self._fits(port, record):
            share_kbps = max(share_kbps, self.reserving.current.min_kbps)
        return share_kbps, level_kbps, AdmittedVerdict.SHARE

    def _fits(self, port: Port, record: Record) -> bool:
        return self.reserving.reserved_sums_kbps[record.data_port] <= port.capacity_kbps

    def request(self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, place: Record, now_us: int) -> Reaction:
        """Its record has the level, or the rate that it can have elsewhere."""
        message = _following(message)
        if isinstance(message, ExtendedNegotiation) and record is not None and not record.is_bottleneck:
            # Nothing is reserved that it cannot have elsewhere.
            granted_kbps = min(message.extension.granted_kbps, record.rate_kbps)
            message = message.granting(granted_kbps)
        reaction = self.reserving.request(of, message, port, record, place, now_us)
        event = reaction.event
        assert event is not None
        if event.event == EventType.REFUSED:
            if record is None or not event.rate_kbps or self._fits(port, record):
                return reaction
            # The Mins do not fit any more (decision "Mins of a link that gets slower"): it goes, and is told so.
            assert isinstance(reaction.message, Negotiation)
            gone = of.change(EventType.REFUSED, event.verdict, port, of.records[record.slot], None)
            gone = replace(gone, share_kbps=event.share_kbps, transmission_share_kbps=event.transmission_share_kbps)
            gone = replace(gone, expected_arrivals_q8=event.expected_arrivals_q8)
            return replace(reaction, event=gone, message=replace(reaction.message, flags=Flags.NONE))
        admitted = of.records[event.slot]
        if record is not None and not record.is_bottleneck and record.rate_kbps <= admitted.rate_kbps:
            known = replace(admitted, rate_kbps=record.rate_kbps, is_bottleneck=False)
        else:
            known = replace(admitted, is_bottleneck=admitted.rate_kbps == admitted.share_kbps)
        if admitted.share_kbps <= self.reserving.current.min_kbps:
            known = replace(known, is_bottleneck=False)
        after = of.change(EventType.ADMITTED, event.verdict, port, admitted, known)
        if record is not None:
            return replace(reaction, event=None)
        after = replace(after, previous_rate_kbps=0, transmission_share_kbps=event.transmission_share_kbps)
        return replace(reaction, event=replace(after, expected_arrivals_q8=event.expected_arrivals_q8))

    def success(self, of: SwitchModel, message: Negotiation, port: Port, record: Record, now_us: int) -> Reaction:
        """It may have the rate that it was offered when it asked, even if that is more than before."""
        message = _following(message)
        rate_kbps = min(record.share_kbps, message.max_kbps)
        is_bottleneck = self.limits(of, record, message) and record.share_kbps > self.reserving.current.min_kbps
        confirmed = replace(record, rate_kbps=rate_kbps, is_bottleneck=is_bottleneck, last_seen_us=now_us)
        of.change(EventType.CONFIRMED, 0, port, record, confirmed)
        answer = replace(message, max_kbps=rate_kbps)
        return (
            self.reserving.confirmed(of, Reaction(answer), answer, record) if isinstance(answer, ExtendedNegotiation) else Reaction(answer)
        )


def _following(message: Negotiation) -> Negotiation:
    """A refresh counts as a renegotiation, so that its sender hears of the level, too."""
    return replace(message, flags=Flags.RENEGOTIATION) if Flags.REFRESH in message.flags else message
