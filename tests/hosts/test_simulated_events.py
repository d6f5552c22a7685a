"""Events of a connection, with every scheme: nothing to send, a time-out, a loss that was none, silence."""

from __future__ import annotations

import pytest

from hosts.cca.simulation.frame import LOSS, OPEN, RECOVERY, Frame
from hosts.cca.simulation.network import Flow, Link, Simulation
from hosts.cca.simulation.rounds import Rounds

BY_WINDOW = ("bic", "compound", "coupled", "highspeed", "hybla", "lia", "libra", "msstcp", "qtcol", "qtcol(rtt=last)", "qtcolfair", "vegas")
"""All but nodectl, whose window follows a rate."""

AFTER_A_LOSS_AT_100 = {
    "bic": 88, "compound": 50, "coupled": 50, "highspeed": 50, "hybla": 50, "lia": 50, "libra": 100 - 100 / (2 * 1.04), "msstcp": 50,
    "qtcol": 50, "qtcol(rtt=last)": 50, "qtcolfair": 50, "vegas": 50,
}  # fmt: skip
"""Windows by the papers' equations, at 40 ms."""


def settled(name: str, window: int = 100) -> Rounds:
    """A connection in congestion avoidance that has seen RTTs of 40 ms."""
    rounds = Rounds(name, 10)
    rounds.rounds(3)
    rounds.connection.set_window(window)
    return rounds


@pytest.mark.parametrize("name", BY_WINDOW)
@pytest.mark.parametrize("is_starting", [True, False], ids=["slow-start", "avoidance"])
def test_the_window_does_not_grow_while_the_application_limits(name: str, is_starting: bool) -> None:
    """5 packets a round trip; Linux lets slow start go up to twice what is under way."""
    rounds = Rounds(name, 10 if is_starting else 40, threshold=1000 if is_starting else None)
    windows = rounds.rounds(100, packets=5)
    assert max(windows) <= (10 if is_starting else 40)


@pytest.mark.parametrize("name", BY_WINDOW)
def test_the_window_grows_while_it_is_what_limits(name: str) -> None:
    """The contrast to the test above."""
    assert max(Rounds(name, 40).rounds(10)) > 40


@pytest.mark.parametrize("name", BY_WINDOW)
def test_a_loss_takes_what_the_paper_says(name: str) -> None:
    rounds = settled(name)
    rounds.lose_one()
    assert rounds.connection.state == OPEN
    assert rounds.connection.threshold == pytest.approx(AFTER_A_LOSS_AT_100[name], abs=1)
    assert 1 <= rounds.window / rounds.connection.threshold < 1.2, "the last acknowledgement may let it grow again already"


@pytest.mark.parametrize("name", BY_WINDOW)
def test_a_timeout_begins_anew_from_one_packet(name: str) -> None:
    rounds = settled(name)
    rounds.time_out()
    assert rounds.window == 1
    assert rounds.connection.state == LOSS
    assert rounds.connection.threshold == pytest.approx(AFTER_A_LOSS_AT_100[name], abs=1)
    rounds.acknowledge_all()
    assert max(rounds.rounds(15)) > 40, "it finds its way back"


@pytest.mark.parametrize("name", BY_WINDOW)
def test_a_loss_that_was_none_is_undone(name: str) -> None:
    rounds = settled(name)
    rounds.send_window()
    for sacked in (1, 2, 3):
        rounds.connection.acked(rounds.now_us, 0, 1, (0, rounds.rtt_us), sacked_out=sacked, lost_out=int(sacked == 3))
    assert rounds.connection.state == RECOVERY
    assert rounds.connection.threshold < 100
    rounds.connection.undo()
    assert rounds.connection.state == OPEN
    assert rounds.window == 100
    assert rounds.connection.threshold >= 75
    rounds.acknowledge_all()
    assert min(rounds.rounds(3)) > 60


@pytest.mark.parametrize("name", BY_WINDOW)
def test_after_silence_it_begins_small_and_comes_back(name: str) -> None:
    """3 s of silence: the window halves with each time-out passed, down to 10 packets; then the link is full again within 4 s."""
    simulation = Simulation()
    flow = Flow(simulation, Link(simulation, rate_bps=4e6, queue_packets=60), Frame(name), delay_us=20_000, offered=1500)
    simulation.run(8)
    assert flow.acked_packets == 1500
    flow.offer(6000)
    assert flow.window == 10
    simulation.run(16)
    assert flow.rate_bps(12, 16) == pytest.approx(4e6 * 1000 / 1066, rel=0.05)


def test_nodectl_keeps_its_rate_whatever_happens() -> None:
    """500 kB/s: while the application limits, through 2 % of losses, and at once after silence."""
    simulation = Simulation()
    link = Link(simulation)
    flow = Flow(simulation, link, Frame("nodectl"), delay_us=20_000, offered=1000, max_pacing_rate=500_000)
    simulation.run(4)
    assert flow.acked_packets == 1000
    window = flow.window
    assert window == 30, "rate x RTT, a quarter more, 2 ms, and 4 packets"
    flow.offer(1000)
    assert flow.window == window, "no restart"
    simulation.run(4.5)
    assert flow.rate_bps(4.1, 4.5) == pytest.approx(4e6, rel=0.01)
    rounds = Rounds("nodectl", 10)
    rounds.connection.set_max_pacing_rate(500_000)
    assert rounds.rounds(5)[-1] == window
    rounds.lose_one()
    assert rounds.window == window
