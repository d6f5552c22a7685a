"""The paper's variant: the rules of protocol/model/reference_model.py, and no others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from protocol.codes import AdmittedVerdict
from protocol.headers import Entry, TransmissionId
from protocol.model.port_model import Group, Port, Record
from protocol.model.reference_model import Reaction, SwitchModel
from protocol.record_slots import candidate_group_slots, candidate_slots
from protocol.variant import Variant
from protocol.wire import Message, Negotiation


class PaperRules:
    """The rules of a switch of the paper's variant; methods as in ModelRules."""

    shares_by_source = False
    most_siblings: int | None = None
    reserving = None

    def __init__(self, _variant: Variant, _capacities_kbps: Mapping[int, int], _host_ports: Collection[int] = ()) -> None:
        """It keeps nothing besides what the model keeps, and believes all hosts."""

    def set_capacity(self, of: SwitchModel, port: int, capacity_kbps: int, _least_kbps: int | None) -> None:
        """All of it is divided."""
        of.ports[port].capacity_kbps = capacity_kbps

    def handle_message(
        self, of: SwitchModel, message: Message, source_ip: int, destination_ip: int, ingress_port: int, egress_port: int, now_us: int
    ) -> Reaction:
        """Every message counts."""
        return of.take_message(message, source_ip, destination_ip, ingress_port, egress_port, now_us)

    def handle_entry(self, of: SwitchModel, entry: Entry, has_route: bool, now_us: int) -> Reaction:
        """There are no further entries."""
        return of.take_entry(entry, has_route, now_us)

    def record_candidates(self, of: SwitchModel, transmission: TransmissionId, data_port: int) -> Sequence[int]:
        """By CRCs."""
        return candidate_slots(transmission, data_port, of.variant.way_bits)

    def group_candidates(self, of: SwitchModel, record: Record) -> Sequence[int]:
        """By CRCs."""
        return candidate_group_slots(record.id, record.data_port, of.variant.way_bits)

    def expected_q8(self, _of: SwitchModel, port: Port, _place: Record, now_us: int, rtt_us: int, is_new: bool) -> int:
        """By arrivals (Algorithm 1, lines 2 to 4)."""
        return port.arrivals.expected_q8(now_us, rtt_us, is_new)

    def request(self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, place: Record, now_us: int) -> Reaction:
        """Algorithm 4, lines 3 to 12."""
        return of.take_request(message, port, record, place, now_us)

    def share(
        self, of: SwitchModel, message: Negotiation, port: Port, record: Record | None, siblings: Group, expected_q8: int
    ) -> tuple[int, int, AdmittedVerdict]:
        """Algorithms 1 and 2."""
        return of.papers_share(message, port, record, siblings, expected_q8)

    def success(self, of: SwitchModel, message: Negotiation, port: Port, record: Record, now_us: int) -> Reaction:
        """Algorithm 4, lines 20 to 25."""
        return of.take_success(message, port, record, now_us)

    def failure(self, of: SwitchModel, message: Negotiation, port: Port, record: Record) -> Reaction:
        """The record goes (decision "a failure removes the record")."""
        return of.take_failure(message, port, record)

    def left_after_refusal(self, _message: Negotiation, _record: Record | None, _share_kbps: int) -> Record | None:
        """No record."""
        return None

    def limits(self, _of: SwitchModel, record: Record, success: Negotiation) -> bool:
        """It has the rate that this port offered it."""
        return record.share_kbps <= success.max_kbps
