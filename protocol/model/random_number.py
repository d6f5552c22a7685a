"""Random numbers as p4src/random_number.p4 draws them (Marsaglia 2003, "Xorshift RNGs", shifts 13, 17, 5)."""

from __future__ import annotations

BITS = 32
_MASK = (1 << BITS) - 1


class RandomNumbers:
    """A sequence of numbers from 1 to 2^32 - 1.

    Args:
        seed: from 1 to 2^32 - 1.
    """

    def __init__(self, seed: int) -> None:
        self._last = seed

    def next(self) -> int:
        """The next one."""
        number = self._last
        number ^= number << 13 & _MASK
        number ^= number >> 17
        number ^= number << 5 & _MASK
        self._last = number
        return number
