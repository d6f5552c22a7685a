"""A controller that learns: each address that a switch has seen gets an entry. It uses finsy, a P4Runtime client for asyncio."""

import argparse
import asyncio
import contextlib
from pathlib import Path

import finsy

ALL_PORTS = 1
"""The multicast group of learning.p4."""

PORTS = (1, 2, 3)


async def main() -> None:
    """Control the switches that the command line names until somebody ends the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--p4info", type=Path, required=True)
    parser.add_argument("--pipeline", type=Path, required=True)
    parser.add_argument("switches", nargs="+", metavar="NAME=DEVICE@ADDRESS")
    given = parser.parse_args()
    switches = []
    for text in given.switches:
        name, _, place = text.partition("=")
        device, _, address = place.partition("@")
        options = finsy.SwitchOptions(given.p4info, given.pipeline, device_id=int(device), ready_handler=learn, fail_fast=True)
        switches.append(finsy.Switch(name, address, options))
    await finsy.Controller(switches).run()


async def learn(switch: finsy.Switch) -> None:
    """Write a switch's first entries, then an entry for each address that it tells of."""
    await switch.delete_all()
    await switch.insert(
        [
            finsy.P4MulticastGroupEntry(ALL_PORTS, replicas=PORTS),
            finsy.P4DigestEntry("seen_t", max_list_size=1, ack_timeout_ns=1_000_000_000),
        ]
    )
    known: dict[int, int] = {}
    async for message in switch.read_digests("seen_t"):
        for seen in message:
            address, port = int(seen["address"]), int(seen["port"])
            if known.get(address) == port:
                continue  # told before the entry was there
            entries = [
                finsy.P4TableEntry("sources", match=finsy.Match(source=address), action=finsy.Action("known_at", port=port)),
                finsy.P4TableEntry("destinations", match=finsy.Match(destination=address), action=finsy.Action("forward", port=port)),
            ]
            await (switch.modify(entries) if address in known else switch.insert(entries))
            known[address] = port
            print(f"{switch.name}: {finsy.MACAddress(address)} is behind port {port}", flush=True)
        await switch.write([message.ack()])


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # how the testbed ends it
        asyncio.run(main())
