"""The picture of a scenario run: a panel a scheme, throughput of each transmission over time below, losses above."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from experiments.samples import received_bytes, switch_counter
from experiments.scenario_run import ScenarioResult
from experiments.single_run import RunResult
from experiments.statistics import BIN_S, increase_per_bin, throughput_bps

MEGABIT = 1e6
PANEL_INCHES = (6.0, 4.0)
LOSS_SHARE_OF_PANEL = (1, 3)


def draw(result: ScenarioResult, file: Path) -> None:
    """Draw the first accepted run of every scheme into ``file`` (PNG)."""
    schemes = [scheme for scheme in result.scenario.run.schemes if result.of_scheme(scheme)]
    if not schemes:
        return
    columns = min(2, len(schemes))
    panel_rows = -(-len(schemes) // columns)
    figure = plt.figure(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * panel_rows), layout="constrained")
    figure.suptitle(f"{result.scenario.title} (bins of {BIN_S * 1000:.0f} ms)")
    panels = figure.subfigures(panel_rows, columns, squeeze=False)
    highest = 0.0
    lower_axes: list[Axes] = []
    upper_axes: list[Axes] = []
    most_lost = 0.0
    for position, scheme in enumerate(schemes):
        panel = panels[position // columns][position % columns]
        upper, lower = panel.subplots(2, 1, sharex=True, height_ratios=LOSS_SHARE_OF_PANEL)
        run = result.of_scheme(scheme)[0]
        most_lost = max(most_lost, _draw_losses(upper, result, run))
        highest = max(highest, _draw_throughput(lower, result, run))
        upper.set_title(f"{scheme}: {run.queue_drops} packets dropped, Jain's index {run.jain:.3f}", fontsize=10)
        lower_axes.append(lower)
        upper_axes.append(upper)
    for axes in lower_axes:
        axes.set_ylim(0, highest * 1.05)
    for axes in upper_axes:
        axes.set_ylim(0, max(1.0, most_lost * 1.1))
    figure.savefig(file, dpi=120)
    plt.close(figure)


def _draw_losses(axes: Axes, result: ScenarioResult, run: RunResult) -> float:
    duration_s = result.scenario.run.duration_s
    drops = switch_counter(result.folder / "ports.csv", "queue_drops")
    lost = increase_per_bin(drops, run.start_s, run.start_s + duration_s)
    axes.bar(np.arange(lost.size) * BIN_S, lost, width=BIN_S, align="edge", color="tab:red")
    axes.set_ylabel("lost packets", fontsize=8)
    axes.grid(alpha=0.3)
    return float(lost.max(initial=0.0))


def _draw_throughput(axes: Axes, result: ScenarioResult, run: RunResult) -> float:
    scenario = result.scenario
    highest = 0.0
    for transmission in scenario.transmissions:
        samples, summary = run.folder / f"receiver-{transmission.receiver}.csv", run.folder / f"sender-{transmission.name}.json"
        received = received_bytes(samples, summary)
        time_s, rate_bps = throughput_bps(received, run.start_s, run.start_s + scenario.run.duration_s)
        axes.plot(time_s, rate_bps / MEGABIT, label=transmission.name, linewidth=1.2)
        highest = max(highest, float(rate_bps.max(initial=0.0)) / MEGABIT)
    axes.set_xlim(0, scenario.run.duration_s)
    axes.set_xlabel("time, s")
    axes.set_ylabel("throughput, Mbit/s")
    axes.legend(loc="upper right", fontsize=8)
    axes.grid(alpha=0.3)
    return highest
