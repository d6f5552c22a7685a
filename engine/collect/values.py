"""Values that every cell has without being asked: throughput beside the ideal, losses, delay, fairness, times."""

from __future__ import annotations

import numpy as np

from common.units import BITS_PER_MEGABIT, US_PER_MS
from engine.collect.completions import offered_load_percent
from engine.collect.fair_share_time import fair_share_s
from engine.collect.over_commitment import over_commitment
from engine.collect.provenance import describe_machine
from engine.collect.record import ProgramEnd
from engine.collect.run_data import RunData, TransmissionData
from engine.collect.samples import Series
from engine.collect.statistics import first_data_s, jain_index, mean_bps, reduced_at_s
from engine.plan.ideal import has_ideal
from topo.computing import times_of

MILLISECONDS = 1e3
MOST_LINKS, MOST_QUEUES = 16, 8
"""Of so many directions of links between switches, and of so many queues of each, a cell has times of waiting."""

Values = dict[str, float | None]

WORKLOAD_VALUES = (
    "transmissions", "unfinished", "offered_load_percent", "completion_median_ms", "completion_p99_ms", "slowdown_median", "slowdown_p99",
    "messages_per_transmission", "above_capacity_s", "most_granted_percent", "most_records", "overcommitted",
    "controller_events_per_transmission", "controller_entries_per_transmission", "controller_ms_per_transmission",
)  # fmt: skip
"""Values that :func:`of_workloads` can give."""


def standard_values(run: RunData) -> Values:
    """Values of the run and of its transmissions; those of one transmission as ``NAME_UNIT.TRANSMISSION``, and plain if it is alone."""
    window_s = run.window_s
    values: Values = {}
    got_of_fair = []
    listed = [data for data in run.transmissions.values() if data.transmission in run.scenario.transmissions]
    total_bps = 0.0
    fair_mbps = run.fair_mbps if has_ideal(run.scenario) else {}
    for data in run.transmissions.values():
        name = data.transmission.name
        got_bps, fair_bps = mean_bps(data.received, *window_s), fair_mbps.get(name, 0.0) * BITS_PER_MEGABIT
        total_bps += got_bps
        if fair_bps > 0 and not data.was_refused:
            got_of_fair.append(got_bps / fair_bps)
        if data in listed:
            own = {
                "mean_mbps": got_bps / BITS_PER_MEGABIT,
                "fair_mbps": fair_bps / BITS_PER_MEGABIT if fair_mbps else None,
            } | _of_connection(data)
            values |= {f"{key}.{name}": value for key, value in own.items()}
            if len(run.transmissions) == 1:
                values |= own
    values |= {
        "total_mbps": total_bps / BITS_PER_MEGABIT,
        "jain": jain_index(got_of_fair) if got_of_fair else None,
        "fair_share_s": fair_share_s(run),
        "smoothed_rtt_ms": smoothed_rtt_ms(run),
        "queue_drops": run.links.queue_drops,
        "loss_drops": run.links.loss_drops,
        "down_drops": run.links.down_drops,
        "lateness_p99_ms": run.verdict.p99_us / MILLISECONDS,
        "lateness_max_ms": run.verdict.max_us / MILLISECONDS,
    }
    values |= waits_in_queues(run)
    if run.links.discipline_marks is not None:
        values["queue_marks"] = run.links.discipline_marks
    if run.takeover_s is not None:
        values["takeover_ms"] = run.takeover_s * MILLISECONDS
    return values | leads(run) | of_programs(run) | of_workloads(run)


def waits_in_queues(run: RunData) -> Values:
    """How long packets waited in the queues between switches, ms, in the measuring window: ``queue_wait_p99_ms.s1-s2``, and
    ``queue_wait_p99_ms.s1-s2.1`` of one of several queues. Networks with many links have none: nobody would read them."""
    switches = set(run.scenario.layout.switches)
    links = [link for link in run.links.in_window or () if link.waits.packets and link.is_between(switches)]
    if len(links) > MOST_LINKS:
        return {}
    found = {link.name: link.waits for link in links}
    found |= {f"{link.name}.{queue}": waits for link in links for queue, waits in link.waits_of_queues.items() if queue < MOST_QUEUES}
    mean: Values = {f"queue_wait_mean_ms.{name}": waits.mean_us / MILLISECONDS for name, waits in found.items()}
    return mean | {f"queue_wait_p99_ms.{name}": waits.p99_us / MILLISECONDS for name, waits in found.items()}


def of_programs(run: RunData) -> Values:
    """Values of a scenario with programs: how long each took (``took_s.NAME``; None: it failed or had not ended), how many succeeded, and
    the largest queue."""
    programs = {name: one for name, one in run.programs.items() if not one.is_server}
    if not programs:
        return {}
    took_s = [one.took_s for one in programs.values() if one.took_s is not None and one.has_succeeded]
    values: Values = {f"took_s.{name}": one.took_s if one.has_succeeded else None for name, one in programs.items()}
    return values | {
        "programs_complete": len(took_s),
        "programs_took_median_s": float(np.median(took_s)) if took_s else None,
        "programs_took_least_s": min(took_s, default=None),
        "programs_took_most_s": max(took_s, default=None),
        "largest_queue_packets": run.links.largest_queue_packets,
    }


def of_workloads(run: RunData) -> Values:
    """Values of a scenario with workloads: how long transmissions took, over-commitment of links, and the work that transmissions made.

    In times and slowdowns, a transmission that had not ended counts with the time until its stop or the run's end.
    """
    if not run.scenario.workloads or not run.completions:
        return {}
    took_s, slowdown = (np.array([getattr(one, key) for one in run.completions]) for key in ("took_s", "slowdown"))
    count = len(run.completions)
    values: Values = {
        "transmissions": count,
        "unfinished": sum(not one.is_complete for one in run.completions),
        "offered_load_percent": offered_load_percent(run),
        "completion_median_ms": float(np.median(took_s)) * MILLISECONDS,
        "completion_p99_ms": float(np.percentile(took_s, 99)) * MILLISECONDS,
        "slowdown_median": float(np.median(slowdown)),
        "slowdown_p99": float(np.percentile(slowdown, 99)),
        "messages_per_transmission": sum(one.messages for one in run.completions) / count,
    }
    if (granted := over_commitment(run)) is not None:
        values |= {
            "above_capacity_s": granted.seconds,
            "most_granted_percent": granted.most_percent,
            "most_records": granted.most_records,
        }
    return values | _of_work(run)


def _of_work(run: RunData) -> Values:
    if run.work is None:
        return {}
    values: Values = {"overcommitted": run.work.overcommitted}
    if run.work.events is None or run.work.entries is None:
        return values
    count, costs = len(run.transmissions), times_of(run.scenario.computing)
    computing_ms = run.work.events * costs.controller_event_ms + run.work.entries * costs.controller_record_us / US_PER_MS
    return values | {
        "controller_events_per_transmission": run.work.events / count,
        "controller_entries_per_transmission": run.work.entries / count,
        "controller_ms_per_transmission": computing_ms / count if computing_ms else None,
    }


def facts(run: RunData) -> dict[str, str]:
    """Facts of a run: its machine, where its schemes came from, how negotiations ended, and the events on the way."""
    found = {"machine": describe_machine()}
    for name, data in run.transmissions.items():
        if data.transmission not in run.scenario.transmissions:
            continue
        found[f"congestion_control.{data.transmission.scheme or run.scheme}"] = str(data.summary["congestion_control_source"])
        if data.summary["negotiation"] != "none":
            found[f"negotiation.{name}"] = str(data.summary["negotiation"])
    if run.happened:
        found["happened"] = "; ".join(f"{at_s:.2f} s: {what}" for at_s, what in run.happened)
    return found


def program_ends(run: RunData) -> dict[str, ProgramEnd]:
    """How the programs of a scenario with programs ended, by name."""
    return {
        name: ProgramEnd(host=one.program.host, how=one.how, has_failed=one.has_failed, took_s=one.took_s, said=one.said)
        for name, one in run.programs.items()
    }


def _of_connection(data: TransmissionData) -> Values:
    handshake_s = data.summary["handshake_rtt_s"]
    return {
        "retransmits": data.summary["retransmits"],
        "handshake_rtt_ms": None if handshake_s is None else handshake_s * MILLISECONDS,
        "took_ms": None if data.took_s is None else data.took_s * MILLISECONDS,
        "received_bytes": data.received_bytes,
    }


def smoothed_rtt_ms(run: RunData) -> float | None:
    """Mean of the kernel's smoothed RTT over the samples of the measuring window, of all transmissions that were sampled."""
    begin_s, end_s = run.window_s
    found = []
    for data in run.transmissions.values():
        if data.transmission.sampled and data.samples_file.exists():
            rtt = data.column("srtt_us")
            found.append(rtt.value[(rtt.time_s >= begin_s) & (rtt.time_s <= end_s)])
    values = np.concatenate(found) if found else np.empty(0)
    return float(values.mean()) / MILLISECONDS if values.size else None


def leads(run: RunData) -> Values:
    """How long before a newcomer's first data an earlier transmission was reduced: ``lead_ms.EARLIER.NEWCOMER``; below 0: after it."""
    values: Values = {}
    negotiated = {
        name: one for name, one in run.transmissions.items() if one.summary["negotiation"] == "allocated" and one.transmission.sampled
    }
    rates: dict[str, Series] = {}
    for newcomer, data in negotiated.items():
        first_s = first_data_s(data.received)
        for earlier, other in negotiated.items():
            if first_s is None or other.transmission.start_s >= data.transmission.start_s:
                continue
            if earlier not in rates:
                rates[earlier] = other.column("allocated_rate_bps")
            reduced_s = reduced_at_s(rates[earlier], run.start_s + data.transmission.start_s)
            if reduced_s is not None:
                values[f"lead_ms.{earlier}.{newcomer}"] = (first_s - reduced_s) * MILLISECONDS
    return values
