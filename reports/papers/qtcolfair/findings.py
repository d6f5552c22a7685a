"""Why results differ from the paper's: sentences of which every part about a result is computed from it."""

from __future__ import annotations

from collections.abc import Mapping

from common.units import BITS_PER_BYTE
from protocol.frames import ETHERNET_HEADER_BYTES
from reports.claims.findings import Values, listed_findings
from reports.document.blocks import Block
from reports.paper import Paper
from reports.results import Results

FRAME_BITS = (1500 + ETHERNET_HEADER_BYTES) * BITS_PER_BYTE
QUEUE_PACKETS = 1725
BASE_RTT_MS = 40.4
LONG_RTT_MS = 80.4
ALPHA = 1.2
PROBE_S, PROBE_INTERVAL_S = 0.2, 10


def section(results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """One paragraph for each finding whose measurements are there."""
    intro = "Each statement is computed from the results above, or follows from the set-up alone."
    return listed_findings("Where the results differ from the paper's, and why", intro, FINDINGS, results, paper)


def _probes(values: Values) -> str:
    without, probing = (values("single_flow", "of_ceiling_percent", scheme, length="usual") for scheme in ("qtcol", "qtcolfair"))
    return (
        f"**What looking for the smallest RTT costs** (one flow): QtColFair's window is 4 packets for {PROBE_S * 1e3:.0f} ms of every "
        f"{PROBE_INTERVAL_S} s, {100 * PROBE_S / PROBE_INTERVAL_S:.0f} % of the time, and grows again after that. QtCol does not look for "
        f"it, and has {without:.1f} % of what a full link carries; QtColFair has {probing:.1f} %. The authors' ns-3 class ends a probe "
        "after one smallest RTT, which their text does not say; here the text is followed."
    )


def _full_queue(values: Values) -> str:
    at_100_ms, at_25_ms = (QUEUE_PACKETS * FRAME_BITS / rate_kbps for rate_kbps in (100e3, 25e3))
    highest = values("single_flow", "rtt_ms_high", "cubic", length="usual")
    published = values.published("varying_bandwidth_rtt_ms", "most", "cubic")
    return (
        f"**A full queue**: {QUEUE_PACKETS} packets take {at_100_ms:.0f} ms at 100 Mbit/s, so an RTT can reach "
        f"{BASE_RTT_MS + at_100_ms:.0f} ms; Cubic's upper whisker is {highest:.0f} ms. At 25 Mbit/s (figure 15) they take {at_25_ms:.0f} "
        f"ms; the paper's Cubic stays at {published:g} ms or less."
    )


def _slow_phase(values: Values) -> str:
    most = values("bandwidth", "rtt_ms_most", "cubic", slow_s=25)
    first, slow, fast = (values("bandwidth", f"rtt_ms_{phase}", "qtcolfair", slow_s=25) for phase in ("first", "slow", "fast"))
    return (
        f"**When the rate falls** (figure 15): Cubic's RTT reaches {most:.0f} ms here. QtColFair's median is {first:.1f}, {slow:.1f} and "
        f"{fast:.1f} ms at 100, 25 and 500 Mbit/s; α times the smallest RTT is {ALPHA * BASE_RTT_MS:.1f} ms."
    )


def _longer_path(values: Values) -> str:
    said = []
    for first_s in (16, 23):
        before, soon, later = (values("delay", value, "qtcolfair", first_s=first_s) for value in ("before", "at_once", "longer"))
        next_probe_s = PROBE_INTERVAL_S - first_s % PROBE_INTERVAL_S
        said.append(
            f"with the next probe due some {next_probe_s} s after the change, {before:.0f} packets in flight before it, {soon:.0f} from "
            f"0.5 to 3 s after it, {later:.0f} in the second half of the longer phase"
        )
    return (
        "**When the path becomes longer** (figures 16 and 17): Algorithm 2 takes an RTT above "
        f"{2 * ALPHA * BASE_RTT_MS:.1f} ms for a longer path; the longer path has {LONG_RTT_MS} ms without queue. QtColFair has, "
        f"{'; '.join(said)}."
    )


def _fairness(values: Values) -> str:
    said = []
    for apart_s, text in ((0.1, "0.1 s apart"), (0, "all at once")):
        whole, recent = (values("flows", value, "qtcol", flows=5, apart_s=apart_s) for value in ("jain_cumulative", "jain_recent"))
        said.append(f"{text} {whole:.2f} (the last 10 s: {recent:.2f})")
    published = values.published("jain_index_5_flows", "", "qtcol")
    return f"**QtCol's monopoly** (figure 23): Jain's index of five flows that begin {', '.join(said)}; published: {published:g}."


FINDINGS = (_probes, _full_queue, _slow_phase, _longer_path, _fairness)
