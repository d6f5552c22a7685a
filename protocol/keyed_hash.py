"""HalfSipHash-2-4 with 64 bits of output (Aumasson and Bernstein 2012; the 32-bit variant of their code), as p4src/keyed_hash.p4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_MASK = 0xFFFFFFFF


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _MASK


def _rounds(state: list[int], count: int) -> None:
    v0, v1, v2, v3 = state
    for _ in range(count):
        v0 = v0 + v1 & _MASK
        v1 = _rotated(v1, 5) ^ v0
        v0 = _rotated(v0, 16)
        v2 = v2 + v3 & _MASK
        v3 = _rotated(v3, 8) ^ v2
        v0 = v0 + v3 & _MASK
        v3 = _rotated(v3, 7) ^ v0
        v2 = v2 + v1 & _MASK
        v1 = _rotated(v1, 13) ^ v2
        v2 = _rotated(v2, 16)
    state[:] = v0, v1, v2, v3


def hash_of_words(key: int, words: Sequence[int]) -> int:
    """64 bits from whole words of 32 bits; of the reference code's bytes, four make a word, the first the lowest.

    Args:
        key: 64 bits; the lower half is the reference code's first word.
        words: the message, at most 63 words.
    """
    return _hash(key, tuple(words))


@lru_cache(maxsize=1 << 14)  # a model asks for the same records with each message
def _hash(key: int, words: tuple[int, ...]) -> int:
    low_key, high_key = key & _MASK, key >> 32
    state = [low_key, high_key ^ 0xEE, low_key ^ 0x6C796765, high_key ^ 0x74656462]
    for word in [*words, len(words) * 4 << 24]:
        state[3] ^= word
        _rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xEE
    _rounds(state, 4)
    low = state[1] ^ state[3]
    state[1] ^= 0xDD
    _rounds(state, 4)
    return (state[1] ^ state[3]) << 32 | low
