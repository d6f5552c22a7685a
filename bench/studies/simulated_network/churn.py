"""Transmissions of given sizes that come and go by chance on one port of the simulated network, to show how Algorithm 1 treats arrivals.

Data is a fluid: a sender sends at its rate from when it has one until its size is sent. There are no packets and no queue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from bench.studies.simulated_network.network_simulation import Network, Transmission
from common.units import BITS_PER_BYTE, US_PER_MS, US_PER_S
from protocol.constants import FRACTION_BITS, MAX_EXPECTED_Q8, ONE_ARRIVAL_Q8
from protocol.model.port_model import ArrivalEstimator
from protocol.variant import COMPLETE, Variant, VariantName
from scenario.workloads import Workload

CAPACITY_KBPS = 36_000
WANTED_KBPS = 200_000
CONTROLLER_US = 1_000
SWITCH, PORT = "s1", 1
HOPS = 4
"""From the sender to the receiver and back, over one switch."""


@dataclass(slots=True)
class OtherEstimator(ArrivalEstimator):
    """The same sliding window with another width, and another factor α in Q_T = max(1, α · V_Q · RTT).

    Attributes:
        window_us: its width.
        alpha: the factor.
        asked: (time µs, RTT µs, Q_T) of each new request, to be compared with the arrivals.
    """

    window_us: int = 1 << 20
    alpha: float = 1.0
    asked: list[tuple[int, int, float]] = field(default_factory=list)

    def expected_q8(self, now_us: int, rtt_us: int, is_new: bool) -> int:
        """Q_T for a request now."""
        window = now_us // self.window_us
        if window != self.window:
            self.previous = self.current if window == self.window + 1 else 0
            self.current = 0
            self.window = window
        self.current += is_new
        arrivals = self.current + self.previous * (1 - now_us % self.window_us / self.window_us)
        expected = self.alpha * arrivals * rtt_us / self.window_us
        if is_new:
            self.asked.append((now_us, rtt_us, expected))
        return min(max(int(expected * (1 << FRACTION_BITS)), ONE_ARRIVAL_Q8), MAX_EXPECTED_Q8)


class UnlikeWays(Network):
    """Transmissions over one switch, each with a round-trip time of its own."""

    def __init__(self, variant: Variant) -> None:
        super().__init__({SWITCH: {PORT: CAPACITY_KBPS}}, 0, CONTROLLER_US, variant=variant)

    def hop_of(self, transmission: Transmission) -> int:
        """The transmission's own way from neighbour to neighbour, µs."""
        return transmission.hop_us


@dataclass(frozen=True)
class Form:
    """Parameters of Algorithm 1: α, the estimator's window, and β in parts of the port's capacity."""

    alpha: float = 1.0
    window_us: int = 1 << 20
    beta: float = 0.0


@dataclass
class Done:
    """One transmission; times in seconds."""

    rtt_s: float
    size_bytes: int
    came_s: float
    first_kbps: int = 0
    fair_kbps: float = 0.0
    """An equal part among all that were there when it got its first rate."""
    took_s: float | None = None
    messages: int = 0

    @property
    def slowdown(self) -> float | None:
        """Over a round trip and the size at the port's rate; None: it did not end."""
        alone_s = self.rtt_s + self.size_bytes * BITS_PER_BYTE / (CAPACITY_KBPS * 1e3)
        return None if self.took_s is None else self.took_s / alone_s


@dataclass
class ChurnRun:
    """A run of some seconds.

    Args:
        form: of Algorithm 1.
        rtts_ms: each transmission has one of these by chance.
        load: of the port.
        seconds: during which transmissions come; they have as long again, up to 20 s, to end.
        seed: of arrivals, sizes and RTTs.
        variant: of Nodectl.
        sizes: a workload's.
    """

    form: Form
    rtts_ms: Sequence[float] = (40,)
    load: float = 0.8
    seconds: float = 30
    seed: int = 1
    variant: Variant = COMPLETE
    sizes: dict[str, object] = field(default_factory=lambda: {"kind": "web", "most_bytes": 2_000_000})

    def __post_init__(self) -> None:
        self.done: list[Done] = []
        self.above_s = 0.0
        """For how long more was given out than the port has."""
        self.idle_s = 0.0
        """Capacity that nobody was given while a sender with a rate could use more: seconds of a whole port."""
        self.wanting_s = 0.0
        """That time."""
        self._left_bits: dict[Transmission, float] = {}
        self._known: dict[Transmission, Done] = {}
        self._rates: dict[Transmission, int] = {}
        self._last_us = 0

    def carry_out(self) -> ChurnRun:
        """Run it."""
        network = self._network()
        port = network.switches[SWITCH].ports[PORT]
        self.estimator = OtherEstimator(window_us=self.form.window_us, alpha=self.form.alpha)
        port.arrivals = self.estimator
        port.tolerance_kbps = network.controllers[SWITCH].ports[PORT].tolerance_kbps = round(self.form.beta * CAPACITY_KBPS)
        chance = Random(f"RTTs {self.seed}")
        for number, (came_s, size_bytes) in enumerate(self._arrivals(), start=1):
            rtt_us = round(chance.choice(self.rtts_ms) * US_PER_MS)
            sender = self._sender(number, rtt_us)
            self._known[sender] = Done(rtt_us / US_PER_S, size_bytes, came_s)
            # It asks when its connection is there, a round trip after it came.
            network.after(round(came_s * US_PER_S) + rtt_us, self._comes(network, sender))
        network.run(round((self.seconds + min(self.seconds, 20)) * US_PER_S), self._look)
        self.done = list(self._known.values())
        return self

    def _network(self) -> Network:
        return UnlikeWays(self.variant)

    def _sender(self, number: int, rtt_us: int) -> Transmission:
        return Transmission(
            number, [(SWITCH, PORT)], WANTED_KBPS, rtt_us // HOPS, is_deployable=self.variant.basis is not VariantName.PAPER
        )

    def _arrivals(self) -> list[tuple[float, int]]:
        workload = Workload.model_validate(
            {
                "name": "web",
                "senders": ["a"],
                "receivers": ["b"],
                "arrivals": {"kind": "load", "percent": 100 * self.load, "link": ["a", "b"]},
                "sizes": self.sizes,
            }
        ).at_load(CAPACITY_KBPS * 1e3)
        return [(one.start_s, one.size_bytes or 0) for one in workload.transmissions(self.seed, self.seconds)]

    def _comes(self, network: Network, sender: Transmission) -> Callable[[], None]:
        def comes() -> None:
            self._left_bits[sender] = self._known[sender].size_bytes * BITS_PER_BYTE
            self._rates[sender] = 0
            network.start(sender)

        return comes

    def _look(self, network: Network) -> None:
        """After each step, take into account the data sent since the one before, the senders at their ends, and the rates meanwhile."""
        passed_us, self._last_us = network.now_us - self._last_us, network.now_us
        total_kbps = sum(self._rates.values())
        if passed_us:
            for sender, rate_kbps in self._rates.items():
                self._left_bits[sender] -= rate_kbps * passed_us / 1e3
            self.above_s += passed_us / US_PER_S * (total_kbps > CAPACITY_KBPS)
            if total_kbps:
                self.wanting_s += passed_us / US_PER_S
                self.idle_s += passed_us / US_PER_S * max(0.0, 1 - total_kbps / CAPACITY_KBPS)
        for sender in [one for one, left in self._left_bits.items() if left <= 0]:
            self._ends(network, sender)
        for sender, before in list(self._rates.items()):
            if sender.rate_kbps != before:
                self._rates[sender] = sender.rate_kbps
                known = self._known[sender]
                if not known.first_kbps:
                    known.first_kbps, known.fair_kbps = sender.rate_kbps, CAPACITY_KBPS / len(self._left_bits)
                if sender.rate_kbps:
                    network.after(int(self._left_bits[sender] * 1e3 / sender.rate_kbps) + 1, lambda: None)

    def _ends(self, network: Network, sender: Transmission) -> None:
        known = self._known[sender]
        known.took_s = network.now_us / US_PER_S + known.rtt_s / 2 - known.came_s
        known.messages = sender.received.total()
        del self._left_bits[sender], self._rates[sender]
        self._stops(network, sender)

    def _stops(self, network: Network, sender: Transmission) -> None:
        network.stop(sender)

    # Results

    def slowdown(self, percentile: float, rtt_ms: float | None = None) -> float:
        """Of transmissions of an RTT, or of all; one that did not end counts as slower than any other."""
        values = [one.slowdown or np.inf for one in self.done if rtt_ms in (None, round(one.rtt_s * 1e3, 3))]
        return float(np.percentile(values, percentile, method="lower"))

    def first_over_fair(self, rtt_ms: float | None = None) -> float:
        """Median of the first rate over an equal part at that moment."""
        found = [one.first_kbps / one.fair_kbps for one in self.done if one.first_kbps and rtt_ms in (None, round(one.rtt_s * 1e3, 3))]
        return float(np.median(found))

    def came_over_expected(self, rtt_ms: float | None = None) -> tuple[float, float]:
        """Means over all requests: how many came within an RTT of each, itself included, and Q_T before the 1 that it is at least."""
        times = np.array([asked_us for asked_us, _, _ in self.estimator.asked])
        chosen = [(at, rtt, expected) for at, rtt, expected in self.estimator.asked if rtt_ms in (None, round(rtt / US_PER_MS, 3))]
        came = [np.searchsorted(times, at + rtt, "right") - np.searchsorted(times, at) for at, rtt, _ in chosen]
        return float(np.mean(came)), float(np.mean([expected for _, _, expected in chosen]))

    @property
    def idle_percent(self) -> float:
        """Of the port, while somebody had a rate."""
        return 100 * self.idle_s / self.wanting_s

    @property
    def messages(self) -> float:
        """That a transmission got, on average."""
        return float(np.mean([one.messages for one in self.done]))
