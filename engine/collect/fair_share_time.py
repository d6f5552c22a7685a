"""How long transmissions take until they have their fair share and keep it."""

from __future__ import annotations

import math

from engine.collect.run_data import RunData, TransmissionData
from engine.collect.statistics import mean_bps
from engine.plan.ideal import ideal
from scenario.fair_share import IdealRun

WINDOW_S = 0.5
TOLERANCE = 0.1


def fair_share_s(run: RunData) -> float | None:
    """The longest time that a transmission takes from its start until it has its max-min fair share, seconds.

    A transmission has its share at the end of the first window of half a second that begins a series of windows within 10 % of the
    share. The series lasts for ``run.fair_share_held_s``, so a transmission that only passes by its share does not have it.

    Returns:
        None if one never has it, or none was to have a share for so long.
    """
    # Those of workloads come and go by chance.
    listed = [one for one in run.transmissions.values() if one.transmission in run.scenario.transmissions and not one.was_refused]
    model = ideal(run.scenario) if listed else IdealRun()
    found = [_of(one, run, model) for one in listed]
    known = [one for one in found if one is not None]
    return max(known) if known and len(known) == len(found) else None


def _of(data: TransmissionData, run: RunData, model: IdealRun) -> float | None:
    transmission = data.transmission
    lasts_s = (transmission.stop_s or run.scenario.run.duration_s) - transmission.start_s
    wanted = math.ceil(run.scenario.run.fair_share_held_s / WINDOW_S)
    held = 0
    for number in range(math.floor(lasts_s / WINDOW_S)):
        begin_s = transmission.start_s + number * WINDOW_S
        fair_bps = model.mean_bps(transmission.name, begin_s, begin_s + WINDOW_S)
        got_bps = mean_bps(data.received, run.start_s + begin_s, run.start_s + begin_s + WINDOW_S)
        held = held + 1 if fair_bps > 0 and abs(got_bps - fair_bps) <= TOLERANCE * fair_bps else 0
        if held == wanted:
            return (number + 2 - wanted) * WINDOW_S
    return None
