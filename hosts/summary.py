"""A sender's summary of a transmission that is over: one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from common.errors import UserError


@dataclass
class Summary:
    """Times are CLOCK_MONOTONIC seconds (None: it did not come to that), rates bit/s.

    ``congestion_control_source``: as the loader's list says it: kernel, or BPF.
    ``rates``: every change of the allocated rate (Ethernet frames) as [time, rate]; 0 means paused.
    ``goodput_bps``: payload acknowledged between the first data and the end.
    ``outcome``: complete (all bytes arrived), stopped (at its time), interrupted (by a signal), failed (see ``error``).
    ``local_address`` and ``local_port``: the sender's end of the connection, by which the receiver knows it (port 0: there was none).
    ``local_ports``: those of all subflows, in the order they joined.
    ``subflows``: of a transmission over several paths, each with its addresses, negotiation, messages and rates, in the order they joined.
    ``negotiation``: allocated, unanswered, another_way ("answers that come another way"), refused, none (another congestion control).
    ``messages``: counts of the messages exchanged.
    """

    name: str
    to: str
    congestion_control: str
    congestion_control_source: str
    congestion_control_at_end: str = ""
    outcome: str = "failed"
    error: str | None = None
    local_address: str = ""
    local_port: int = 0
    local_ports: list[int] = field(default_factory=list)
    start_s: float | None = None
    connected_s: float | None = None
    allocated_s: float | None = None
    first_data_s: float | None = None
    end_s: float | None = None
    handshake_rtt_s: float | None = None
    min_rtt_s: float | None = None
    mss_bytes: int = 0
    frame_bytes: int = 0
    bytes_sent: int = 0
    bytes_acked: int = 0
    bytes_retrans: int = 0
    retransmits: int = 0
    goodput_bps: float = 0.0
    negotiation: str = "none"
    content_id: str | None = None
    rates: list[tuple[float, int]] = field(default_factory=list)
    messages: dict[str, int] = field(default_factory=dict)
    subflows: list[dict[str, Any]] = field(default_factory=list)
    process_cpu_s: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The summary, for json.dump."""
        return asdict(self)

    def write(self, path: Path) -> None:
        """Writes the JSON file.

        Raises:
            UserError: it cannot be written.
        """
        try:
            path.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}") from error
