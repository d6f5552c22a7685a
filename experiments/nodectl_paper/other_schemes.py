"""Where the other schemes differ from the published values, and what was measured about the reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from experiments.nodectl_paper import table3_time_to_bdp, table4_utilization, table5_fluctuation, table6_loss, table7_staggered
from experiments.nodectl_paper.setup import PACKET_BYTES, PAYLOAD_BYTES, PUBLISHED_NAMES
from experiments.published import published_table, published_value
from experiments.reproduction.document import Block, Heading, Text
from experiments.reproduction.measures import BITS_PER_BYTE
from experiments.reproduction.results import Results

Finding = Callable[[Mapping[str, Results]], str | None]


def other_schemes(results: Mapping[str, Results]) -> list[Block]:
    """One paragraph for each finding whose measurements are there."""
    findings: tuple[Finding, ...] = (
        _slow_start, _bbr_start, _initial_window, _no_part, _small_queue, _rtt_range, _throughput_range, _loss_and_delay, _staggered_bbr,
    )  # fmt: skip
    lines = [line for line in (finding(results) for finding in findings) if line]
    if not lines:
        return []
    return [
        Heading("Where and why the other schemes differ from the published values"),
        Text(
            "The published values are from ns-3, the measured ones from the kernel's TCP. Only what has been measured here, or follows "
            "from "
            "the set-up alone, is called a reason."
        ),
        Text("\n".join(f"- {line}" for line in lines)),
    ]


def _slow_start(results: Mapping[str, Results]) -> str | None:
    ratios = []
    table3 = published_table(table3_time_to_bdp.PUBLISHED)
    for rate, rtt in table3_time_to_bdp.PAIRS:
        for scheme in ("reno", "cubic"):
            found = _spread(results, "table3", "time_to_bdp_ms", scheme, rate_mbps=rate, rtt_ms=rtt, queue_packets=1000)
            value = published_value(table3, f"{rate}Mbps_{rtt}ms", scheme)
            if found and value:
                ratios.append(found / value)
    table4 = published_table(table4_utilization.PUBLISHED)
    for delay in table4_utilization.DELAYS_MS:
        for scheme in ("reno", "cubic"):
            point: dict[str, Any] = {"size_bytes": table4_utilization.TABLE_SIZE_BYTES, "delay_ms": delay, "queue_packets": 1000}
            found = _spread(results, "table4", "utilization_percent", scheme, **point)
            value = published_value(table4, f"{delay}ms", scheme)
            if found and value:
                ratios.append(found / value)
    if not ratios:
        return None
    return (
        "**Slow start** (tables 3 and 4, queue 1000): NewReno and Cubic come out as published: measured over published is "
        f"{min(ratios):.2f} to {max(ratios):.2f} in all {len(ratios)} cells."
    )


def _bbr_start(results: Mapping[str, Results]) -> str | None:
    found = _spread(results, "table3", "time_to_bdp_ms", "bbr", rate_mbps=80, rtt_ms=80, queue_packets=1000)
    slow_start = _spread(results, "table3", "time_to_bdp_ms", "reno", rate_mbps=80, rtt_ms=80, queue_packets=1000)
    value = published_value(published_table(table3_time_to_bdp.PUBLISHED), "80Mbps_80ms", "bbr")
    if not (found and slow_start and value):
        return None
    return (
        f"**BBR's start-up** (table 3): at 80 Mbit/s and 80 ms the kernel's BBR (version 1) reaches the BDP after {found / 80:.1f} RTTs, "
        "about "
        f"as fast as slow start ({slow_start / 80:.1f}); the published {value / 80:.1f} RTTs belong to an implementation that "
        "starts more slowly."
    )


def _initial_window(results: Mapping[str, Results]) -> str | None:
    ours = _variant(results, "default", "time_to_bdp_ms", "reno", 1000)
    linux = _variant(results, "window10", "time_to_bdp_ms", "reno", 1000)
    if not (ours and linux):
        return None
    return (
        f"**Initial window**: with Linux's own 10 packets instead of the paper's 1, NewReno would reach the BDP in {linux:.0f} instead of "
        f"{ours:.0f} ms (80 Mbit/s, RTT 60 ms)."
    )


def _no_part(results: Mapping[str, Results]) -> str | None:
    parts = []
    for variant, scheme, what in (
        ("ack_each", "reno", "delayed ACKs (the kernel acknowledges every packet at the start anyway)"),
        ("no_rack", "reno", "RACK"),
        ("no_hystart", "cubic", "HyStart"),
    ):
        for queue in (100, 1000):
            default = _variant(results, "default", "utilization_percent", scheme, queue)
            without = _variant(results, variant, "utilization_percent", scheme, queue)
            if default and without:
                parts.append(
                    (abs(without / default - 1), what, f"{PUBLISHED_NAMES[scheme]} {default:.1f} and {without:.1f} % at queue {queue}")
                )
    if not parts:
        return None
    shown: dict[str, list[str]] = {}
    for _, what, values in parts:
        shown.setdefault(what, []).append(values)
    listed = "; ".join(f"{what}: {', '.join(values)}" for what, values in shown.items())
    return f"**What makes a difference of at most {100 * max(part[0] for part in parts):.0f} % here**, with and without: {listed}."


def _small_queue(results: Mapping[str, Results]) -> str | None:
    default, large, no_sack = (
        _variant(results, variant, "utilization_percent", "reno", queue)
        for variant, queue in (("default", 100), ("default", 1000), ("no_sack", 100))
    )
    drops = _variant(results, "default", "queue_drops", "reno", 100)
    if not (default and large and no_sack and drops is not None):
        return None
    return (
        f"**Queue of 100 packets** (table 4): slow start overflows it once, {drops:.0f} packets, and NewReno falls from {large:.1f} to "
        f"{default:.1f} %; without SACK, which repairs many losses in one RTT, to {no_sack:.1f} %. The published values show no such loss; "
        "they come out with the larger queue."
    )


def _rtt_range(results: Mapping[str, Results]) -> str | None:
    found = _spread(results, "table5", "rtt_range_ms", "reno", queue_packets=100)
    value = published_value(published_table(table5_fluctuation.PUBLISHED), "rtt_ms", "reno")
    if not (found and value):
        return None
    full_ms = 100 * (PACKET_BYTES + 14) * BITS_PER_BYTE / (table5_fluctuation.RATE_MBPS * 1e3)
    return (
        f"**Range of the RTT** (table 5): a queue of 100 packets holds {full_ms:.1f} ms at {table5_fluctuation.RATE_MBPS} Mbit/s, and "
        "NewReno fills and "
        f"empties it: {found:.1f} ms. The published {value:g} ms do not fit into 100 packets."
    )


def _throughput_range(results: Mapping[str, Results]) -> str | None:
    found = _spread(results, "table5", "throughput_range_mbps", "bbr", queue_packets=100)
    value = published_value(published_table(table5_fluctuation.PUBLISHED), "throughput_mbps", "bbr")
    if not (found and value):
        return None
    return (
        f"**Range of the throughput** (table 5): BBR's published {value:g} Mbit/s are more than the link carries, so they were not "
        "measured behind "
        f"it; here the receiver's throughput is meant ({found:.1f} Mbit/s)."
    )


def _loss_and_delay(results: Mapping[str, Results]) -> str | None:
    part = next(part for part in table6_loss.PARTS if part.letter == "c")
    near, far = (_spread(results, "table6", "throughput_mbps", "reno", part="c", **part.point(end)) for end in (part.below, part.above))
    value = published_value(published_table(table6_loss.PUBLISHED), part.key, "reno")
    if not (near and far and value):
        return None
    formula = [_square_root_mbps(2 * end, part.loss_percent) for end in (part.below, part.above)]
    return (
        "**Loss and delay** (table 6 c): a window that is halved at every loss gives 1.22 × MSS / (RTT × √p), at 0.15 % loss "
        f"{formula[0]:.1f} Mbit/s "
        f"at 10 ms and {formula[1]:.2f} Mbit/s at 150 ms one-way, {100 * formula[1] / formula[0]:.1f} %. Measured: {near:.1f} and "
        f"{far:.2f} Mbit/s. The "
        f"published {value:g} % for NewReno cannot be a ratio of long-run throughputs at 80 Mbit/s."
    )


def _staggered_bbr(results: Mapping[str, Results]) -> str | None:
    means = {name: _spread(results, "table7", f"mean_mbps_{name}", "bbr") for name in table7_staggered.NAMES}
    dropped = _spread(results, "table7", "dropped_packets", "bbr")
    published = published_table(table7_staggered.PUBLISHED)
    if dropped is None or None in means.values():
        return None
    ours = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    theirs = ", ".join(f"{name} {published_value(published, name, 'bbr'):g}" for name in means)
    return (
        f"**BBR, staggered** (table 7): unfair here as well ({ours} Mbit/s, {dropped:.0f} packets dropped), but not always to the same "
        f"transmission as published ({theirs}); who wins differs from run to run."
    )


def _square_root_mbps(rtt_ms: float, loss_percent: float) -> float:
    return 1.22 * PAYLOAD_BYTES * BITS_PER_BYTE / (rtt_ms / 1e3 * math.sqrt(loss_percent / 100)) / 1e6


def _spread(results: Mapping[str, Results], experiment: str, value: str, scheme: str, **point: Any) -> float | None:
    found = results[experiment].spread(value, scheme, **point) if experiment in results else None
    return found.median if found else None


def _variant(results: Mapping[str, Results], variant: str, value: str, scheme: str, queue: int) -> float | None:
    return _spread(results, "differences", value, scheme, variant=variant, queue_packets=queue)
