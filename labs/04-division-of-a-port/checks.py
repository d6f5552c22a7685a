"""Lab 4: does the switch divide its port as Algorithm 1 does? Every answer is compared with the reference model's."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from labs.check import Failed, check, event_fields, field_of, message
from labs.check.measured import Measured
from labs.check.switch import Switch, table
from protocol.codes import AdmittedVerdict, EventType
from protocol.constants import ONE_ARRIVAL_Q8
from protocol.model.port_model import Port

MOST_KBPS = 2**32 - 1
HALF_WINDOW_US = 2**19
SENDER_PORT = 1
CASES = {AdmittedVerdict.SHARE: "first", AdmittedVerdict.REDUCE_OTHERS: "second", AdmittedVerdict.INCREASE_OTHERS: "third"}


def set_up(switch: Switch) -> None:
    """A way back for answers."""
    switch.route("10.0.1.0/24", SENDER_PORT)


@dataclass(frozen=True)
class State:
    """The state of a port before somebody asks. Rates are kbit/s."""

    capacity: int
    given: int = 0
    count: int = 0
    bottleneck_given: int = 0
    bottleneck_count: int = 0
    tolerance: int = 0
    arrivals: int = 1
    """In this window, with the one that asks; half of them are expected within the RTT of these requests."""

    @property
    def expected_q8(self) -> int:
        """Q_T with 8 fraction bits."""
        return max(ONE_ARRIVAL_Q8, self.arrivals * ONE_ARRIVAL_Q8 // 2)

    @property
    def model(self) -> Port:
        """The same port in the reference model."""
        return Port(self.capacity, self.tolerance, self.given, self.count, self.bottleneck_given, self.bottleneck_count)

    def candidates(self) -> dict[str, int]:
        """The rates that typical mistakes give, by the mistake."""
        free, present, one = self.model.free_kbps, self.expected_q8 + self.count * ONE_ARRIVAL_Q8, ONE_ARRIVAL_Q8
        wanting = self.expected_q8 + self.bottleneck_count * one
        return {
            "B_v / Q_T, which is the first case's": free * one // self.expected_q8,
            "B_z / (Q_T + Q_z), which is the second case's": self.capacity * one // present,
            "(B_v + B_ctl) / (Q_T + Q_ctl), which is the third case's": (free + self.bottleneck_given) * one // wanting,
            "B_z / Q_z: the transmission that asks is not among those": self.capacity // max(1, self.count),
            "B_z / Q_T: those that are there do not count": self.capacity * one // self.expected_q8,
            "B_v / (Q_T + Q_z): B_z is divided among all, not what is free": free * one // present,
            "(B_v + B_ctl) / (Q_T + Q_z): Q_ctl counts only those that B_ctl is the sum of": (free + self.bottleneck_given)
            * one
            // present,
            "B_v / (Q_T + Q_ctl): B_ctl is missing": free * one // wanting,
            "B_ctl / (Q_T + Q_ctl): B_v is missing": self.bottleneck_given * one // wanting,
            "B_v alone, divided by nothing": free,
            "B_v below 0, which has wrapped round": ((self.capacity - self.given) % 2**32 * one // self.expected_q8) % 2**32,
            "a 256th of what it should be: Q_T has 8 fraction bits, so must the dividend": self.model.share(self.expected_q8)[0] >> 8,
            "256 times what it should be: Q_T has 8 fraction bits, the quotient has none": self.model.share(self.expected_q8)[0] << 8,
            "the dividend over Q_T + Q_z, where Q_z was not shifted by the 8 fraction bits": self.capacity
            * one
            // (self.expected_q8 + self.count),
        }

    def lines(self) -> list[str]:
        """For people."""
        rows = [
            ("B_z", "capacity", f"{self.capacity}"),
            ("sum", "port_sum", f"{self.given}"),
            ("B_v", "B_z - sum", f"{self.model.free_kbps}"),
            ("Q_z", "port_count", f"{self.count}"),
            ("B_ctl", "bottleneck_sum", f"{self.bottleneck_given}"),
            ("Q_ctl", "bottleneck_count", f"{self.bottleneck_count}"),
            ("Q_T", "expected_arrivals_q8 / 256", f"{self.expected_q8 / ONE_ARRIVAL_Q8:g}"),
            ("β", "tolerance", f"{self.tolerance}"),
            ("B_s", "B_v / Q_T", f"{self.model.free_kbps * ONE_ARRIVAL_Q8 / self.expected_q8:.3f}"),
            ("B_a", "B_z / (Q_T + Q_z)", f"{self.capacity * ONE_ARRIVAL_Q8 / (self.expected_q8 + self.count * ONE_ARRIVAL_Q8):.3f}"),
        ]
        return table(rows)


def ask(switch: Switch, state: State, hint: str = "", port: int = 2, most: int = MOST_KBPS, verdict: AdmittedVerdict | None = None) -> None:
    """A new transmission asks for all it can get, or for ``most``, of a port that is in this state.

    ``verdict``: the expected one; None: the case of Algorithm 1.
    """
    switch.at(0.1)
    network = f"10.{port >> 8}.{port & 0xFF}"
    switch.route(f"{network}.0/24", port)
    switch.add_entry("port_capacity", [{"exact": f"{port:04x}"}], "set_capacity", [f"{state.capacity:08x}", f"{state.tolerance:08x}"])
    for name, value in {
        "port_sum": state.given,
        "port_count": state.count,
        "port_bottleneck_sum": state.bottleneck_given,
        "port_bottleneck_count": state.bottleneck_count,
        "arrivals_current": state.arrivals - 1,
    }.items():
        switch.write_register(name, port, value)
    sent = switch.send(SENDER_PORT, message(max_kbps=most, nodectl_rtt_us=HALF_WINDOW_US, ipv4_destination=f"{network}.1"))
    share, case_of_algorithm = state.model.share(state.expected_q8)
    verdict = verdict or case_of_algorithm
    events = [event_fields(frame) for frame in sent.to_controller()]
    if len(events) != 1:
        raise sent.failed(f"{len(events)} events went to the controller, expected one")
    got, got_verdict = events[0]["share_kbps"], events[0]["verdict"]
    if events[0]["event"] != EventType.ADMITTED:
        raise sent.failed(f"B_c is {got}, so the request is refused; expected {share}{_why(hint)}", state.lines())
    if got_verdict != verdict:
        case = CASES.get(AdmittedVerdict(got_verdict), "no") if got_verdict in set(AdmittedVerdict) else "no"
        raise sent.failed(
            f"verdict is {got_verdict} ({case} case), expected {verdict.value} (the {CASES[verdict]} case){_why(hint)}", state.lines()
        )
    if got != share:
        known = next((name for name, value in state.candidates().items() if value == got != share), "")
        means = f" (that is {known})" if known else ""
        raise sent.failed(f"B_c is {got}, expected {share}{means}{_why(hint)}", state.lines())
    if (offered := events[0]["transmission_share_kbps"]) != share:
        raise sent.failed(
            f"transmission_share_kbps is {offered}, expected B_c, which is {share}: leave what is below your part", state.lines()
        )
    if sent.by_ports == [port] and (granted := field_of(sent.leaves(port), "nodectl.max_kbps")) != min(share, most):
        raise sent.failed(f"the request goes on with max {granted}, expected {min(share, most)}", state.lines())


def _why(hint: str) -> str:
    return f": {hint}" if hint else ""


@check(points=1)
def alone(switch: Switch) -> None:
    """A transmission that is alone on a port gets all of it: B_s and B_a are equal, and B_c = B_v / Q_T."""
    ask(switch, State(36_000), "nobody else is there")
    ask(switch, State(MOST_KBPS), "the port carries 4 Tbit/s; B_v << 8 needs more than 32 bits", port=3)


@check(points=3)
def reduces_others(switch: Switch) -> None:
    """Where others have more than their part, it gets B_c = B_z / (Q_T + Q_z): the second case."""
    ask(switch, State(36_000, 36_000, 1, 36_000, 1), "one transmission has all of the port")
    ask(switch, State(36_000, 30_000, 2, 30_000, 2), "B_v is 6000, and everybody's part of three is 12000", port=3)
    ask(switch, State(10_000, 9_999, 6), "rates are rounded down", port=4)


@check(points=3)
def increases_others(switch: Switch) -> None:
    """Where much is free, it shares that with those held back by this port, B_c = (B_v + B_ctl) / (Q_T + Q_ctl): the third case."""
    ask(switch, State(36_000, 15_000, 2, 10_000, 1), "of two transmissions one is held back by this port, with 10000")
    ask(switch, State(36_000, 5_000, 1), "the only other one is held back elsewhere, at 5000", port=3)
    ask(switch, State(100_000, 12_000, 4, 9_000, 3), "B_v is 88000, and three are held back by this port, with 9000", port=4)


@check(points=2)
def nothing_free(switch: Switch) -> None:
    """If more is given out than the port carries, B_v is 0 and not below."""
    ask(switch, State(20_000, 26_000, 2, 26_000, 2), "the link has become slower: 26000 are given out of 20000")
    ask(switch, State(20_000, 2**32 + 5, 3), "the sum does not fit 32 bits", port=3)
    ask(switch, State(20_000, 26_000, 1, tolerance=9_999), "B_v is 0, so B_a - B_s is 10000, which is more than β", port=4)


@check(points=2)
def several_expected(switch: Switch) -> None:
    """Q_T has 8 fraction bits: where several are expected, each gets its part."""
    ask(switch, State(36_000, arrivals=4), "two are expected")
    ask(switch, State(36_000, arrivals=5), "two and a half are expected", port=5)
    ask(switch, State(36_000, 36_000, 3, 36_000, 3, arrivals=3), "one and a half are expected, and three are there", port=3)
    ask(switch, State(36_000, 4_000, 3, 3_000, 2, arrivals=3), "one and a half are expected, and much is free", port=4)


@check(points=2)
def tolerates(switch: Switch) -> None:
    """Where B_s and B_a differ by β or less, it gets B_s and nobody else changes."""
    ask(switch, State(36_000, 24_500, 2, 24_500, 2, tolerance=500), "B_a - B_s is 500, which is β exactly")
    ask(switch, State(36_000, 24_501, 2, 24_501, 2, tolerance=500), "B_a - B_s is 501, more than β", port=3)
    ask(switch, State(36_000, 23_000, 2, 20_000, 1, tolerance=1_000), "B_s - B_a is 1000, which is β exactly", port=4)
    ask(switch, State(36_000, 24_250, 2, arrivals=3, tolerance=500), "β is compared with B_s and B_a, not with their multiples", port=5)
    crowd = State(MOST_KBPS - 1, 0, 100_000, tolerance=2**31)
    ask(switch, crowd, "100,000 are there: the difference, shifted by 8 bits, does not fit 64 bits", port=6)


@check(points=1)
def leaves_the_rest(switch: Switch) -> None:
    """The code below your part stays: a transmission that wants less than its share changes nobody, and subflows share one share."""
    reduces, increases = State(36_000, 30_000, 2), State(36_000, 15_000, 2, 10_000, 1)
    share = AdmittedVerdict.SHARE
    says = "it wants 6000, and 6000 are free: nobody changes (decision 'no more than is asked for')"
    ask(switch, reduces, says, most=6_000, verdict=share)
    ask(switch, reduces, "it wants 6001, and 6000 are free", port=3, most=6_001)
    ask(switch, increases, "it wants 15500, which is B_c and not less", port=4, most=15_500)
    ask(switch, increases, "it wants 20000, which is more than B_c", port=5, most=20_000)
    _ask_as_subflows(switch)


def _ask_as_subflows(switch: Switch) -> None:
    """One transmission takes 26000 of 36000; another asks for 6000, and for 8000 more with a second subflow."""
    switch.route("10.0.9.0/24", 9)
    switch.add_entry("port_capacity", [{"exact": "0009"}], "set_capacity", [f"{36_000:08x}", f"{0:08x}"])
    hint = "the rest of the file is for subflows (Algorithm 2): leave it as it was"
    cases = (
        (1, 0, 26_000, 36_000, share := AdmittedVerdict.SHARE),
        (2, 0, 6_000, 18_000, share),
        (2, 1, 8_000, 12_000, AdmittedVerdict.REDUCE_OTHERS),
    )
    for number, (transmission, subflow, most, expected, verdict) in enumerate(cases):
        switch.at(10 + 5 * number)
        packet = message(
            max_kbps=most, number=transmission, nodectl_subflow=subflow, nodectl_rtt_us=HALF_WINDOW_US, ipv4_destination="10.0.9.1"
        )
        sent = switch.send(SENDER_PORT, packet)
        events = [event_fields(frame) for frame in sent.to_controller()]
        got = [(event["share_kbps"], event["verdict"]) for event in events]
        if got != [(expected, verdict.value)]:
            raise sent.failed(f"share and verdict of subflow {subflow} are {got}, expected {expected} and {verdict.value}: {hint}")


@check(points=3)
def wherever(switch: Switch) -> None:
    """In 300 states drawn by chance, small and as large as the fields allow, it does the same as the reference model."""
    random = Random(4)
    switch.trace(on=False)
    for port in range(2, 302):
        capacity = random.choice([random.randint(1, 100), random.randint(1_000, 100_000), random.randint(1, MOST_KBPS)])
        count = random.choice([0, 1, random.randint(2, 10), random.randint(11, 16_000)])
        given = random.randint(0, round(capacity * 1.2)) if count else 0
        bottlenecks = random.randint(0, count)
        bottleneck_given = random.randint(0, given) if bottlenecks else 0
        tolerance = random.choice([0, 0, 1, random.randint(0, capacity)])
        state = State(capacity, given, count, bottleneck_given, bottlenecks, tolerance, random.randint(1, 40))
        if state.model.share(state.expected_q8)[0] > 0:  # a transmission that gets nothing is refused
            try:
                ask(switch, state, port=port)
            except Failed:
                switch.trace()
                ask(switch, state, port=port + 1)


@check(points=3, scenario="run.toml")
def three_equal_parts(run: Measured) -> None:
    """Three transmissions that start one after the other get a third each, and no packet is lost."""
    for name in ("A", "B", "C"):
        run.between(f"mean_mbps.{name}", 11.0, 11.5, "a third of 36 Mbit/s of frames is 11.3 Mbit/s of payload")
    run.at_most("queue_drops", 0, "a newcomer is let in only as far as the others have made room")
