"""Tables of measurements beside theory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

import numpy as np
from rich.table import Table

from bench.validation.cost import Cost
from bench.validation.disciplines import ALIKE, QUEUE_VALUES, Comparison, Queue, Setting, Verdict
from bench.validation.losses import LossResult
from bench.validation.pacing_gaps import PacingResult
from bench.validation.queues import SHARES, QueueResult
from reports.claims.intervals import half_width


def queues(results: Sequence[QueueResult]) -> Table:
    """Waits in mean services; theory in brackets."""
    table = Table(title="a queue's waits, in mean services: measured ± 95 % confidence (theory)")
    shares = [f"{100 * share:g} %" for share in SHARES]
    for name in ("queue", "load", "packets", "mean", *shares, "find nobody, %", "off a perfect queue, µs"):
        table.add_column(name)
    for one in results:
        table.add_row(
            one.kind, f"{one.load:g}", str(one.packets), f"{one.wait} ({one.theory_wait:.3f})",
            *(f"{measured:.3f} ({theory:.3f})" for _, measured, theory in one.quantiles),
            f"{100 * one.at_once[0].mean:.2f} ± {100 * one.at_once[0].half_width:.2f} ({100 * one.at_once[1]:g})",
            f"mean {one.lindley_us[0]:.1f}, most {one.lindley_us[1]:.1f}",
        )  # fmt: skip
    return table


def pacing(results: Sequence[PacingResult]) -> Table:
    """Gaps in µs."""
    table = Table(title="a paced connection's gaps where it arrives, µs")
    for name in ("rate, Mbit/s", "got, Mbit/s", "packets at a time", "exact gap", "gaps", "least", "1 %", "median", "99 %", "greatest"):
        table.add_column(name)
    for one in results:
        quantiles = np.quantile(one.gaps_us, [0, 0.01, 0.5, 0.99, 1])
        table.add_row(
            f"{one.rate_mbps:g}", f"{one.got_mbps:.5f}", str(one.burst_packets), f"{one.exact_us:.2f}", str(one.gaps_us.size),
            *(f"{gap:.2f}" for gap in quantiles),
        )  # fmt: skip
    return table


def losses(results: Sequence[LossResult]) -> Table:
    """Rates in Mbit/s, and the measured one over each formula."""
    table = Table(title="reno at random losses, payload in Mbit/s (measured over formula)")
    for name in ("loss, %", "acknowledged", "measured", *results[0].predicted()):
        table.add_column(name)
    for one in results:
        seeds = ", ".join(f"{mbps:.2f}" for mbps in one.measured_mbps)
        table.add_row(
            f"{100 * one.loss:g}", "each" if one.quick_ack else "every other", f"{one.mean_mbps:.2f} ({seeds})",
            *(f"{mbps:.2f} ({one.mean_mbps / mbps:.3f})" for mbps in one.predicted().values()),
        )  # fmt: skip
    return table


def disciplines(results: Sequence[Comparison]) -> Table:
    """Of queues in P4, with those of Linux in brackets."""
    return _beside_linux(
        "queue disciplines in P4 (Linux's own): cubic over 10 Mbit/s",
        results,
        {
            "discipline": lambda setting: setting.name,
            "RTT, ms": lambda setting: str(setting.rtt_ms),
            "connections": lambda setting: str(setting.connections),
        },
        QUEUE_VALUES,
    )


def coupled(results: Sequence[Comparison]) -> Table:
    """Of a queue that two congestion controls share, in P4, with that of Linux in brackets."""
    schemes = list(dict.fromkeys(name for one in results for name in one.switch[0].mbps))
    values: dict[str, Callable[[Queue], float]] = {name: QUEUE_VALUES[name] for name in ("mean wait, ms", "p99, ms")}
    values |= {f"{name}, Mbit/s": partial(_mbps, name) for name in schemes}
    values |= {f"{name}, marked %": partial(_marked, name) for name in schemes}
    return _beside_linux(
        "DualPI2 in P4 (Linux's own): half of the connections each",
        results,
        {
            "discipline": lambda setting: setting.name,
            "Mbit/s": lambda setting: f"{setting.rate_mbps:g}",
            "RTT, ms": lambda setting: str(setting.rtt_ms),
            "connections": lambda setting: str(setting.connections),
        },
        values,
    )


def _beside_linux(
    title: str,
    results: Sequence[Comparison],
    names: Mapping[str, Callable[[Setting], str]],
    values: Mapping[str, Callable[[Queue], float]],
) -> Table:
    """A row a setting: its names, both queues' values, and those that are apart."""
    verdicts = {name: [one.differs(value) for one in results] for name, value in values.items()}
    table = Table(
        title=f"{title}, {len(results[0].switch)} runs each, mean ± half of the 95 % interval",
        caption=f"apart: the 95 % interval of the difference of means (Welch) is beyond ± {100 * ALIKE:g} %. "
        + agreement(verdicts)
        + f"; differ by at most {100 * ALIKE:g} %: "
        + ", ".join(f"{name} {sum(one.is_near(value) for one in results)}" for name, value in values.items()),
    )
    for name in (*names, *values, "apart"):
        table.add_column(name)
    for row, one in enumerate(results):
        apart = [name for name, those in verdicts.items() if those[row] is Verdict.APART]
        table.add_row(
            *(text(one.setting) for text in names.values()), *(both(one, value) for value in values.values()), ", ".join(apart)
        )  # fmt: skip
    return table


def _mbps(scheme: str, queue: Queue) -> float:
    return queue.mbps[scheme]


def _marked(scheme: str, queue: Queue) -> float:
    return queue.marked_percent[scheme]


def both(comparison: Comparison, value: Callable[[Queue], float]) -> str:
    """P4's mean and width, and Linux's in brackets."""
    switch, router = map(_mean, comparison.sides(value))
    return f"{switch} ({router})"


def _mean(values: Sequence[float]) -> str:
    half = half_width(values)
    return f"{fmean(values):.3g}" if half is None else f"{fmean(values):.3g} ± {half:.2g}"


def agreement(verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """How many rows agree in each value."""
    return "; ".join(f"{name}: {', '.join(f'{those.count(one)} {one}' for one in Verdict)}" for name, those in verdicts.items())


def cost(results: Sequence[Cost]) -> Table:
    """Real seconds."""
    table = Table(title="the cost of virtual time")
    for name in (
        "switches",
        "connections",
        "link, Mbit/s",
        "carried, Mbit/s",
        "processor s per virtual s",
        "bring-up and take-down, processor s",
    ):
        table.add_column(name)
    for one in results:
        table.add_row(
            str(one.switches), str(one.connections), f"{one.rate_mbps:g}", f"{one.carried_mbps:.1f}",
            f"{one.processor_per_virtual:.2f}", f"{one.bring_up_s:.1f}",
        )  # fmt: skip
    return table
