"""Lab 6: the numbers that the student has written down are those of the run."""

from __future__ import annotations

from labs.check import Answers, Failed, check, expect_choice, expect_number
from labs.check.measured import Measured
from labs.check.ports import Port

SCENARIO = "run.toml"
RATE_MBPS = 10.0
FRAME_BYTES, IP_BYTES, PAYLOAD_BYTES = 1514, 1500, 1448
BITS = 8
SCHEMES = ("reno", "cubic", "bbr")
ONE_PACKET = 1.0
"""Counts of packets may be one off."""

NUMBERS = (
    "path.base_rtt_ms", "path.bdp_packets", "throughput.cubic_together_mbps", "throughput.reno_wire_mbps", "fairness.cubic_jain",
    "queue.reno_most_packets", "queue.bbr_most_packets", "queue.reno_full_delay_ms", "queue.cubic_loss_percent", "delay.cubic_rtt_ms",
    "delay.bbr_rtt_ms",
)  # fmt: skip
CHOICES = ("who.least_fair", "who.least_delay", "who.most_dropped")


@check(points=1)
def all_answered(answers: Answers) -> None:
    """Every question has an answer: a number that can be one, or a word."""
    for name in NUMBERS:
        if answers.number(name) < 0:
            raise Failed(f"{name} is negative")
    for name in CHOICES:
        answers.choice(name, SCHEMES)


@check(points=2, scenario=SCENARIO)
def path(answers: Answers, measured: Measured) -> None:
    """Base RTT, and the bandwidth-delay product that follows from it."""
    rtt_ms = measured.value("handshake_rtt_ms.first", "reno")
    expect_number(
        answers, "path.base_rtt_ms", rtt_ms,
        {
            "this is one way; a round trip is there and back": rtt_ms / 2,
            "this is in seconds, not in milliseconds": rtt_ms / 1e3,
            "this is in microseconds, not in milliseconds": rtt_ms * 1e3,
            "this is the bottleneck link alone; the access links at both ends have delays too": 36,
            "this is the second transmission's handshake: the first one's queue was there already":
                measured.value("handshake_rtt_ms.second", "reno"),
            "this is the mean RTT under load, with the queue": measured.value("smoothed_rtt_ms", "reno"),
        },
        how="the handshake of the transmission that comes to an empty network, `handshake_rtt_ms.first`",
    )  # fmt: skip
    bits = RATE_MBPS * 1e3 * rtt_ms
    packets = bits / BITS / FRAME_BYTES
    expect_number(
        answers, "path.bdp_packets", packets,
        {
            "this is in bits, not in packets": bits,
            "this is in bytes, not in packets": bits / BITS,
            "bits were divided by bytes: a frame of 1514 bytes has 12,112 bits": bits / FRAME_BYTES,
            "the delay was taken one way; acknowledgements have to come back before more may be sent": packets / 2,
            "this is of the access link's 100 Mbit/s; the bottleneck has 10": packets * 10,
            "the queue is not a part of the path's bandwidth-delay product": packets + 100,
        },
        how="rate of the bottleneck times base RTT, in frames of 1514 bytes", at_least=ONE_PACKET,
    )  # fmt: skip


@check(points=4, scenario=SCENARIO)
def throughput(answers: Answers, measured: Measured) -> None:
    """Goodput, and its rate on the wire."""
    both = measured.value("total_mbps", "cubic")
    expect_number(
        answers, "throughput.cubic_together_mbps", both,
        {
            "this is the mean of the two; together they have the sum": both / 2,
            "this is the first one alone": measured.value("mean_mbps.first", "cubic"),
            "this is the second one alone": measured.value("mean_mbps.second", "cubic"),
            "this is Mbyte/s, not Mbit/s": both / BITS,
            "this is bit/s, not Mbit/s": both * 1e6,
            "this is kbit/s, not Mbit/s": both * 1e3,
            "this is the rate of the link, which carries headers too; payload is what was asked for (goodput)": RATE_MBPS,
        },
        how="column `all` of the table, row cubic", tolerance=0.01,
    )  # fmt: skip
    payload = measured.value("total_mbps", "reno")
    wire = payload * FRAME_BYTES / PAYLOAD_BYTES
    expect_number(
        answers, "throughput.reno_wire_mbps", wire,
        {
            "this is payload (goodput); on the wire each 1448 bytes of it come with 66 of headers": payload,
            "this is at the IP layer; the frame has 14 bytes of Ethernet header besides": payload * IP_BYTES / PAYLOAD_BYTES,
            "the headers were taken off the payload instead of added to it": payload * PAYLOAD_BYTES / FRAME_BYTES,
            "headers were counted as 40 bytes, without Ethernet's 14 and the 12 of TCP's timestamps": payload * 1500 / 1460,
            "this is Mbyte/s, not Mbit/s": wire / BITS,
        },
        how="payload times frame over payload, 1514 / 1448, of reno's `all`", tolerance=0.003,
    )  # fmt: skip


@check(points=2, scenario=SCENARIO)
def fairness(answers: Answers, measured: Measured) -> None:
    """Jain's index."""
    first, second = (measured.value(f"mean_mbps.{name}", "cubic") for name in ("first", "second"))
    jain = measured.value("jain", "cubic")
    expect_number(
        answers, "fairness.cubic_jain", jain,
        {
            "this is in percent; the index is 1 where all have the same": 100 * jain,
            "this is the smaller over the larger share; Jain's index is (Σx)² / (n Σx²)": second / first,
            "the factor n below is missing: (Σx)² / (n Σx²), and n is 2": 2 * jain,
            "the sum was not squared, or the squares were not summed: (Σx)² / (n Σx²)": (first + second) / (2 * (first**2 + second**2)),
            "this is reno's": measured.value("jain", "reno"),
            "this is bbr's": measured.value("jain", "bbr"),
        },
        how="the table's last column, or (Σx)² / (n Σx²) of the two means", tolerance=0.005,
    )  # fmt: skip


@check(points=5, scenario=SCENARIO)
def queues(answers: Answers, measured: Measured) -> None:
    """The queue in front of the bottleneck: its length, its delay, and the packets that find no room."""
    bottlenecks = {scheme: _bottleneck(measured, scheme) for scheme in SCHEMES}
    for scheme in ("reno", "bbr"):
        log = measured.log("ports.csv", scheme)
        most = bottlenecks[scheme].most("queue_packets")
        mistakes = {
            "this is in bytes; queue_packets is the column": bottlenecks[scheme].most("queue_bytes"),
            "this is the queue on the way back, from s2 to s1, where the acknowledgements are": Port.read(log, "s2", 3).most(
                "queue_packets"
            ),
            "this is a queue in front of a receiver (s2, ports 1 and 2), behind the bottleneck": Port.read(log, "s2", 1).most(
                "queue_packets"
            ),
            "this is the queue's limit plus the packet that is being sent; the log has what waits": 101,
        }
        others = {f"this is {other}'s": bottlenecks[other].most("queue_packets") for other in SCHEMES if other != scheme}
        expect_number(
            answers, f"queue.{scheme}_most_packets", most, mistakes | others,
            how="the largest queue_packets of switch s1, port 3, direction egress, in this scheme's ports.csv",
        )  # fmt: skip
    packets = bottlenecks["reno"].most("queue_packets")
    base_ms = measured.value("handshake_rtt_ms.first", "reno")
    waits_ms = packets * FRAME_BYTES * BITS / RATE_MBPS / 1e3
    expect_number(
        answers, "queue.reno_full_delay_ms", waits_ms,
        {
            "this is in seconds, not in milliseconds": waits_ms / 1e3,
            "bytes were divided by bits a second: a frame of 1514 bytes has 12,112 bits": waits_ms / BITS,
            "this is at 100 Mbit/s, which the access link has; the queue is served by the bottleneck": waits_ms / 10,
            "this is the RTT with the full queue; the wait alone was asked for": waits_ms + base_ms,
            "this is of 1448 bytes a packet; headers take their time too": waits_ms * PAYLOAD_BYTES / FRAME_BYTES,
        },
        how="packets in the longest queue times the time that the bottleneck needs for a frame",
    )  # fmt: skip
    cubic = bottlenecks["cubic"]
    drops, sent = cubic.last("queue_drops"), cubic.last("tx_packets")
    percent = 100 * drops / (sent + drops)
    retransmitted = sum(measured.value(f"retransmits.{name}", "cubic") for name in ("first", "second"))
    expect_number(
        answers, "queue.cubic_loss_percent", percent,
        {
            "this is a fraction; percent were asked for": percent / 100,
            "this is the number of packets, not their share": drops,
            "this counts what was sent again, which is not what was dropped": 100 * retransmitted / (sent + drops),
            "this is of the packets that came in by one access link": 100 * drops / max(1.0, _sent_by(measured, "cubic", 1)),
            "loss_drops are those that the wire loses by chance, and this wire loses none: queue_drops": 0,
        },
        how="queue_drops over queue_drops + tx_packets, of the last line of s1, port 3, egress in cubic's ports.csv", at_least=0.0005,
    )  # fmt: skip


@check(points=3, scenario=SCENARIO)
def delay(answers: Answers, measured: Measured) -> None:
    """The mean RTT, with the delay of the queues."""
    base_ms = measured.value("handshake_rtt_ms.first", "reno")
    rtts_ms = {scheme: measured.value("smoothed_rtt_ms", scheme) for scheme in SCHEMES}
    for scheme in ("cubic", "bbr"):
        mine_ms = rtts_ms[scheme]
        mistakes = {
            "this is in seconds, not in milliseconds": mine_ms / 1e3,
            "this is in microseconds, not in milliseconds": mine_ms * 1e3,
            "this is one way": mine_ms / 2,
            "this is what the queue adds; the RTT has the path's own delay too": mine_ms - base_ms,
            "this is the path without its queue": base_ms,
        }
        others = {f"this is {other}'s": rtts_ms[other] for other in SCHEMES if other != scheme}
        expect_number(answers, f"delay.{scheme}_rtt_ms", mine_ms, mistakes | others, how="`smoothed_rtt_ms` of its record", tolerance=0.01)


@check(points=3, scenario=SCENARIO)
def who(answers: Answers, measured: Measured) -> None:
    """The least fair scheme, the one with the least delay, and the one with the most losses."""
    for name, value, take, how in (
        ("least_fair", "jain", min, "the indices, of which 1 is the fairest"),
        ("least_delay", "smoothed_rtt_ms", min, "the mean RTTs"),
        ("most_dropped", "queue_drops", max, "the column `dropped` of the table"),
    ):
        values = {scheme: measured.value(value, scheme) for scheme in SCHEMES}
        expect_choice(answers, f"who.{name}", values, take(values, key=values.__getitem__), how=how)


def _bottleneck(measured: Measured, scheme: str) -> Port:
    return Port.read(measured.log("ports.csv", scheme), "s1", 3)


def _sent_by(measured: Measured, scheme: str, port: int) -> float:
    return Port.read(measured.log("ports.csv", scheme), "s1", port, "ingress").last("tx_packets")
