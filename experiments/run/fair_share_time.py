"""How long transmissions take until they have their fair share."""

from __future__ import annotations

import math

from experiments.run.ideal import ideal
from experiments.run.outcome import Outcome, RunData
from experiments.statistics import mean_bps
from scenario.fair_share import IdealRun

WINDOW_S = 0.5
TOLERANCE = 0.1


def fair_share_s(run: RunData) -> float | None:
    """From the start of a transmission until the end of its first window of half a second in which it got its max-min fair share, 10 %
    more or less; of all transmissions the longest. None if one never did, or none was to have a share for a whole window."""
    # Those of workloads come and go by chance.
    listed = [one for one in run.outcomes.values() if one.transmission in run.scenario.transmissions and not one.was_refused]
    model = ideal(run.scenario) if listed else IdealRun()
    found = [_of(one, run, model) for one in listed]
    known = [one for one in found if one is not None]
    return max(known) if known and len(known) == len(found) else None


def _of(outcome: Outcome, run: RunData, model: IdealRun) -> float | None:
    transmission = outcome.transmission
    lasts_s = (transmission.stop_s or run.scenario.run.duration_s) - transmission.start_s
    for number in range(math.floor(lasts_s / WINDOW_S)):
        begin_s = transmission.start_s + number * WINDOW_S
        fair_bps = model.mean_bps(transmission.name, begin_s, begin_s + WINDOW_S)
        got_bps = mean_bps(outcome.received, run.start_s + begin_s, run.start_s + begin_s + WINDOW_S)
        if fair_bps > 0 and abs(got_bps - fair_bps) <= TOLERANCE * fair_bps:
            return (number + 1) * WINDOW_S
    return None
