"""The kernel's view of one TCP connection: ``getsockopt(TCP_INFO)``, read raw and decoded later.

Layout: ``struct tcp_info`` of linux/tcp.h, native byte order. The kernel only ever appends members; an older kernel gives
fewer bytes, and missing ones count as 0.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

TCP_INFO_BYTES = 240
"""As much of the structure as is used here; up to and including tcpi_snd_wnd (Linux 5.4 and later fill all of it)."""

_LAYOUT = struct.Struct(
    "="
    "5x"  # state, ca_state, retransmits, probes, backoff
    "B"  # options
    "2x"  # window scales, bit fields
    "8x"  # rto, ato
    "I4x"  # snd_mss, rcv_mss
    "4I"  # unacked, sacked, lost, retrans
    "4x16x"  # fackets; four times since last …
    "8x"  # pmtu, rcv_ssthresh
    "I4x"  # rtt, rttvar
    "4xI"  # snd_ssthresh, snd_cwnd
    "8x8x"  # advmss, reordering; rcv_rtt, rcv_space
    "I"  # total_retrans
    "Q8xQ8x"  # pacing_rate, max_pacing_rate, bytes_acked, bytes_received
    "8x"  # segs_out, segs_in
    "II"  # notsent_bytes, min_rtt
    "8x"  # data_segs_in, data_segs_out
    "Q"  # delivery_rate
    "24x8x"  # busy, rwnd-limited, sndbuf-limited times; delivered, delivered_ce
    "QQ"  # bytes_sent, bytes_retrans
    "16x"  # dsack_dups, reord_seen, rcv_ooopack, snd_wnd
)
assert _LAYOUT.size <= TCP_INFO_BYTES

_OPTION_TIMESTAMPS = 1

_STATE_AND_BYTES_RECEIVED = struct.Struct("=B127xQ")
_CLOSE_WAIT = 8
"""From net/tcp_states.h: the peer has ended its stream."""


@dataclass(frozen=True, slots=True)
class TcpInfo:
    """The members that the samples need. Rates in bytes/s of payload as the kernel counts them, times in µs."""

    options: int
    snd_mss_bytes: int
    unacked_packets: int
    sacked_packets: int
    lost_packets: int
    retransmitted_packets: int
    srtt_us: int
    cwnd_packets: int
    total_retrans: int
    pacing_rate_bytes: int
    bytes_acked: int
    notsent_bytes: int
    min_rtt_us: int
    delivery_rate_bytes: int
    bytes_sent: int
    bytes_retrans: int

    @property
    def has_timestamps(self) -> bool:
        """Whether the TCP timestamp option was negotiated: 12 more bytes of header a packet."""
        return bool(self.options & _OPTION_TIMESTAMPS)

    @property
    def bytes_delivered(self) -> int:
        """Bytes of payload that the receiver is known to have, whatever is missing before them: acknowledged, or selectively so.

        Exact but for a last packet that is shorter than the MSS.
        """
        return self.bytes_acked + self.sacked_packets * self.snd_mss_bytes

    @property
    def bytes_in_flight(self) -> int:
        """Bytes of payload on the way: the kernel's packets in flight × MSS.

        unacked − sacked − lost + retransmitted, as tcp_packets_in_flight() counts: a packet that was selectively acknowledged or is
        taken for lost is not on the way any more. Exact but for a last packet that is shorter than the MSS.
        """
        packets = self.unacked_packets - self.sacked_packets - self.lost_packets + self.retransmitted_packets
        return max(0, packets) * self.snd_mss_bytes


def read_raw(connection: socket.socket) -> bytes:
    """The raw structure (up to ``TCP_INFO_BYTES``); cheap enough to be called every millisecond."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)


def decode(raw: bytes) -> TcpInfo:
    """Decodes the result of :func:`read_raw`; bytes missing at the end count as 0."""
    return TcpInfo(*_LAYOUT.unpack_from(raw.ljust(TCP_INFO_BYTES, b"\0")))


def read(connection: socket.socket) -> TcpInfo:
    """Reads and decodes at once."""
    return decode(read_raw(connection))


def bytes_received(connection: socket.socket) -> int:
    """Payload bytes that have come in order, read or not; 0 before Linux 4.1."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _STATE_AND_BYTES_RECEIVED.size)
    if len(raw) < _STATE_AND_BYTES_RECEIVED.size:
        return 0
    state, count = map(int, _STATE_AND_BYTES_RECEIVED.unpack(raw))
    return count - (state == _CLOSE_WAIT)  # the kernel counts the end of the stream as a byte
