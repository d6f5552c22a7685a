"""A fixture and a hook that several tests of the hosts share."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Generator

import pytest

from bench.studies.emulated_transfers.transfer import CannotTransferError
from tests.hosts import c_arithmetic
from tests.hosts.c_arithmetic import Load


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """The functions of an arithmetic header, compiled once for user space."""

    @functools.cache
    def load(header: str) -> ctypes.CDLL:
        return c_arithmetic.load(header, tmp_path_factory.mktemp(header.removesuffix(".h")))

    return load


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """A transfer that this machine cannot have is no failure, and is said."""
    try:
        return (yield)
    except CannotTransferError as error:
        pytest.skip(f"{error}: NOT tested")
