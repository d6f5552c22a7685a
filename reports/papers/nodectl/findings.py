"""Where the other schemes differ from the published values: sentences of which every part about a result is computed from it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from common.units import BITS_PER_BYTE
from protocol.frames import ETHERNET_HEADER_BYTES, FULL_PACKET_HEADERS_BYTES
from reports.claims.findings import Values, listed_findings
from reports.document.blocks import Block
from reports.paper import Paper
from reports.results import Results

PACKET_BYTES = 1052
FRAME_BYTES = PACKET_BYTES + ETHERNET_HEADER_BYTES
PAYLOAD_BYTES = PACKET_BYTES - FULL_PACKET_HEADERS_BYTES
UNPACED_PACKETS = 10
"""Linux begins a connection with so many packets, whatever its pacing rate."""


def section(results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """One paragraph for each finding whose measurements are there."""
    intro = (
        "The published values are from ns-3, the measured ones from the kernel's TCP. Each statement is computed from the results "
        "above, or follows from the set-up alone."
    )
    return listed_findings("Where the other schemes differ from the published values", intro, FINDINGS, results, paper)


def _slow_start(values: Values) -> str:
    ratios = []
    for scheme in ("reno", "cubic"):
        for rate, rtt in ((10, 20), (10, 80), (80, 20), (80, 80)):
            measured = values("table3", "time_to_bdp_ms", scheme, rate_mbps=rate, rtt_ms=rtt, queue_packets=1000)
            ratios.append(measured / values.published("table3_time_to_bdp_ms", f"{rate}Mbps_{rtt}ms", scheme))
        for delay in (30, 35, 40, 45):
            measured = values("table4", "utilization_percent", scheme, size_bytes=3_000_000, delay_ms=delay, queue_packets=1000)
            ratios.append(measured / values.published("table4_utilization_3MB_80Mbps_percent", f"{delay}ms", scheme))
    off = max(abs(ratio - 1) for ratio in ratios)
    return (
        f"**Slow start** (tables 3 and 4, queue 1000, NewReno and Cubic): measured over published is {min(ratios):.2f} to "
        f"{max(ratios):.2f} in {len(ratios)} cells, at most {100 * off:.0f} % off."
    )


def _small_queue(values: Values) -> str:
    point = {"size_bytes": 3_000_000, "delay_ms": 30}
    small, large = (values("table4", "utilization_percent", "reno", queue_packets=queue, **point) for queue in (100, 1000))
    published = values.published("table4_utilization_3MB_80Mbps_percent", "30ms", "reno")
    nearer = 100 if abs(small - published) < abs(large - published) else 1000
    return (
        f"**The queue** (table 4, 30 ms): NewReno has {small:.1f} % with 100 packets and {large:.1f} % with 1000; the published "
        f"{published:g} % are nearer to the queue of {nearer}. The differences above include other causes in the kernel."
    )


def _rtt_range(values: Values) -> str:
    measured = values("table5", "rtt_range_ms", "reno", queue_packets=100)
    published = values.published("table5_fluctuation_40Mbps_20ms", "rtt_ms", "reno")
    full_ms = 100 * FRAME_BYTES * BITS_PER_BYTE / 40e3
    return (
        f"**Range of the RTT** (table 5): a queue of 100 packets holds {full_ms:.1f} ms at 40 Mbit/s. NewReno's smoothed RTT ranges over "
        f"{measured:.1f} ms; published are {published:g} ms, {'more than' if published > full_ms else 'not more than'} fits into the queue."
    )


def _throughput_range(values: Values) -> str:
    measured = {scheme: values("table5", "throughput_range_mbps", scheme, queue_packets=100) for scheme in ("reno", "cubic", "bbr")}
    published = values.published("table5_fluctuation_40Mbps_20ms", "throughput_mbps", "bbr")
    listed = ", ".join(f"{scheme} {value:.1f}" for scheme, value in measured.items())
    above = [scheme for scheme, value in measured.items() if value > 40]
    return (
        f"**Range of the throughput** (table 5, queue 100): {listed} Mbit/s at the receiver, published for BBR {published:g}, on a link of "
        f"40 Mbit/s. Above the link's rate here: {', '.join(above) or 'none'}. Bytes that waited behind a lost packet are read at once, so "
        "a receiver's bin can have more than the link carries in it."
    )


def _loss_and_delay(values: Values) -> str:
    point = {"part": "c", "rate_mbps": 80, "loss_percent": 0.15}
    near, far = (values("table6", "throughput_mbps", "reno", one_way_ms=delay, **point) for delay in (10, 150))
    kept = values("table6", "c_percent", "reno")
    formula = [1.22 * PAYLOAD_BYTES * BITS_PER_BYTE / (2 * delay / 1e3 * math.sqrt(0.15 / 100)) / 1e6 for delay in (10, 150)]
    published = values.published("table6_ratios_percent", "c_throughput_150ms_over_10ms_at_0.15%_loss", "reno")
    return (
        f"**Loss and delay** (table 6 c, NewReno): a window that is halved at every loss gives 1.22 × MSS / (RTT × √p), at 0.15 % loss "
        f"{formula[0]:.1f} Mbit/s at 10 ms and {formula[1]:.2f} Mbit/s at 150 ms one-way, {100 * formula[1] / formula[0]:.1f} %. Measured: "
        f"{near:.1f} and {far:.2f} Mbit/s, {kept:.1f} % (the mean of the ratios of each seed, as in the table). Published: {published:g} %."
    )


def _first_packets(values: Values) -> str:
    took_ms = values("table3", "time_to_bdp_ms", "nodectl", rate_mbps=10, rtt_ms=80, queue_packets=1000)
    unpaced_bytes = UNPACED_PACKETS * FRAME_BYTES
    return (
        f"**The first packets** (table 3, Nodectl at 10 Mbit/s and 80 ms): Linux does not pace the first {UNPACED_PACKETS} packets of a "
        f"connection, here {unpaced_bytes / 1e3:.1f} of 100 KB or {unpaced_bytes * BITS_PER_BYTE / 10e3:.1f} ms at the allocated rate. The "
        f"BDP is reached in {took_ms:.0f} ms, {abs(160 - took_ms):.0f} ms {'before' if took_ms < 160 else 'after'} two RTTs."
    )


FINDINGS = (_slow_start, _small_queue, _rtt_range, _throughput_range, _loss_and_delay, _first_packets)
