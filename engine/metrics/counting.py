"""Payload, packets, frames: how many bytes the same data has at each layer, in full packets."""

from __future__ import annotations

import math

from protocol.frames import ETHERNET_HEADER_BYTES, FULL_PACKET_HEADERS_BYTES
from scenario.scenario import Scenario

LAYERS = ("payload", "packet", "frame")


def payload_bytes(scenario: Scenario) -> int:
    """TCP payload of a full packet, bytes: ``packet_bytes`` less IP and TCP headers."""
    return scenario.packet_bytes - FULL_PACKET_HEADERS_BYTES


def per_payload(scenario: Scenario, counted: str) -> float:
    """Bytes at a layer for each byte of payload in full packets.

    Raises:
        ValueError: there is no such layer.
    """
    if counted not in LAYERS:
        raise ValueError(f"counted: {counted!r} is none of {', '.join(LAYERS)}")
    whole = {"payload": payload_bytes(scenario), "packet": scenario.packet_bytes, "frame": scenario.packet_bytes + ETHERNET_HEADER_BYTES}
    return whole[counted] / payload_bytes(scenario)


def file_bytes(scenario: Scenario, size_bytes: float, counted: str) -> float:
    """Bytes of a file of ``size_bytes`` of payload at a layer; its last packet may be a small one."""
    overhead = (per_payload(scenario, counted) - 1) * payload_bytes(scenario)
    return size_bytes + math.ceil(size_bytes / payload_bytes(scenario)) * overhead
