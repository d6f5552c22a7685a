"""The rate of a connection that halves its window at a loss and else opens it by one packet an RTT (reno), from the loss probability alone.

All functions give packets an RTT, i.e. the mean window.
"""

from __future__ import annotations

import math

import numpy as np


def mathis(loss: float) -> float:
    """Losses at regular distances: sqrt(3/2p) (Mathis et al., CCR 27(3), 1997)."""
    return math.sqrt(1.5 / loss)


def poisson_losses(loss: float) -> float:
    """Losses independent of each other, p small: 1.3098 / sqrt(p) (Ott, Kemperman and Mathis, 1996)."""
    return 1.3098 / math.sqrt(loss)


def padhye(loss: float, rtt_s: float, timeout_s: float) -> float:
    """With timeouts, for a sender without SACK that loses the rest of a window too (Padhye et al., SIGCOMM 1998), b = 1."""
    halvings = math.sqrt(2 * loss / 3)
    timeouts = timeout_s / rtt_s * min(1.0, 3 * math.sqrt(3 * loss / 8)) * loss * (1 + 32 * loss**2)
    return 1.0 / (halvings + timeouts)


def window_chain(loss: float, *, losses: int = 200_000, seed: int = 1) -> float:
    """Independent losses, packet by packet and RTT by RTT, with SACK, without timeouts.

    A loss is noticed an RTT later and repaired in that one, which sends what is between the old window and the half of it (proportional
    rate reduction). Other losses of the same window are repaired along with it.
    """
    random = np.random.default_rng(seed)
    distances = random.geometric(loss, losses).tolist()
    window, sent, rounds = max(2.0, mathis(loss)), 0.0, 0
    left_over = 0.0
    for distance in distances:
        # Whole RTTs of growth before the one in which the packet is lost: the most of them that sum up to less than ``to_go``.
        to_go = max(0.0, distance - left_over)
        grown = max(0, math.ceil((0.25 + window * (window - 1) + 2 * to_go) ** 0.5 - window + 0.5) - 1)
        before = grown * window + grown * (grown - 1) / 2
        to_go -= before
        sent += before
        window += grown
        rounds += grown
        half = max(2.0, window // 2)
        repairing = to_go + (window - to_go) * half / window
        sent += window + repairing
        rounds += 2
        # Packets that are sent while the loss is being noticed and repaired may have losses of their own.
        left_over = repairing
        window = half
    return sent / rounds
