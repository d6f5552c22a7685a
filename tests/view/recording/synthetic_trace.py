"""A traced packet as switches would tell of it, made up."""

from __future__ import annotations

import json
from typing import Any

from tests.view.recording.synthetic_run import BEGIN_S, SyntheticRun
from view.recording.network_view import NetworkView

PROGRAM = "// A program.\ncontrol Ingress() {\n    apply {\n        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;\n        ipv4_lpm.apply();\n    }\n}\n"
FILE = "p4src/made_up.p4"


def frame(network: NetworkView, sender: str, receiver: str, *, ttl: int = 64, identification: int = 7) -> bytes:
    """A SYN."""
    addresses = {name: address for address, name in network.addresses.items()}
    source, target = (bytes(int(part) for part in addresses[name].split(".")) for name in (sender, receiver))
    ip = bytes([0x45, 0, 0, 40]) + identification.to_bytes(2, "big") + bytes([0x40, 0, ttl, 6, 0, 0]) + source + target
    tcp = (40000).to_bytes(2, "big") + (5001).to_bytes(2, "big") + bytes(8) + bytes([0x50, 0x02]) + bytes(6)
    return bytes(12) + b"\x08\x00" + ip + tcp


def add_trace(run: SyntheticRun, number: int = 1, at_s: float = 0.5, identification: int = 7) -> None:
    """The first transmission's packet crosses all its switches."""
    cell = run.cells[0]
    (run.folder / "p4src").mkdir(exist_ok=True)
    (run.folder / "p4src" / "made_up.p4").write_text(PROGRAM)
    one = run.network.transmissions[0].planned
    for hop, switch in enumerate(["s1", "s2"]):
        time_us = round((BEGIN_S + at_s + 0.02 * hop) * 1e6)
        data = frame(run.network, one.sender, one.receiver, ttl=64 - hop, identification=identification).hex()
        events: list[dict[str, Any]] = [
            {"event": "received", "port": 1 + 3 * hop, "length": 54, "data": data},
            {"event": "parser_state", "state": "start", "extracted": [], "changes": [], "next": "accept", "error": None},
            {
                "event": "statement", "op": "assign", "effect": None,
                "changes": [{"field": "ipv4.ttl", "from": f"{64 - hop}", "to": f"{63 - hop}"}],
                "source": {"file": FILE, "line": 4, "text": "hdr.ipv4.ttl = hdr.ipv4.ttl - 1"},
            },
            {
                "event": "table", "table": "Ingress.ipv4_lpm", "key": [{"name": "hdr.ipv4.destination", "value": "10.0.0.4"}], "hit": True,
                "entry": [{"name": "hdr.ipv4.destination", "value": "10.0.0.4/32"}], "action": "Ingress.forward",
                "data": [{"name": "port", "value": "4"}], "source": {"file": FILE, "line": 5, "text": "ipv4_lpm"},
            },
            {"event": "sent", "port": 4 - 3 * hop, "length": 54, "data": data},
        ]  # fmt: skip
        with (run.logs(cell) / f"{switch}-trace.jsonl").open("a") as stream:
            stream.writelines(json.dumps({"packet": number, "time_us": time_us, **event}) + "\n" for event in events)
