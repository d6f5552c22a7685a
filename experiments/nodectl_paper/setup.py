"""The paper's set-up: figure 4's dumbbell with the parameters of table 2, and its schemes."""

from __future__ import annotations

from experiments.reproduction.experiment import NetworkSpec
from experiments.reproduction.network import RunningNetwork
from scenario.file import LinkParameters
from topo.network_plan import NetworkPlan

SCHEMES = ("reno", "cubic", "bbr", "nodectl")
NODECTL = "nodectl"
PUBLISHED_NAMES = {"reno": "NewReno", "cubic": "Cubic", "bbr": "Bbr", "nodectl": "Nodectl"}

ACCESS_MBPS = 200.0
ACCESS_DELAY_MS = 5.0
PACKET_BYTES = 1052
"""At the IP layer."""
FRAME_BYTES = PACKET_BYTES + 14
"""With the Ethernet header: what a packet takes of a link's rate."""
PAYLOAD_BYTES = PACKET_BYTES - 52
"""Without the headers of IPv4 and TCP and the time stamp option."""
PAYLOAD_SHARE = PAYLOAD_BYTES / FRAME_BYTES
QUEUES_PACKETS = (100, 1000)
"""What the paper states, and what its published values imply (see ``how_measured`` in published.json)."""
SOCKET_BUFFER_BYTES = 10_000_000
SENDER, RECEIVER = "h1", "h2"


def dumbbell(bottleneck_mbps: float, pairs: int = 1) -> NetworkSpec:
    """Senders h1…hN behind s1, receivers h(N+1)…h(2N) behind s2. Delay, queue and loss are set for each cell."""

    def build(grpc_base_port: int) -> NetworkPlan:
        plan = NetworkPlan(
            mtu_bytes=PACKET_BYTES,
            initial_window_packets=1,
            socket_buffer_bytes=SOCKET_BUFFER_BYTES,
            grpc_base_port=grpc_base_port,
        )
        plan.add_switch("s1")
        plan.add_switch("s2")
        for number in range(1, 2 * pairs + 1):
            plan.add_host(f"h{number}", "s1" if number <= pairs else "s2", LinkParameters(rate_mbps=ACCESS_MBPS, delay_ms=ACCESS_DELAY_MS))
        plan.add_trunk("s1", "s2", LinkParameters(rate_mbps=bottleneck_mbps, queue_packets=100))
        return plan

    return NetworkSpec(key=f"dumbbell-{bottleneck_mbps:g}mbps-{pairs}", build=build, schemes=SCHEMES)


def set_path(network: RunningNetwork, one_way_ms: float, queue_packets: int, loss_percent: float = 0.0, seed: int | None = None) -> None:
    """Give the dumbbell's way from sender to receiver its delay, bottleneck queue and loss.

    Args:
        network: a dumbbell.
        one_way_ms: propagation delay of the whole way. Below twice the access delay, the access links become shorter.
        queue_packets: of the bottleneck, either direction.
        loss_percent: by chance, on the bottleneck, of packets in the direction of the data.
        seed: of the loss.
    """
    access_ms = min(ACCESS_DELAY_MS, one_way_ms / 2)
    if access_ms != ACCESS_DELAY_MS:
        for host in network.plan.hosts:
            network.set_link(host, network.plan.attachment(host)[0].name, delay_ms=access_ms)
    network.set_link("s1", "s2", delay_ms=one_way_ms - 2 * access_ms, queue_packets=queue_packets)
    if loss_percent:
        network.set_link("s1", "s2", both_ways=False, seed=seed, loss_percent=loss_percent)
