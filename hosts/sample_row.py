"""One sample of a sender's connection: its columns, and their values from the kernel's TCP_INFO."""

from __future__ import annotations

from common.units import BITS_PER_BYTE
from hosts.tcp_info import TcpInfo

COLUMNS = (
    "time_ns", "bytes_acked", "bytes_sent", "bytes_retrans", "unacked_packets", "bytes_in_flight", "cwnd_packets", "srtt_us",
    "min_rtt_us", "delivery_rate_bps", "pacing_rate_bps", "total_retrans", "bytes_delivered", "allocated_rate_bps",
)  # fmt: skip
"""Rates but the last are of TCP payload, as the kernel counts them; the allocated rate is of Ethernet frames (0: none)."""

Row = tuple[int, ...]


def sample_row(time_ns: int, info: TcpInfo, allocated_rate_bps: int) -> Row:
    """One sample, in the order of :data:`COLUMNS`."""
    pacing_bps = 0 if info.pacing_rate_bytes == 2**64 - 1 else info.pacing_rate_bytes * BITS_PER_BYTE
    return (
        time_ns, info.bytes_acked, info.bytes_sent, info.bytes_retrans, info.unacked_packets, info.bytes_in_flight,
        info.cwnd_packets, info.srtt_us, info.min_rtt_us, info.delivery_rate_bytes * BITS_PER_BYTE, pacing_bps, info.total_retrans,
        info.bytes_delivered, allocated_rate_bps,
    )  # fmt: skip
