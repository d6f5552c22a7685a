"""A port that writes telemetry, in plain integers: the behaviour to which the differential tests hold p4src/int.p4."""

from __future__ import annotations

from dataclasses import dataclass, replace

from protocol.telemetry import MOST_HOPS, Hop, Telemetry, TelemetryType


@dataclass
class TelemetryPort:
    """One port that takes part."""

    capacity_kbps: int
    sent_bytes: int = 0
    """Since the switch began, modulo 2 ** 64."""

    def leave(self, size_bytes: int, left_us: int, queue_packets: int, telemetry: Telemetry | None = None) -> Telemetry | None:
        """A frame leaves by this port.

        Args:
            size_bytes: of the frame as it came.
            left_us: when, by the switch's clock.
            queue_packets: left behind in its queue.
            telemetry: in the frame.

        Returns:
            The telemetry as it goes on; None without any.
        """
        self.sent_bytes = (self.sent_bytes + size_bytes) % 2**64
        if telemetry is None or telemetry.type is not TelemetryType.QUESTION or len(telemetry.hops) >= MOST_HOPS:
            return telemetry
        hop = Hop(link_kbps=self.capacity_kbps, queue_packets=queue_packets, sent_bytes=self.sent_bytes, left_us=left_us % 2**32)
        return replace(telemetry, hops=(hop, *telemetry.hops))
