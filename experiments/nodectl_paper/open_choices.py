"""What the paper leaves open: what was chosen here, and what the choice changes where that was measured."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.nodectl_paper.setup import NODECTL
from experiments.reproduction.document import Block, Heading, Table, Text
from experiments.reproduction.results import Results

CHOICES = (
    ("initial window", "1 packet, as section 6.2.1 says; Linux's default of 10 is among the differences below"),
    ("bottleneck queue", "100 packets as stated, and 1000, without which slow start overflows before the published values are reached"),
    ("link delay", "tables 4 to 6: one-way, over the whole way; table 3: RTT, as its heading says; table 7: of the bottleneck alone"),
    ("delay below 10 ms one-way", "the access links are shortened, since the paper's 5 ms on either side leave nothing for the bottleneck"),
    ("direction of random loss", "that of the data: requests are lost as well, successes and adjustments on their way back are not"),
    ("bytes in flight and BDP", "both counted at the Ethernet frame, as the capacity that the switches share out is"),
    ("throughput", "payload read by the receiver, from the connection being established"),
    ("arrival estimator V_Q", "new transmissions counted in the last 2^20 µs; the transmission being admitted counts as one arrival"),
    ("freed capacity", "handed out at once to the transmissions that this port holds back (D3), not at the next request"),
    ("what a success and a passing reduce do to records", "they lower them (D1, D2); the paper sets a flag"),
    ("too much given out in the third case", "records above B_c are reduced (D4)"),
    ("keep-alive", "a sender refreshes its record every 5 s; without three in a row the record goes (D5)"),
    ("what a record reserves before the success", "min(B_c, max), not B_c (D10)"),
    ("what these choices change", "measured: see the ablation, which leaves each out in turn"),
    ("receive window", "the receiver greets every connection with one byte: see below"),
)


def open_choices(results: Mapping[str, Results]) -> list[Block]:
    """The choices as a table, and what is particular to Linux."""
    return [
        Heading("What the paper leaves open, and what was chosen"),
        Table("Choices of this reproduction.", ["what", "choice"], [list(choice) for choice in CHOICES], left_columns=2),
        Heading("The receive window in the first RTT", 3),
        Text(
            "A SYN-ACK's window field has 16 bits and is never scaled, so whatever the receive buffer, a Linux sender may have 64 KB "
            "under way until the receiver's next segment. Slow start never notices. A sender that is given 80 Mbit/s before its first "
            "byte does: it would stand still for the rest of that RTT (measured without the greeting: 243 ms instead of 161 ms to the BDP "
            "at 80 Mbit/s and 80 ms). Here the receiver sends one byte as soon as it accepts a connection, for every scheme alike; that "
            "segment carries the scaled window and arrives during the negotiation's RTT. Older kernels (before about 6.10) begin with a "
            "window of 64 KB, greeting or not; there Nodectl takes that RTT more in tables 3 and 4 wherever the BDP is above 64 KB."
        ),
        *_first_packets(results),
    ]


def _first_packets(results: Mapping[str, Results]) -> list[Block]:
    table3 = results.get("table3")
    found = table3.spread("time_to_bdp_ms", NODECTL, rate_mbps=10, rtt_ms=80, queue_packets=1000) if table3 else None
    if found is None:
        return []
    return [
        Text(
            "Linux does not pace the first 10 packets of a connection. At 10 Mbit/s and 80 ms these are 10.7 of the 100 KB, 8.5 ms at the "
            f"allocated rate: the BDP is reached in {found.text('{:.0f}')} ms, so much before two RTTs."
        )
    ]
