"""Three results that others have published, and three that surprise: sentences of which every part about a result is computed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT, MS_PER_S
from protocol.frames import ETHERNET_HEADER_BYTES
from reports.claims.findings import Finding, MissingError, Values, listed_findings
from reports.document.blocks import Block
from reports.paper import Paper
from reports.results import Results

FRAME_BYTES = 1500 + ETHERNET_HEADER_BYTES
LONGER = 4
"""The longer round trip over the shorter one, in ``rtt_fairness``."""

BUFFERS = (0.5, 1, 2, 4, 8, 16)
DEEP = (2, 4, 8, 16)
"""Those of which the formula speaks."""


def section(results: Mapping[str, Results], paper: Paper) -> list[Block]:
    """Two lists, of the findings whose measurements are there and bear their words."""
    intro = "Each number of a measurement is computed from the results above."
    return [
        *listed_findings("Three results that others have published", f"{intro} Published ones stand beside it.", PUBLISHED, results, paper),
        *listed_findings("Three results that surprise, and their causes", intro, SURPRISING, results, paper),
    ]


def formula_percent(buffer_bdp: float, bdp_packets: float, connections: int = 1) -> float:
    """BBR's share of a link whose deep buffer CUBIC keeps full, in percent.

    Args:
        buffer_bdp: the buffer in bandwidth-delay products, X in the paper.
        bdp_packets: one such product, in full frames.
        connections: of BBR, N in the paper.

    Source: Ware et al., Modeling BBR's Interactions with Loss-Based Congestion Control, IMC 2019: 1/2 - 1/(2X) - 4N/q.
    """
    return 100 * (0.5 - 0.5 / buffer_bdp - 4 * connections / (buffer_bdp * bdp_packets))


def _over(buffers: Sequence[float], texts: Sequence[str]) -> str:
    return ", ".join(f"{text} at {buffer:g} BDP" for buffer, text in zip(buffers, texts, strict=True))


def _shares(values: Values, experiment: str, scheme: str, buffers: Sequence[float], **where: str) -> str:
    texts = [values.text(experiment, "share_percent", scheme, buffer_bdp=buffer, **where) for buffer in buffers]
    return _over(buffers, texts)


def _all(values: Values, experiment: str, scheme: str, buffers: Sequence[float], **where: str) -> list[float]:
    return [values(experiment, "share_percent", scheme, buffer_bdp=buffer, **where) for buffer in buffers]


def _only_if(holds: bool) -> None:
    """Leave out a finding whose words the results do not bear.

    Raises:
        MissingError: they do not.
    """
    if not holds:
        raise MissingError


def _bbr(values: Values) -> str:
    small, large = _all(values, "bbr_by_buffer", "bbr", (0.5, 8))
    _only_if(small > 50 > large)
    rate_mbps, rtt_ms = (values.parameter("bbr_long", "share_percent", "bbr", name) for name in ("rate_mbps", "rtt_ms"))
    bdp_packets = rate_mbps * BITS_PER_MEGABIT * rtt_ms / MS_PER_S / BITS_PER_BYTE / FRAME_BYTES
    formula = [formula_percent(buffer, bdp_packets) for buffer in DEEP]
    off = [share - given for share, given in zip(_all(values, "bbr_long", "bbr", DEEP), formula, strict=True)]
    return (
        "**BBR's share beside CUBIC falls from most of the link to less than half, by the buffer.** In runs of 30 s it is, in percent, "
        f"{_shares(values, 'bbr_by_buffer', 'bbr', BUFFERS)}. Hock et al. 2017 measured that BBR takes nearly all at 0.8 BDP, and less "
        f"than half at 8 BDP. In runs of 200 s it is {_shares(values, 'bbr_long', 'bbr', DEEP)}. The formula of Ware et al. 2019, for "
        f"buffers that CUBIC keeps full, gives {_over(DEEP, [f'{given:.1f}' for given in formula])}. Measured less formula is, in points, "
        f"{_over(DEEP, [f'{points:+.1f}' for points in off])}."
    )


def _round_trips(values: Values) -> str:
    buffers = (1, 4)
    _only_if(all(values("rtt_fairness", "asymmetry", "cubic", buffer_bdp=buffer) > 0 for buffer in buffers))
    parts = [values.text("rtt_fairness", "smaller_percent", "cubic", buffer_bdp=buffer) for buffer in buffers]
    return (
        f"**CUBIC is unfair to longer round trips.** Of two connections, one has {LONGER} times the round trip of the other without "
        f"queues. Its throughput is, in percent of the other's, {_over(buffers, parts)}. RFC 9438, section 5.1, has CUBIC's window grow "
        "with the round trip to the power of 3/4 where both see the same losses: its rate goes with the power of -1/4, which gives "
        f"{100 * LONGER**-0.25:.0f} %. Where CUBIC follows NewReno, the rate goes with the inverse of the round trip, which gives "
        f"{100 / LONGER:.0f} %."
    )


def _one_marking_queue(values: Values) -> str:
    buffers = (1, 2, 4)
    _only_if(values("one_marking_queue", "share_percent", "dctcp", buffer_bdp=4) > 75)
    return (
        "**DCTCP takes nearly all from CUBIC in one queue that marks.** Its share is, in percent, "
        f"{_shares(values, 'one_marking_queue', 'dctcp', buffers)}. Both are in the classic queue of DualPI2, which aims at a wait of 15 "
        "ms. RFC 8257, section 5, says that both can not share a queue that marks, since DCTCP answers few marks by a small reduction. "
        "A buffer of one BDP, 20 ms, runs full before many packets are marked, and both answer losses alike."
    )


def _bounded_window(values: Values) -> str:
    buffers, free = (1, 2, 4, 8), "nodectl(window_factor=20)"
    _only_if(values("bounded_window", "share_percent", "nodectl", buffer_bdp=8) < 50 < min(_all(values, "bounded_window", free, buffers)))
    return (
        "**A sender that is told the whole rate has less than half of it in a deep buffer.** The network tells Nodectl all of the link, "
        "since CUBIC beside it does not ask. Nodectl's share is, in percent, "
        f"{_shares(values, 'bounded_window', 'nodectl', buffers)}. Cause: CUBIC's queue lengthens the round trip, and Nodectl's window is "
        "bounded by the smallest one. With twenty times that bound the share is "
        f"{_shares(values, 'bounded_window', free, buffers)}."
    )


def _own_queues(values: Values) -> str:
    buffers, said = (1, 4), []
    for scheme, name in (("rcp", "RCP"), ("xcp", "XCP")):
        one, own = ({"discipline": discipline} for discipline in ("drop_tail", "fq_codel"))
        _only_if(max(_all(values, "own_queues", scheme, buffers, **one)) < 25 < min(_all(values, "own_queues", scheme, buffers, **own)))
        said.append(
            f"{name} has, in percent, {_shares(values, 'own_queues', scheme, buffers, **one)} in one queue, and "
            f"{_shares(values, 'own_queues', scheme, buffers, **own)} with a queue for each connection"
        )
    return (
        f"**Routers that divide a link leave their own senders little of it.** Beside CUBIC {'; '.join(said)} (FQ-CoDel). Cause: CUBIC "
        "keeps the common queue full, and both routers lower their senders' rates as long as data wait."
    )


def _competing_mode(values: Values) -> str:
    buffers, without, said = (1, 4), "copa(modes=default)", []
    for rival, name in (("reno", "NewReno"), ("cubic", "CUBIC")):
        _only_if(
            max(_all(values, "copa_modes", without, buffers, rival=rival))
            < 25
            < min(_all(values, "copa_modes", "copa", buffers, rival=rival))
        )
        said.append(
            f"Beside {name} it has, in percent, {_shares(values, 'copa_modes', 'copa', buffers, rival=rival)}; without its competing mode "
            f"{_shares(values, 'copa_modes', without, buffers, rival=rival)}"
        )
    return (
        f"**Copa keeps queues short, and yet holds its own beside schemes that fill them.** {'. '.join(said)}. Cause: it notices that the "
        "queue is never empty, and competes."
    )


PUBLISHED: tuple[Finding, ...] = (_bbr, _round_trips, _one_marking_queue)
SURPRISING: tuple[Finding, ...] = (_bounded_window, _own_queues, _competing_mode)
