"""How many records fit: how many requests a store of each size refuses because all four places of a record, or of its group, are taken.

    python -m bench.studies.store_study

Random ids, one after the other, none of which ends; medians of the seeds. The tables of docs/scale.md.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence

from protocol.constants import WAY_BITS
from protocol.headers import TransmissionId
from protocol.record_slots import candidate_group_slots, candidate_slots
from protocol.variant import Variant

SIZES = (WAY_BITS, 13, 14, 15, 16)
COUNTS = (1_000, 2_000, 5_000, 10_000, 20_000)
SEEDS = (1, 2, 3)
PORT = 4


def refused_after(way_bits: int, seed: int) -> list[int]:
    """Of how many requests were all places taken: which ones, counted from 0, of as many as the largest of COUNTS."""
    numbers = random.Random(seed)
    records: set[int] = set()
    groups: set[int] = set()
    refused = []
    for count in range(COUNTS[-1]):
        transmission = TransmissionId(numbers.getrandbits(64), numbers.getrandbits(32))
        record = _first_free(candidate_slots(transmission, PORT, way_bits), records)
        group = _first_free(candidate_group_slots(transmission, PORT, way_bits), groups)
        if record is None or group is None:
            refused.append(count)
        else:
            records.add(record)
            groups.add(group)
    return refused


def _first_free(candidates: Sequence[int], taken: set[int]) -> int | None:
    return next((slot for slot in candidates if slot not in taken), None)


def table() -> str:
    """Rows of a Markdown table: a store each."""
    lines = ["| bits | slots | the first is refused after | " + " | ".join(f"of {count:,}" for count in COUNTS) + " |"]
    lines.append("|---:" * (3 + len(COUNTS)) + "|")
    for way_bits in SIZES:
        runs = [refused_after(way_bits, seed) for seed in SEEDS]
        first = statistics.median(run[0] if run else COUNTS[-1] for run in runs)
        refused = [statistics.median(sum(1 for place in run if place < count) for run in runs) for count in COUNTS]
        told = f"{first:,.0f}" if first < COUNTS[-1] else f"more than {COUNTS[-1]:,}"
        lines.append(
            f"| {way_bits} | {Variant(way_bits=way_bits).slots:,} | {told} | " + " | ".join(f"{one:,.0f}" for one in refused) + " |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: print(table()))
