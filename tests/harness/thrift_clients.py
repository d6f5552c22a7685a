"""Clients of a switch's Thrift services, made of our description of them (switch/crates/bmv2-thrift/thrift)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import thriftpy2
from thriftpy2.protocol import TBinaryProtocolFactory, TMultiplexedProtocolFactory
from thriftpy2.rpc import make_client

FOLDER = Path(__file__).resolve().parents[2] / "switch" / "crates" / "bmv2-thrift" / "thrift"
SERVICES = {"standard": "Standard", "simple_pre_lag": "SimplePreLAG", "simple_switch": "SimpleSwitch"}
"""The name by which each is asked, and the description's."""

ANSWER_MS = 10_000


def description(service: str) -> ModuleType:
    """The structures and exceptions of a service.

    Args:
        service: the name by which it is asked.
    """
    module: ModuleType = thriftpy2.load(str(FOLDER / f"{service}.thrift"), module_name=f"{service}_thrift")
    return module


def client(service: str, port: int) -> Any:
    """A connected client of a service.

    Args:
        service: the name by which it is asked.
        port: of the switch, on this machine.
    """
    factory = TMultiplexedProtocolFactory(TBinaryProtocolFactory(), service)
    return make_client(getattr(description(service), SERVICES[service]), "127.0.0.1", port, proto_factory=factory, timeout=ANSWER_MS)
