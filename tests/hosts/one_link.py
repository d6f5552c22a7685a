"""Transfers in simulated time over one link of 10 Mbit/s, with RTTs of 40 ms and some µs."""

from __future__ import annotations

from hosts.cca.simulation.frame import Frame
from hosts.cca.simulation.network import Flow, Link, Simulation

RATE_BPS = 10e6
FRAME_BITS = 1066 * 8
BASE_US = 40_000 + FRAME_BITS / RATE_BPS * 1e6
"""RTT of the path with nothing queued."""


def flows(names: list[str], until_s: float, queue_packets: int = 1000) -> list[Flow]:
    """A transfer of each scheme, after so many seconds."""
    simulation = Simulation()
    link = Link(simulation, RATE_BPS, queue_packets)
    made = [Flow(simulation, link, Frame(name), 20_000 + 37 * number, mss_bytes=1000) for number, name in enumerate(names)]
    simulation.run(until_s)
    return made
