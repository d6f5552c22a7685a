"""The reference model of p4src/load.p4: the measured load of a port (docs/decisions/measured-load.md), and the divided rate."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.constants import ARRIVAL_WINDOW_BITS, ARRIVAL_WINDOW_US
from protocol.model.enforcement_model import UNITS_PER_BYTE


@dataclass(slots=True)
class LoadMeter:
    """Bytes that left a port, in the present window of 2^20 µs and in the one before."""

    window: int = 0
    current_bytes: int = 0
    previous_bytes: int = 0

    def count(self, length: int, now_us: int) -> None:
        """A packet that nobody has negotiated leaves."""
        self.window, self.current_bytes, self.previous_bytes = self._windows(now_us)
        self.current_bytes += length

    def load_kbps(self, now_us: int) -> int:
        """Bytes in one window before that time, as a rate."""
        window, current_bytes, previous_bytes = self._windows(now_us)
        is_late = window > now_us >> ARRIVAL_WINDOW_BITS
        remaining_us = ARRIVAL_WINDOW_US - (0 if is_late else now_us & ARRIVAL_WINDOW_US - 1)
        window_bytes = current_bytes + (previous_bytes * remaining_us >> ARRIVAL_WINDOW_BITS)
        return window_bytes * UNITS_PER_BYTE >> ARRIVAL_WINDOW_BITS

    def _windows(self, now_us: int) -> tuple[int, int, int]:
        """Number and bytes of the present window, and bytes of the one before; a time that is over changes nothing."""
        window = now_us >> ARRIVAL_WINDOW_BITS
        if window <= self.window:
            return self.window, self.current_bytes, self.previous_bytes
        return window, 0, self.current_bytes if window == self.window + 1 else 0


def divided_kbps(capacity_kbps: int, least_kbps: int, load_kbps: int) -> int:
    """The rate that is divided among those who negotiate: the capacity less the load, but not less than is kept for them."""
    return capacity_kbps if least_kbps >= capacity_kbps else max(least_kbps, capacity_kbps - load_kbps)
