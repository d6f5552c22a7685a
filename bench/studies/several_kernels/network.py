"""The study's network: two switches with as many hosts each, and a link between them that may lead from one kernel to another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

SIDES = (1, 2)
TRUNK_PORT = 100
STARTS_S = 4.0
"""Virtual time at which transfers begin; everything is up before."""

ACCESS_DELAY_US = 1000.0
QUEUE_PACKETS = 100
MEMORY_DEVICE = "/dev/mmapper"


class Shared(BaseModel):
    """How a kernel is joined to the other one.

    Args:
        memory_bytes: of the memory that both map.
        waits: whether switches keep the kernels' clocks together; else a calendar does.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory_bytes: int
    waits: bool


class Network(BaseModel):
    """A network, and the part of it that is in one kernel.

    Args:
        hosts: of each switch; even, and at least 4.
        rate_mbps: of all links.
        trunk_delay_us: of the link between the switches.
        seconds: how long transfers send.
        sides: the switches of this kernel, with their hosts.
        shared: None: this kernel has both switches.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    hosts: int
    rate_mbps: float
    trunk_delay_us: float
    seconds: float
    sides: tuple[int, ...] = SIDES
    shared: Shared | None = None

    @property
    def ends_s(self) -> float:
        """Virtual time at which transfers end."""
        return STARTS_S + self.seconds

    def all_hosts(self) -> Iterator[tuple[int, int]]:
        """Each host by side and number."""
        return ((side, number) for side in SIDES for number in range(1, self.hosts + 1))

    def transfers(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Sender and receiver of each: pairs at one switch, and of the last two hosts of each one to the other switch and one back."""
        for side in SIDES:
            yield from (((side, number), (side, number + 1)) for number in range(1, self.hosts - 2, 2))
        yield (1, self.hosts - 1), (2, self.hosts - 1)
        yield (2, self.hosts), (1, self.hosts)


def name(host: tuple[int, int]) -> str:
    """Of a host."""
    return f"h{host[0]}-{host[1]}"


def address(host: tuple[int, int]) -> str:
    """Its IPv4 address."""
    return f"10.0.{host[0]}.{host[1]}"


def hardware_address(host: tuple[int, int]) -> str:
    """Of its interface."""
    return f"02:00:00:00:{host[0]:02x}:{host[1]:02x}"


def program(template: str, network: Network, side: int) -> str:
    """The P4 program of a switch.

    Args:
        template: with ``ENTRIES`` in it.
        network: the whole.
        side: of the switch.
    """
    entries = []
    for host in network.all_hosts():
        port = host[1] if host[0] == side else TRUNK_PORT
        entries.append(f"0x{hardware_address(host).replace(':', '')}: to_port({port});")
    return template.replace("ENTRIES", " ".join(entries))


def switch_file(network: Network, programs: Path, namespaces: Path, samples: Path) -> dict[str, Any]:
    """The description that ``p4switch run`` reads, of the switches of this kernel.

    Args:
        network: the whole.
        programs: folder with ``s1.json`` and ``s2.json``.
        namespaces: folder with the hosts' network namespaces.
        samples: the file for counters of links.
    """
    return {
        "switches": [_switch(network, side, programs, namespaces) for side in network.sides],
        "samples": {"ports": str(samples), "interval_ms": 10},
    }


def _switch(network: Network, side: int, programs: Path, namespaces: Path) -> dict[str, Any]:
    rate = {"rate_bps": round(network.rate_mbps * 1e6), "queue": {"packets": QUEUE_PACKETS}}
    access = rate | {"delay_us": ACCESS_DELAY_US}
    ports: list[dict[str, Any]] = [
        {
            "port": number,
            "tap": {"device": "eth0", "netns": str(namespaces / name((side, number)))},
            "egress": access,
            "ingress": access,
        }
        for number in range(1, network.hosts + 1)
    ]
    trunk: dict[str, Any] = {"port": TRUNK_PORT, "egress": rate}
    if network.shared is None:
        (other,) = set(SIDES) - {side}
        trunk["peer"] = {"switch": f"s{other}", "port": TRUNK_PORT}
        trunk["egress"] = rate | {"delay_us": network.trunk_delay_us}
    else:
        trunk["crossing"] = {
            "memory": MEMORY_DEVICE, "bytes": network.shared.memory_bytes, "side": side, "delay_us": network.trunk_delay_us,
            "waits": network.shared.waits,
        }  # fmt: skip
    # The switch processes events of one moment in the order of the links in its description. In one kernel, frames from s1 to s2 are on a
    # link of s1, so they come before those of s2's hosts. In two kernels they do so if this port is the first.
    first, last = ([], [trunk]) if side == SIDES[0] else ([trunk], [])
    return {"name": f"s{side}", "device_id": side, "program": str(programs / f"s{side}.json"), "ports": [*first, *ports, *last]}


def host_commands(network: Network, host: tuple[int, int]) -> Iterator[str]:
    """Lines for ``ip -batch`` in the namespace of a host, which give it its interface."""
    yield "tuntap add dev eth0 mode tap"
    yield f"link set dev eth0 address {hardware_address(host)} up"
    yield f"address add {address(host)}/8 dev eth0"
    for other in network.all_hosts():
        if other != host:
            yield f"neighbour add {address(other)} lladdr {hardware_address(other)} dev eth0"
