"""Factors between units, as network people count: kilo is 1000."""

from __future__ import annotations

from typing import Final

BITS_PER_BYTE: Final = 8

BITS_PER_KILOBIT: Final = 1000
BITS_PER_MEGABIT: Final = 1_000_000
KILOBITS_PER_MEGABIT: Final = 1000
BYTES_PER_MEGABYTE: Final = 1_000_000

MS_PER_S: Final = 1000
US_PER_S: Final = 1_000_000
NS_PER_S: Final = 1_000_000_000
US_PER_MS: Final = 1000
