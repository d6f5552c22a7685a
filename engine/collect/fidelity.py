"""The fidelity verdict: did the emulator keep its model during a run? If not, the run is no result."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from common.time_mode import is_virtual_time
from topo.management import LinkStatistics

MAX_LATE_SHARE = 0.01
"""Share of packets that a link may send over 1 ms late against its model."""

MIN_PACKETS = 100
"""Links with fewer packets say nothing about a share of one percent; where all have fewer, not one packet may be late."""

TOLD_STEAL_SHARE = 0.01
"""Less stolen time than this is not worth a word."""


class FidelityVerdict(BaseModel):
    """Whether a run counts, and the worst link that decided it.

    ``late_share`` is the share of the worst link's packets that were over 1 ms late; ``p99_us`` and ``max_us`` are the
    worst over all links. ``steal_share`` is the part of the processors' time that the hypervisor gave to others; it decides nothing,
    but explains: hosts that stand still show in no link's counters. ``virtual``: the clock moved only while everyone waited.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    accepted: bool
    late_share: float
    worst_link: str
    p99_us: float
    max_us: float
    packets: int
    steal_share: float = 0.0
    virtual: bool = False

    def __str__(self) -> str:
        state = "kept its model" if self.accepted else "REJECTED: did not keep its model"
        stolen = f", {100 * self.steal_share:.0f} % of the processors' time stolen" if self.steal_share >= TOLD_STEAL_SHARE else ""
        return (
            f"emulator {state}: {100 * self.late_share:.2f} % of packets over 1 ms late on the worst link ({self.worst_link or 'none'}), "
            f"p99 {self.p99_us / 1000:.2f} ms, max {self.max_us / 1000:.2f} ms, {self.packets} packets{stolen}; "
            f"{'virtual' if self.virtual else 'real'} time"
        )


def judge(links: Sequence[LinkStatistics], *, steal_share: float = 0.0) -> FidelityVerdict:
    """Judge a run by its links' lateness counters, which were reset when the run began.

    Args:
        links: statistics at the end of the run.
        steal_share: see ``StolenTimeMeter``, over the same time.
    """
    packets = sum(link.lateness.packets for link in links)
    counted = [link for link in links if link.lateness.packets >= MIN_PACKETS]
    allowed_share = MAX_LATE_SHARE
    if not counted:
        counted, allowed_share = [link for link in links if link.lateness.packets], 0.0
    shares = {f"{link.name} {link.direction}": link.lateness.late_1ms / link.lateness.packets for link in counted}
    worst = max(shares, key=lambda name: shares[name], default="")
    late_share = shares.get(worst, 0.0)
    return FidelityVerdict(
        accepted=bool(counted) and late_share <= allowed_share,
        late_share=late_share,
        worst_link=worst,
        p99_us=max((link.lateness.p99_us for link in counted), default=0.0),
        max_us=max((link.lateness.max_us for link in counted), default=0.0),
        packets=packets,
        steal_share=0.0 if is_virtual_time() else steal_share,
        virtual=is_virtual_time(),
    )
