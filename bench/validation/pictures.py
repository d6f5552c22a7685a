"""Pictures of measurements beside theory, as SVG that is the same for the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.validation.losses import LossResult
from bench.validation.pacing_gaps import PacingResult
from bench.validation.queues import QueueResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 400
LEAST_SHARE = 1e-4
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red")


def draw_queues(results: Sequence[QueueResult], file: Path) -> None:
    """Share of packets that wait longer, over the wait."""
    figure = _figure(9, 3.6)
    kinds = list(dict.fromkeys(result.kind for result in results))
    axes = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for axis, kind in zip(axes, kinds, strict=True):
        for colour, result in zip(COLOURS, (one for one in results if one.kind == kind), strict=False):
            times, below = result.distribution
            axis.semilogy(times, np.maximum(1 - below, LEAST_SHARE / 10), color="black", linewidth=0.8)
            ordered = np.sort(result.waits)
            shares = 1 - np.logspace(0, np.log10(LEAST_SHARE), POINTS // 8)
            axis.semilogy(np.quantile(ordered, shares), 1 - shares, ".", color=colour, label=f"load {result.load:g}")
        axis.set_title(kind)
        axis.set_xlabel("wait, mean services")
        axis.set_ylim(LEAST_SHARE, 1.2)
        axis.legend()
    axes[0].set_ylabel("share of packets that wait longer")
    _save(figure, file)


def draw_pacing(results: Sequence[PacingResult], file: Path) -> None:
    """Distribution of gaps over the exact gap."""
    figure = _figure(5, 3.4)
    axis = figure.subplots()
    for result in results:
        off = np.sort(np.abs(result.gaps_us - result.exact_us))
        axis.plot(np.maximum(off, 0.1), np.linspace(0, 1, off.size), label=f"{result.rate_mbps:g} Mbit/s")
    axis.set_xscale("log")
    axis.set_xlabel("distance from the exact gap, µs")
    axis.set_ylabel("share of gaps")
    axis.legend()
    _save(figure, file)


def draw_losses(results: Sequence[LossResult], file: Path) -> None:
    """Rate over loss probability."""
    figure = _figure(5.5, 3.8)
    axis = figure.subplots()
    for quick_ack, marker in ((False, "o"), (True, "x")):
        chosen = [one for one in results if one.quick_ack == quick_ack]
        points = [(100 * one.loss, mbps) for one in chosen for mbps in one.measured_mbps]
        if points:
            label = "every packet acknowledged" if quick_ack else "virtual time, three seeds"
            axis.plot(*zip(*points, strict=True), marker, color="black", markersize=4, label=label)
    losses = sorted({one.loss for one in results})
    predicted = {one.loss: one.predicted() for one in results}
    for name in predicted[losses[0]]:
        axis.plot([100 * loss for loss in losses], [predicted[loss][name] for loss in losses], linewidth=0.9, label=name)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("loss, %")
    axis.set_ylabel("payload, Mbit/s")
    axis.legend()
    _save(figure, file)


def _figure(width: float, height: float) -> Figure:
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "validation"
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, file: Path) -> None:
    import matplotlib.pyplot as plt

    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
