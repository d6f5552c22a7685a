"""Why results differ from the paper's: sentences of which every part about a result is computed from it."""

from __future__ import annotations

from collections.abc import Mapping

from reports.claims.findings import Values, listed_findings
from reports.document.blocks import Block
from reports.paper import Paper
from reports.results import Results

RTT_S = 0.16
DURATION_S = 1000
PIPE_PACKETS = 1244e6 * RTT_S / 12_000
"""The bandwidth-delay product of figures 8 and 9, in packets of 1500 bytes."""

PIPE_10 = {"buffer": "pipe", "capacity_mbps": 10}
NEAR_PERCENT = 5.0
"""Two utilizations are alike if one is within this of the other."""


def section(results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """One paragraph for each finding whose measurements are there."""
    intro = "Each statement is computed from the results above, or follows from the set-up alone."
    return listed_findings("Where the results differ from the paper's, and why", intro, FINDINGS, results, paper)


def _chance(values: Values) -> str:
    said = []
    for scheme, name in (("reno", "NewReno"), ("libra", "Libra")):
        alone = values("fairness", "jain_half", scheme, others="none", duration_s=250, **PIPE_10)
        beside = values("fairness", "jain_half", scheme, others="some", **PIPE_10)
        said.append(f"{name} {alone:.3f} alone, {beside:.3f} beside short transmissions")
    return (
        f"**Chance** (figure 4 at 10 Mbit/s, 250 s): Jain's index of {'; '.join(said)}. Without anything by chance, whose packets "
        "a full queue drops follows from the senders' phases."
    )


def _time(values: Values) -> str:
    said = []
    for scheme, name in (("reno", "NewReno"), ("libra", "Libra")):
        point = {"others": "none", **PIPE_10}
        short, long = (values("fairness", "jain_half", scheme, duration_s=duration, **point) for duration in (250, DURATION_S))
        said.append(f"{name} {short:.3f} and {long:.3f}")
    return (
        f"**Time** (figure 4 at 10 Mbit/s, alone): Jain's index in the second half of 250 and of {DURATION_S} s: {', '.join(said)}. A "
        "difference is what a shorter run has not come to; the last quarters in the table say it of the other points."
    )


def _sender_queues(values: Values) -> str:
    said, differs = [], False
    for scheme, name in (("reno", "NewReno"), ("libra", "Libra")):
        short, long = (
            values("open_settings", "jain_half", scheme, setting=setting) for setting in ("elsewhere", "long queues at the senders")
        )
        said.append(f"{name} {short:.3f} and {long:.3f}")
        differs |= f"{short:.3f}" != f"{long:.3f}"
    return (
        "**The queues of the other links** (as figure 4 at 10 Mbit/s): Jain's index with 50 and with 10,000 packets at the senders' "
        f"links: {', '.join(said)}. {'By one run each.' if differs else 'They make no difference here.'}"
    )


def _newreno(values: Values) -> str:
    measured = {queue: values("fat_pipe", "whole_percent", "reno", sender_queue=queue) for queue in ("pipe", "50")}
    published = values.published("figures_8_9_utilization_1244Mbps_160ms_percent", "", "reno")
    linear = 100 * DURATION_S / RTT_S / 2 / PIPE_PACKETS
    nearer = min(measured, key=lambda queue: abs(measured[queue] - published))
    return (
        f"**NewReno's {published:g} %** (figures 8 and 9): a window that grows by a packet an RTT from nearly nothing has {linear:.1f} % "
        f"of the pipe in the mean of {DURATION_S} s, and {linear / 2:.1f} % with half a packet an RTT. Measured: {measured['pipe']:.1f} % "
        f"with a buffer of a pipe at the sender's link, {measured['50']:.1f} % with 50 packets; the published value is nearer to "
        f"{'the latter' if nearer == '50' else 'the former'}."
    )


def _scaled(values: Values) -> str:
    libra = [values("fat_pipe_published", "whole_ceiling_percent", "libra", capacity_mbps=rate) for rate in (1244, 100)]
    reno = [values("fat_pipe_published", "whole_ceiling_percent", "reno", capacity_mbps=rate) for rate in (1244, 100)]
    alike = [abs(published - scaled) <= NEAR_PERCENT for published, scaled in (libra, reno)]
    return (
        f"**The scaled fat pipe**: at 1244 and at 100 Mbit/s Libra has {libra[0]:.1f} and {libra[1]:.1f} % in 20 s, NewReno {reno[0]:.1f} "
        f"and {reno[1]:.1f} % in 80 and 6.43 s: {'both' if all(alike) else 'one' if any(alike) else 'neither'} of them within "
        f"{NEAR_PERCENT:g} points. The end of slow start does not scale: it comes at the same number of packets, which are 12.44 times as "
        "much of the smaller pipe."
    )


def _beside_newreno(values: Values) -> str:
    index = values("friendliness", "asymmetry", "nodectl", others="some", **PIPE_10)
    return (
        "**Nodectl beside NewReno** (figure 6 at 10 Mbit/s): its switches give its two transmissions the whole capacity, since they see "
        f"no others; the asymmetry index is {index:.3f}."
    )


FINDINGS = (_chance, _time, _sender_queues, _newreno, _scaled, _beside_newreno)
