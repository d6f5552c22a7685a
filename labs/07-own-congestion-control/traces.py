"""The contest's traces: links whose rate changes, made from a seed.

    .venv/bin/python labs/07-own-congestion-control/traces.py SEED FOLDER [SCHEME]

writes `trace-1.toml`, `trace-2.toml`, … into FOLDER, each a whole scenario for `make run SCENARIO=FOLDER/trace-1.toml`. The contest that
is open to all is seed 1; a grader has another seed. The same seed gives the same files everywhere: nothing but `random()` of Python's
Mersenne Twister is used.

Each trace has a rate for every 0.4 s, in Mbit/s, between 0.5 and 12:

    steps:    a new rate, evenly distributed, every 1.2 to 3.6 s
    walk:     the logarithm of the rate moves by up to 0.4 up or down at each step, as below a radio
    outages:  a walk in which about one step of twelve has rate 0; nothing is lost then, everything waits

The path has 30 to 80 ms of RTT without a queue, and a queue of 150 packets.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

OPEN_SEED = 1
RIVAL = "reno"
"""The scheme to beat."""

STEP_S = 0.4
DURATION_S = 12
LEAST_MBPS, MOST_MBPS = 0.5, 12.0
LEAST_RTT_MS, MOST_RTT_MS = 30, 80
ACCESS_DELAY_MS = 1
LARGEST_MOVE = 0.4
OUTAGE = 1 / 12

SCENARIO = """\
# Made by traces.py from seed {seed}.
schema = 2
title = "Lab 7: the contest, trace {number} of seed {seed}: {kind}"

[topology]
kind = "dumbbell"                   # h1 - s1 - s2 - h2
pairs = 1
access = {{ rate_mbps = 100, delay_ms = {access_delay_ms} }}

[topology.bottleneck]
rate_mbps = {first}
delay_ms = {delay_ms}
queue_packets = 150
trace = [
{steps}
]

[[transmissions]]
name = "A"
sender = "h1"
receiver = "h2"

[metrics]
delay_p95_ms = {{ metric = "sample_value", column = "srtt_us", take = "p95", scale = 0.001 }}

[run]
schemes = ["{scheme}"]
duration_s = {duration_s}
sample_ms = 1
measure_from_s = 1
"""


def steps(random: Random, count: int) -> list[float]:
    """Rates in Mbit/s that stay for a while."""
    rates: list[float] = []
    while len(rates) < count:
        rates += [LEAST_MBPS + (MOST_MBPS - LEAST_MBPS) * random.random()] * (3 + int(7 * random.random()))
    return rates[:count]


def walk(random: Random, count: int) -> list[float]:
    """Rates in Mbit/s that move up and down."""
    rate = math.sqrt(LEAST_MBPS * MOST_MBPS)
    rates = []
    for _ in range(count):
        rate = min(MOST_MBPS, max(LEAST_MBPS, rate * math.exp(LARGEST_MOVE * (2 * random.random() - 1))))
        rates.append(rate)
    return rates


def outages(random: Random, count: int) -> list[float]:
    """The same, of which some are 0."""
    return [0.0 if random.random() < OUTAGE and number > 0 else rate for number, rate in enumerate(walk(random, count))]


KINDS: tuple[Callable[[Random, int], list[float]], ...] = (steps, walk, outages)


def write(seed: int, scheme: str, folder: Path) -> list[Path]:
    """Write the scenarios of a seed; returns their files.

    Args:
        seed: of all random choices.
        scheme: that is run.
        folder: made if necessary.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, kind in enumerate(KINDS, start=1):
        random = Random(1000 * seed + number)
        rtt_ms = LEAST_RTT_MS + (MOST_RTT_MS - LEAST_RTT_MS) * random.random()
        rates = [round(rate, 2) for rate in kind(random, round(DURATION_S / STEP_S))]
        listed = "\n".join(f"  {{ at_s = {round(STEP_S * step, 1)}, rate_mbps = {rate} }}," for step, rate in enumerate(rates))
        file = folder / f"trace-{number}.toml"
        text = SCENARIO.format(
            seed=seed, number=number, kind=kind.__name__, access_delay_ms=ACCESS_DELAY_MS, first=max(rates[0], LEAST_MBPS),
            delay_ms=round(rtt_ms / 2 - 2 * ACCESS_DELAY_MS, 2), steps=listed, scheme=scheme, duration_s=DURATION_S,
        )  # fmt: skip
        file.write_text(text, encoding="utf-8")
        files.append(file)
    return files


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit():
        sys.exit("usage: traces.py SEED FOLDER [SCHEME]")
    for made in write(int(sys.argv[1]), sys.argv[3] if len(sys.argv) > 3 else "mine", Path(sys.argv[2])):
        print(made)
