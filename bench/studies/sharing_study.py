"""Who shares a link in simulated time: ``python -m bench.studies.sharing_study`` prints the indices of docs/congestion-controls.md."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.command_end import end_with
from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import Flow, Link, Simulation, jain

QTCOL_RATE_BPS, QTCOL_RTT_US, QTCOL_BDP = 100e6, 40_000, 5
APART_US = 100_000
LIBRA_RATE_BPS, LIBRA_QUEUE_PACKETS, LIBRA_S = 10e6, 133, 400.0
LIBRA_RTTS_MS = (40, 40, 160, 160)
MSS_BYTES = 1448
FRAME_BYTES = MSS_BYTES + 66
SEED = 1
"""Of which packet is lost where that is by chance."""


def qtcol_jain(name: str, apart_us: int, until_s: float) -> float:
    """Jain's index of five flows over the second half of a run, 100 Mbit/s, 40 ms, 5 BDP of queue, one acknowledgement for two packets."""
    simulation = Simulation()
    queue_packets = round(QTCOL_BDP * QTCOL_RATE_BPS * QTCOL_RTT_US / 1e6 / 8 / FRAME_BYTES)
    link, frame = Link(simulation, QTCOL_RATE_BPS, queue_packets), Frame(name)
    flows = [
        Flow(simulation, link, frame, QTCOL_RTT_US // 2, mss_bytes=MSS_BYTES, start_us=number * apart_us, ack_every=2)
        for number in range(5)
    ]
    simulation.run(until_s)
    return jain([flow.rate_bps(until_s / 2, until_s) for flow in flows])


def libra_jain(name: str, ack_every: int, by_chance: bool) -> float:
    """Jain's index of four flows over the second half of 400 s, 10 Mbit/s, RTTs of 40, 40, 160 and 160 ms, a queue of 133 packets."""
    simulation = Simulation()
    link = Link(simulation, LIBRA_RATE_BPS, LIBRA_QUEUE_PACKETS, random_drop=random.Random(SEED) if by_chance else None)
    frame = Frame(name)
    flows = [Flow(simulation, link, frame, rtt_ms * 500, mss_bytes=MSS_BYTES, ack_every=ack_every) for rtt_ms in LIBRA_RTTS_MS]
    simulation.run(LIBRA_S)
    return jain([flow.rate_bps(LIBRA_S / 2, LIBRA_S) for flow in flows])


def lines() -> Iterator[str]:
    """Both tables, in Markdown."""
    yield "| R | Begin 0.1 s apart (the authors' scripts) | Together |"
    yield "|---|---|---|"
    for name in ("qtcol", "qtcol(rtt=last)"):
        yield f"| `{name}` | {qtcol_jain(name, APART_US, 25):.3f} | {qtcol_jain(name, 0, 25):.3f} |"
    yield ""
    yield "| A full queue drops | what comes | what comes | one of those that wait, by chance | |"
    yield "|---|---|---|---|---|"
    yield "| Acknowledged | every packet | every second | every packet | every second |"
    for name in ("libra", "libra(capacity=10)", "reno"):
        found = [libra_jain(name, ack_every, by_chance) for by_chance in (False, True) for ack_every in (1, 2)]
        yield f"| `{name}` | {' | '.join(f'{one:.3f}' for one in found)} |"


def main() -> None:
    """Print the table, line by line, as they are computed."""
    for line in lines():
        print(line, flush=True)


if __name__ == "__main__":
    end_with(main)
