"""Garbage is collected in the housekeeping, and at no other time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from controller.garbage_collection import FULL_EVERY, GarbageCollection


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collection() -> Iterator[GarbageCollection]:
    begun = GarbageCollection()
    begun.begin()
    yield begun
    gc.enable()
    gc.unfreeze()


def test_nothing_is_collected_between_ticks(collection: GarbageCollection) -> None:
    gone = weakref.ref(Cycle())
    kept = [Cycle() for _ in range(10 * gc.get_threshold()[0])]
    assert gone() is not None
    collection.tick()
    assert gone() is None
    assert kept


def test_what_is_older_goes_in_its_time(collection: GarbageCollection) -> None:
    cycle = Cycle()
    old = weakref.ref(cycle)
    collection.tick()
    collection.tick()
    del cycle
    for _ in range(FULL_EVERY):
        collection.tick()
    assert old() is None


def test_a_collection_that_has_not_begun_leaves_everything_to_python() -> None:
    assert gc.isenabled()
    gone = weakref.ref(Cycle())
    GarbageCollection().tick()
    assert gone() is not None
