"""Between which hosts a workload's transmissions go: the patterns of traffic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import cycle
from random import Random

Pair = tuple[str, str]


class Pattern(StrEnum):
    """How senders and receivers are chosen."""

    RANDOM = "random"
    PERMUTATION = "permutation"
    ALL_TO_ALL = "all_to_all"
    INCAST = "incast"


def pairs_of(pattern: Pattern, senders: Sequence[str], receivers: Sequence[str], fan_in: int, random: Random) -> Iterator[list[Pair]]:
    """For each arrival, without end, the pairs of sender and receiver that begin then.

    Args:
        pattern: how they are chosen.
        senders: hosts.
        receivers: hosts; a sender is never its own receiver.
        fan_in: of incast: how many senders begin at once.
        random: draws the others.

    Raises:
        ValueError: the pattern needs other hosts than there are.
    """
    every = [(sender, receiver) for sender in senders for receiver in receivers if sender != receiver]
    if not every:
        raise ValueError("there is nobody to whom a sender could send")
    if pattern is Pattern.PERMUTATION:
        own = list(_permutation(senders, receivers, random))
        while True:
            yield [random.choice(own)]
    elif pattern is Pattern.ALL_TO_ALL:
        random.shuffle(every)
        for pair in cycle(every):
            yield [pair]
    elif pattern is Pattern.INCAST:
        while True:
            receiver = random.choice(receivers)
            others = [sender for sender in senders if sender != receiver]
            if len(others) < fan_in:
                raise ValueError(f"fan_in = {fan_in}: {receiver} has {len(others)} others to receive from")
            yield [(sender, receiver) for sender in random.sample(others, fan_in)]
    else:
        while True:
            yield [random.choice(every)]


def _permutation(senders: Sequence[str], receivers: Sequence[str], random: Random) -> Iterator[Pair]:
    """One receiver for each sender, all different; nobody is its own."""
    if len(receivers) < len(senders):
        raise ValueError(f"a permutation of {len(senders)} senders needs as many receivers; there are {len(receivers)}")
    shuffled = random.sample(list(receivers), len(receivers))
    for position, sender in enumerate(senders):
        if shuffled[position] == sender:
            other = (position + 1) % len(shuffled)
            shuffled[position], shuffled[other] = shuffled[other], shuffled[position]
    taken = list(zip(senders, shuffled, strict=False))
    if any(sender == receiver for sender, receiver in taken):
        raise ValueError("one host alone cannot be sender and receiver")
    yield from taken
