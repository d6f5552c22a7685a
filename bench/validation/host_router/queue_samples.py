"""On a host that routes, in virtual time: give an interface a rate and a queue discipline of Linux, and sample its queue.

``python3 queue_samples.py JOB``, where JOB is JSON: ``interface``, ``destination`` and its ``neighbour`` (MAC), ``rate_bps``,
``frame_bytes``, ``discipline`` (words for ``tc``), ``from_s`` and ``to_s`` for samples, ``interval_ms``.
With ``held_counts``, the packet that the shaper has taken counts.
It prints JSON: how often so many bytes waited, and packets dropped and sent meanwhile.
"""

import json
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

RTM_GETQDISC, NLM_F_REQUEST, NLM_F_DUMP, NLMSG_DONE = 38, 1, 0x300, 3
TCA_KIND, TCA_STATS2, TCA_STATS_BASIC, TCA_STATS_QUEUE = 1, 7, 1, 3
HEADER, MESSAGE = struct.Struct("=IHHII"), struct.Struct("=BxxxiIII")
MOST_BYTES = 65536


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Types and values of netlink attributes."""
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        yield kind & 0x3FFF, data[4:length]
        data = data[(length + 3) & ~3 :]


def queue_of(netlink: socket.socket, index: int, shaper: str) -> tuple[int, int, int]:
    """Bytes that wait in an interface's discipline below the shaper, packets that it has dropped, and those that it has sent."""
    netlink.send(HEADER.pack(HEADER.size + MESSAGE.size, RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, 1, 0) + MESSAGE.pack(0, index, 0, 0, 0))
    found = (0, 0, 0)
    while True:
        data = netlink.recv(MOST_BYTES)
        while data:
            length, kind, *_ = HEADER.unpack_from(data)
            if kind == NLMSG_DONE:
                return found
            _, of_interface, *_ = MESSAGE.unpack_from(data, HEADER.size)
            told = dict(attributes(data[HEADER.size + MESSAGE.size : length]))
            if of_interface == index and told[TCA_KIND].rstrip(b"\0").decode() != shaper:
                stats = dict(attributes(told[TCA_STATS2]))
                _, backlog, drops, *_ = struct.unpack("=IIIII", stats[TCA_STATS_QUEUE])
                _, packets = struct.unpack_from("=QI", stats[TCA_STATS_BASIC])
                found = (backlog, drops, packets)
            data = data[(length + 3) & ~3 :]


def main() -> None:
    """Do it."""
    job = json.loads(sys.argv[1])
    interface = job["interface"]

    def run(*words: str) -> None:
        subprocess.run(words, check=True)

    run("sysctl", "-qw", "net.ipv4.ip_forward=1")
    run("ip", "neigh", "replace", job["destination"], "lladdr", job["neighbour"], "dev", interface, "nud", "permanent")
    run("ip", "route", "replace", f"{job['destination']}/32", "dev", interface)
    shaper = ("tbf", "rate", f"{job['rate_bps']}bit", "burst", str(job["frame_bytes"]), "limit", "100000000")
    run("tc", "qdisc", "replace", "dev", interface, "root", "handle", "1:", *shaper)
    run("tc", "qdisc", "replace", "dev", interface, "parent", "1:1", "handle", "10:", *job["discipline"])
    netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    index, begin = socket.if_nametoindex(interface), time.monotonic()
    waiting: Counter[int] = Counter()
    counts = []
    for number in range(round(job["from_s"] * 1000 / job["interval_ms"]), round(job["to_s"] * 1000 / job["interval_ms"]) + 1):
        time.sleep(max(0.0, begin + number * job["interval_ms"] / 1000 - time.monotonic()))
        backlog, *dropped_and_sent = queue_of(netlink, index, "tbf")
        waiting[backlog if job["held_counts"] else max(0, backlog - job["frame_bytes"])] += 1
        counts.append(dropped_and_sent)
    dropped, sent = (last - first for first, last in zip(counts[0], counts[-1], strict=True))
    print(json.dumps({"waiting": waiting, "dropped": dropped, "sent": sent}))


main()
