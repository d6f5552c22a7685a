"""Tables of measurements beside theory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.table import Table

from bench.validation.cost import Cost
from bench.validation.disciplines import Comparison
from bench.validation.losses import LossResult
from bench.validation.pacing_gaps import PacingResult
from bench.validation.queues import SHARES, QueueResult


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
    table = Table(title="queue disciplines in P4 (Linux's own): cubic over 10 Mbit/s")
    for name in ("discipline", "RTT, ms", "connections", "mean wait, ms", "p99, ms", "dropped, %"):
        table.add_column(name)
    for one in results:
        switch, router, setting = one.switch, one.router, one.setting
        table.add_row(
            setting.name, str(setting.rtt_ms), str(setting.connections), f"{switch.mean_ms:.2f} ({router.mean_ms:.2f})",
            f"{switch.p99_ms:.2f} ({router.p99_ms:.2f})", f"{switch.dropped_percent:.3f} ({router.dropped_percent:.3f})",
        )  # fmt: skip
    return table


def coupled(results: Sequence[Comparison]) -> Table:
    """Of a queue that two congestion controls share, in P4, with that of Linux in brackets."""
    table = Table(title="DualPI2 in P4 (Linux's own): half of the connections each")
    schemes = list(dict.fromkeys(name for one in results for name in one.switch.mbps))
    for name in (
        "RTT, ms",
        "connections",
        "mean wait, ms",
        "p99, ms",
        *(f"{name}, Mbit/s" for name in schemes),
        *(f"{name}, marked %" for name in schemes),
    ):
        table.add_column(name)
    for one in results:
        switch, router, setting = one.switch, one.router, one.setting
        table.add_row(
            str(setting.rtt_ms), str(setting.connections), f"{switch.mean_ms:.2f} ({router.mean_ms:.2f})",
            f"{switch.p99_ms:.2f} ({router.p99_ms:.2f})",
            *(f"{switch.mbps[name]:.2f} ({router.mbps[name]:.2f})" for name in schemes),
            *(f"{switch.marked_percent[name]:.3f} ({router.marked_percent[name]:.3f})" for name in schemes),
        )  # fmt: skip
    return table


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
