"""Why results differ from the paper's: sentences of which every part about a result is computed from it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from protocol.frames import ETHERNET_HEADER_BYTES
from reports.claims.findings import Values, listed_findings
from reports.document.blocks import Block
from reports.paper import Paper
from reports.results import Results

MSS_BYTES = 1448
FRAME_BYTES = 1500 + ETHERNET_HEADER_BYTES
BDP_PACKETS = 1727
GROWTH = math.sqrt(2 * MSS_BYTES)
"""Packets an RTT on a path without queue."""

ERROR_RATE = 1e-7
ERRORS = {"per": "byte", "buffer_mb": 2.5, "error_rate": ERROR_RATE}
NO_ERRORS = {"per": "byte", "buffer_mb": 2.5, "error_rate": 0}
FEW_ERRORS = {"per": "packet", "buffer_mb": 2.5, "error_rate": ERROR_RATE}


def section(results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """One paragraph for each finding whose measurements are there."""
    intro = "Each statement is computed from the results above, or follows from the set-up alone."
    return listed_findings("Where the results differ from the paper's, and why", intro, FINDINGS, results, paper)


def _growth(values: Values) -> str:
    reno, msstcp = (values("mobile_user", "mean_mbps", scheme, **NO_ERRORS) for scheme in ("reno", "msstcp"))
    return (
        f"**Growth** (2.5 MB, no errors): MSS-TCP grows by up to √(2 · MSS) = {GROWTH:.0f} packets an RTT, NewReno by one. From one BDP "
        f"back to two, where the buffer is full, takes {BDP_PACKETS / GROWTH:.0f} RTTs and {BDP_PACKETS}. But one BDP fills the channel "
        f"already: NewReno has {reno:.2f}, MSS-TCP {msstcp:.2f} Mbit/s."
    )


def _errors(values: Values) -> str:
    lost = 1 - (1 - ERROR_RATE) ** FRAME_BYTES
    said = []
    for scheme, name, growth in (("reno", "NewReno", 1.0), ("msstcp", "MSS-TCP", GROWTH)):
        measured = values("mobile_user", "window_mean", scheme, **ERRORS)
        said.append(f"{name} {math.sqrt(1.5 * growth / lost):.0f} packets, measured {measured:.0f}")
    return (
        f"**Errors** (2.5 MB, 10⁻⁷ a byte): {100 * lost:.3f} % of full packets are lost. A window that grows by a packets an RTT and is "
        f"halved at each loss is √(1.5 a / p) on average: {', '.join(said)}. One BDP is {BDP_PACKETS}; slow start and the channel's "
        "changes count in what is measured."
    )


def _unit(values: Values) -> str:
    lost, few = (values("mobile_user", value, "msstcp", **FEW_ERRORS) for value in ("lost_percent", "mean_mbps"))
    none = values("mobile_user", "mean_mbps", "msstcp", **NO_ERRORS)
    return (
        f"**Errors per packet** (2.5 MB): at 10⁻⁷ a packet MSS-TCP lost {lost:.4f} % of its packets to errors and had {few:.2f} Mbit/s; "
        f"without errors it had {none:.2f} Mbit/s."
    )


def _over_bbr(values: Values) -> str:
    none, errors = (values("mobile_user", "over_bbr_percent", "msstcp", **point) - 100 for point in (NO_ERRORS, ERRORS))
    used = [
        f"{values('mobile_user', 'channel_percent', 'bbr', **point):.0f} and "
        f"{values('mobile_user', 'channel_percent', 'msstcp', **point):.0f} %"
        for point in (NO_ERRORS, ERRORS)
    ]
    return (
        f"**MSS-TCP over BBR** (2.5 MB): {none:+.1f} % without errors, {errors:+.1f} % at 10⁻⁷ a byte. Of the rate that the channel could "
        f"carry, BBR and MSS-TCP had {used[0]} without errors, {used[1]} with them; a gain of 24 % is possible only over a scheme that "
        "leaves a fifth of the channel unused."
    )


def _rate_and_rtt(values: Values) -> str:
    said = []
    for scheme, name in (("bbr", "BBR"), ("msstcp", "MSS-TCP"), ("nodectl", "Nodectl")):
        slow = values("mobile_user", "channel_percent", scheme, **ERRORS)
        said.append(f"{name} {slow:.1f} and {values('at_1_gbit', 'channel_percent', scheme):.1f} %")
    beginning = "**100 Mbit/s × 200 ms and 1 Gbit/s × 20 ms** (2.5 MB, 10⁻⁷ a byte), share of the rate that the channel could carry"
    return f"{beginning}: {', '.join(said)}."


FINDINGS = (_growth, _errors, _unit, _over_bbr, _rate_and_rtt)
