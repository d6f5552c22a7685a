"""HalfSipHash against its authors' test vectors: the key is 00 01 … 07, the messages are nothing and 00 01 02 03."""

from __future__ import annotations

import pytest

from protocol.keyed_hash import hash_of_words

KEY = 0x0706050403020100


@pytest.mark.parametrize(("words", "expected"), [([], "218d1f59b9b83cc8"), ([0x03020100], "d5e78a175be52ea1")])
def test_vectors(words: list[int], expected: str) -> None:
    assert hash_of_words(KEY, words).to_bytes(8, "little").hex() == expected
