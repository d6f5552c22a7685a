"""Lab 9: does the router's rate follow RCP's law, to the bit?"""

from dataclasses import dataclass, replace

from labs.check import Failed, check, udp
from labs.check.measured import Measured
from labs.check.rate_law import WRONG_CAPS, WRONG_WIDTHS
from labs.check.switch import Queue, Switch
from protocol.model.rate_units import BIT_PER_MS, IDLE_US, LEAST_PART, MAX_WAIT_US
from protocol.model.rcp_model import next_rate_kbps

CAPACITIES_KBPS = {2: 36_000, 3: 1_000_000, 4: 4_000_000_000, 5: 2_000_000_000}
BEGIN_US = 5_000_000
BEGIN_BYTES = 7_000_000
FRAME_BYTES = 1000
HEADERS_BYTES = 42


@dataclass(frozen=True)
class Interval:
    """One control interval of a port, and the rate before it."""

    rate_kbps: int = 12_000
    came_bytes: int = 45_000
    waited_us: int = 0
    rtt_us: int = 60_000
    elapsed_us: int = 10_000
    port: int = 2

    @property
    def capacity_kbps(self) -> int:
        """C."""
        return CAPACITIES_KBPS[self.port]

    @property
    def expected_kbps(self) -> int:
        """R after it."""
        return next_rate_kbps(self.rate_kbps, self.capacity_kbps, self.rtt_us, self.elapsed_us, self.came_bytes, self.waited_us)


def set_up(switch: Switch) -> None:
    """A prefix and a capacity for each port."""
    for port, capacity_kbps in CAPACITIES_KBPS.items():
        switch.route(f"10.0.{port}.0/24", port)
        switch.add_entry("port_capacity", [{"exact": f"{port:04x}"}], "set_capacity", [f"{capacity_kbps:08x}", "00000000"])


def rate_after(switch: Switch, interval: Interval) -> int:
    """R, as the student's law has it."""
    switch.write_register("port_rate_kbps", interval.port, interval.rate_kbps)
    switch.write_register("port_rtt_q3", interval.port, interval.rtt_us << 3)
    switch.write_register("interval_begin_us", interval.port, BEGIN_US)
    switch.write_register("interval_begin_bytes", interval.port, BEGIN_BYTES)
    switch.write_register("port_bytes", interval.port, BEGIN_BYTES + interval.came_bytes - FRAME_BYTES)
    switch.at((BEGIN_US + interval.elapsed_us) / 1e6)
    data = udp(bytes(FRAME_BYTES - HEADERS_BYTES), ipv4_destination=f"10.0.{interval.port}.1")
    switch.send_many(1, [data], Queue(waited_us=interval.waited_us))
    return switch.register("port_rate_kbps", interval.port)


def expect(switch: Switch, interval: Interval, why: str, *, at_limit: bool = False) -> None:
    """The law brings R to where the model brings it; ``at_limit``: where it is a limit that counts, and no other mistake is looked for."""
    got, expected = rate_after(switch, interval), interval.expected_kbps
    if got == expected:
        return
    mistakes = [*_caps_and_widths(interval), *([] if at_limit else _mistakes(interval))]
    hint = next((text for text, mistaken in mistakes if mistaken == got), "")
    raise Failed(
        f"R is {got} kbit/s, expected {expected}: {hint or why}",
        [
            f"before: R = {interval.rate_kbps}, C = {interval.capacity_kbps} kbit/s, d = {interval.rtt_us} us",
            f"in {interval.elapsed_us} us, {interval.came_bytes} bytes came, which is y = {_arrived_kbps(interval)} kbit/s",
            f"the last packet waited for {interval.waited_us} us: q / d = {_waiting_kbps(interval)} kbit/s",
        ],
    )


def _expect_given(switch: Switch, interval: Interval, expected: int, why: str) -> None:
    """The router around the law, which goes by the law's constants, leaves R at this."""
    if (got := rate_after(switch, interval)) != expected:
        raise Failed(f"R is {got} kbit/s {interval.elapsed_us} us after the last change, expected {expected}: {why}")


def _arrived_kbps(interval: Interval) -> int:
    return interval.came_bytes * BIT_PER_MS // interval.elapsed_us


def _waiting_kbps(interval: Interval) -> int:
    return interval.waited_us * interval.capacity_kbps // interval.rtt_us


def _caps_and_widths(interval: Interval) -> list[tuple[str, int]]:
    """R by laws that lack a cap, have another one, or have too few bits somewhere: each mistake with its R."""
    before = interval.rate_kbps, interval.capacity_kbps, interval.rtt_us, interval.elapsed_us, interval.came_bytes, interval.waited_us
    return [(text, law.next_rate_kbps(*before)) for text, law in {**WRONG_CAPS, **WRONG_WIDTHS}.items()]


def _mistakes(interval: Interval) -> list[tuple[str, int]]:
    """R by wrong laws: each mistake with its R."""
    capacity, rate = interval.capacity_kbps, interval.rate_kbps
    full = capacity * interval.elapsed_us // BIT_PER_MS
    share = (410 * capacity - 410 * _arrived_kbps(interval) - 410 * _waiting_kbps(interval)) >> 10
    part = share * min(interval.elapsed_us, interval.rtt_us) // interval.rtt_us
    adds = (410 * (capacity - _arrived_kbps(interval) + _waiting_kbps(interval)) >> 10) * min(interval.elapsed_us, interval.rtt_us)
    return [
        ("R has not changed at all: is what you work out written back, and is any of it 0?", rate),
        (
            "that is the least rate: which number is far too large, or which comparison is the wrong way round?",
            (capacity >> LEAST_PART) + 1,
        ),
        ("that is C: which number is far too large, or which comparison is the wrong way round?", capacity),
        (
            "that is R as if bytes were bits: a byte in a µs is 8000 kbit/s",
            replace(interval, came_bytes=interval.came_bytes // 8).expected_kbps,
        ),
        ("that is R as if nothing had come in", replace(interval, came_bytes=0).expected_kbps),
        ("that is R as if nothing waited", replace(interval, waited_us=0).expected_kbps),
        ("that is R as if as much came in as fits", replace(interval, came_bytes=full).expected_kbps),
        ("the change has the wrong sign", 2 * rate - interval.expected_kbps),
        ("the change is not multiplied by T / d", max(0, rate + share * rate // capacity)),
        ("the change is not multiplied by R / C", max(0, rate + part)),
        ("what waits has the wrong sign: beta q / d is a loss", rate + adds // interval.rtt_us * rate // capacity),
    ]


@check(points=3)
def grows(switch: Switch) -> None:
    """Where less comes in than fits, R grows by the part of it that is free: alpha T / d (C − y) / C."""
    expect(switch, Interval(came_bytes=FRAME_BYTES), "next to nothing comes in")
    expect(switch, Interval(came_bytes=22_500), "half as much comes in as fits")
    expect(switch, Interval(came_bytes=22_500, elapsed_us=20_000), "a quarter as much comes in as fits, in twice the time")


@check(points=2)
def shrinks(switch: Switch) -> None:
    """Where more comes in than fits, R shrinks by the part of it that is too much."""
    expect(
        switch, Interval(came_bytes=100_000), "more than twice as much comes in as fits: alpha (C − y) is below 0, which bit<64> cannot be"
    )
    expect(switch, Interval(came_bytes=60_000, rtt_us=15_000), "a third more than fits comes in")


@check(points=2)
def drains(switch: Switch) -> None:
    """Where packets wait, R shrinks even if no more comes in than fits: beta q / d."""
    expect(switch, Interval(waited_us=30_000, came_bytes=36_000), "30 ms of packets wait")
    expect(switch, Interval(waited_us=20_000, came_bytes=22_500), "20 ms of packets wait, but half of the link is free")


@check(points=2)
def counts_an_rtt_at_most(switch: Switch) -> None:
    """T is the time that has passed, but no more than d: nobody answers sooner than that."""
    expect(switch, Interval(elapsed_us=90_000, came_bytes=FRAME_BYTES), "90 ms have passed, d is 60 ms: T / d is 1")
    expect(switch, Interval(elapsed_us=60_000, came_bytes=FRAME_BYTES), "60 ms have passed, d is 60 ms: T / d is 1")
    expect(switch, Interval(elapsed_us=IDLE_US, came_bytes=FRAME_BYTES), "a second has passed, which is not more than IDLE_US")
    _expect_given(
        switch, Interval(elapsed_us=9_999, came_bytes=FRAME_BYTES), 12_000, "INTERVAL_US is 10000: before that the law is not asked"
    )
    _expect_given(
        switch,
        Interval(elapsed_us=IDLE_US + 1, came_bytes=FRAME_BYTES),
        36_000,
        "a port that nobody has used for longer than IDLE_US is as new",
    )


@check(points=3)
def has_limits(switch: Switch) -> None:
    """R is never above C, never below C / 1024, rounded down, plus 1; and it changes by no more than itself."""
    expect(switch, Interval(rate_kbps=35_900, came_bytes=FRAME_BYTES, rtt_us=10_000), "it may not be above C = 36000", at_limit=True)
    flood = Interval(rate_kbps=20_000, came_bytes=2_000_000, rtt_us=10_000)
    expect(
        switch,
        flood,
        "44 times as much as fits came in: the change is C at most, so that R comes to 0, and no less, and the least is 36",
        at_limit=True,
    )
    expect(switch, Interval(rate_kbps=36, came_bytes=FRAME_BYTES, rtt_us=10_000), "from the least rate it has to grow again")


@check(points=2)
def has_caps(switch: Switch) -> None:
    """A value that is too large for its place counts as the largest that fits: waits as MAX_WAIT_US, y and q / d as MAX_RATE_KBPS."""
    slow = Interval(CAPACITIES_KBPS[5], 0, 20_000_000, 8_000_000, IDLE_US, 5)
    for came_bytes in (646_000, 802_000):  # at which one µs more or less shows
        expect(switch, replace(slow, came_bytes=came_bytes), f"a wait above {MAX_WAIT_US} us counts as that")
    fast = Interval(CAPACITIES_KBPS[4], 0, 30_000, 10_000, 10_000, 4)
    for came_bytes in (1_154_000, 1_569_000):
        expect(switch, replace(fast, came_bytes=came_bytes), "q / d does not fit into 32 bits here, and counts as MAX_RATE_KBPS")
    flood = replace(fast, came_bytes=10_000_000_000)
    for rtt_us, waited_us in ((10_190, 1_908), (11_780, 61)):
        expect(switch, replace(flood, rtt_us=rtt_us, waited_us=waited_us), "y does not fit into 32 bits here, and counts as MAX_RATE_KBPS")
    fills = replace(fast, rate_kbps=3_500_000_000, came_bytes=FRAME_BYTES, waited_us=0)
    expect(switch, fills, "R and its change do not fit into 32 bits together, and R may not be above C")


@check(points=3)
def is_exact(switch: Switch) -> None:
    """To the bit, at 36 Mbit/s, 1 Gbit/s, 2 Tbit/s and 4 Tbit/s: each quotient is rounded down, and nothing overflows."""
    for port, capacity_kbps in CAPACITIES_KBPS.items():
        full = capacity_kbps * 10_000 // BIT_PER_MS
        for came_bytes in (full * 99 // 100, full * 101 // 100, full * 7 // 3):
            for waited_us in (0, 777, 44_444):
                interval = Interval(capacity_kbps // 3, came_bytes, waited_us, 54_321, 10_000, port)
                expect(switch, interval, f"C is {capacity_kbps} kbit/s: how wide are your products, and what do you divide first?")


@check(points=3, scenario="run.toml")
def shares_the_link(run: Measured) -> None:
    """Three transmissions have the same rate, the link is used, and next to nothing waits."""
    run.at_least("jain", 0.999, "all are told the same rate")
    run.between("total_mbps", 18, 19.2, "R has to come to a third of the link")
    run.at_most("smoothed_rtt_ms", 32, "28 ms is the way itself")
