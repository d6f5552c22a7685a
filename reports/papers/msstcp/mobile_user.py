"""The 28 GHz channel of a user who walks and drives: a seeded stand-in for the paper's ns-3 scenario, written as traces of a link's rate.

In the paper (section 3), the user pauses, walks in line of sight, stands for four seconds behind a tree, and walks on in line of sight.
Then the user stands for four seconds behind a building, gets into a car, drives away from the base station, and stops; 60 s in all. The
paper gives no distances, speeds, other times, powers or rates; those are chosen here. At each moment

    SNR  = TRANSMIT + GAIN - path loss - shadowing - obstacle - noise                                                   (dB)
    rate = peak rate x min(1, log2(1 + SNR) / FULL_RATE_BITS)

The path loss is that of a street canyon in line of sight (3GPP TR 38.901, table 7.4.1-1, UMi: 32.4 + 21 log10(d / m) + 20 log10(f / GHz)).
The shadowing is normal, 4 dB, correlated over 10 m of way, so constant while the user stands. The noise is thermal noise over 1 GHz. Tree
and building add a loss that the paper leaves open: two values each. The peak rate is that of the scenario's link.

``python -m reports.papers.msstcp.mobile_user`` writes the traces beside this file; a test compares them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import NormalDist

from common.command_end import end_with

SEED = 28
STEP_S = 0.1

CARRIER_GHZ = 28.0
BANDWIDTH_HZ = 1e9
TRANSMIT_DBM = 30.0
GAIN_DB = 15.0
"""Of the antennas of both ends together."""
NOISE_FIGURE_DB = 5.0
THERMAL_NOISE_DBM_HZ = -174.0
FULL_RATE_BITS = 7.4
"""Bit/s per Hz from which on the rate is the peak rate: 256-QAM with a code rate of 0.925."""

SHADOWING_DB = 4.0
SHADOWING_CORRELATION_M = 10.0

FIRST_DISTANCE_M = 40.0
WALKING_M_S = 1.4
DRIVING_M_S = 12.0


@dataclass(frozen=True)
class Phase:
    """A part of the user's way; ``behind`` names the obstacle, if there is one."""

    name: str
    lasts_s: float
    speed_m_s: float = 0.0
    behind: str = ""


TREE, BUILDING = "tree", "building"
PHASES = (
    Phase("pauses", 4),
    Phase("walks", 10, WALKING_M_S),
    Phase("stands behind a tree", 4, behind=TREE),
    Phase("walks", 10, WALKING_M_S),
    Phase("stands behind a building", 4, behind=BUILDING),
    Phase("walks to the car", 6, WALKING_M_S),
    Phase("drives away", 16, DRIVING_M_S),
    Phase("has stopped", 6),
)

LIGHT = {TREE: 10.0, BUILDING: 25.0}
DEEP = {TREE: 20.0, BUILDING: 40.0}
"""The loss behind obstacles, dB: a light and a deep one for each."""

FILES = {
    "mobile_user_100mbps.csv": (100.0, LIGHT),
    "mobile_user_100mbps_deep.csv": (100.0, DEEP),
    "mobile_user_1000mbps.csv": (1000.0, LIGHT),
}
"""Peak rate in Mbit/s, and the obstacles."""


def rates(peak_mbps: float, obstacles_db: dict[str, float], seed: int = SEED) -> list[tuple[float, float]]:
    """Pairs (seconds, Mbit/s from then on), one for each change.

    Args:
        peak_mbps: of the link at a high SNR.
        obstacles_db: the loss behind tree and building.
        seed: of the shadowing.
    """
    found: list[tuple[float, float]] = []
    for at_s, distance_m, shadowing_db, behind in _places(seed):
        snr_db = snr(distance_m) - shadowing_db - obstacles_db.get(behind, 0.0)
        bits = math.log2(1 + 10 ** (snr_db / 10))
        rate = round(peak_mbps * min(1.0, bits / FULL_RATE_BITS), 2)
        if not found or found[-1][1] != rate:
            found.append((at_s, rate))
    return found


def snr(distance_m: float) -> float:
    """The SNR in line of sight and without shadowing, dB."""
    path_loss_db = 32.4 + 21 * math.log10(distance_m) + 20 * math.log10(CARRIER_GHZ)
    noise_dbm = THERMAL_NOISE_DBM_HZ + 10 * math.log10(BANDWIDTH_HZ) + NOISE_FIGURE_DB
    return TRANSMIT_DBM + GAIN_DB - path_loss_db - noise_dbm


def text(peak_mbps: float, obstacles_db: dict[str, float]) -> str:
    """A trace as a CSV file for the link model."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("at_s", "rate_mbps"))
    writer.writerows((f"{at_s:g}", f"{rate:g}") for at_s, rate in rates(peak_mbps, obstacles_db))
    return stream.getvalue()


def _places(seed: int) -> Iterator[tuple[float, float, float, str]]:
    """At each step: seconds, meters to the base station, shadowing in dB, the obstacle between."""
    draw, normal = Random(seed), NormalDist(0.0, SHADOWING_DB)
    distance_m, shadowing_db, step = FIRST_DISTANCE_M, normal.inv_cdf(draw.random()), 0
    for phase in PHASES:
        moved_m = phase.speed_m_s * STEP_S
        alike = math.exp(-moved_m / SHADOWING_CORRELATION_M)
        for _ in range(round(phase.lasts_s / STEP_S)):
            yield round(step * STEP_S, 3), distance_m, shadowing_db, phase.behind
            step += 1
            distance_m += moved_m
            if moved_m:
                shadowing_db = alike * shadowing_db + math.sqrt(1 - alike**2) * normal.inv_cdf(draw.random())


def main() -> None:
    """Write the traces."""
    for name, (peak_mbps, obstacles_db) in FILES.items():
        (Path(__file__).parent / name).write_text(text(peak_mbps, obstacles_db), encoding="utf-8")


if __name__ == "__main__":
    end_with(main)
