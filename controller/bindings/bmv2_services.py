"""The Thrift services of ``simple_switch`` as Python has them: of our description of them, by thriftpy2."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import thriftpy2
from thriftpy2.thrift import TClient

DESCRIPTIONS = Path(__file__).resolve().parents[2] / "switch" / "crates" / "bmv2-thrift" / "thrift"


def types_of(service: str) -> dict[str, Any]:
    """The structures, enumerations and exceptions of a service, by their names.

    Args:
        service: the name by which it is asked, ``standard`` for example.
    """
    described = vars(_description(service))
    return {name: value for name, value in described.items() if not name.startswith("_") and not hasattr(value, "thrift_services")}


def client_of(service: str, name: str) -> type[Any]:
    """The class of a service's clients, which are made of a protocol.

    Args:
        service: the name by which it is asked.
        name: the one that its description has.
    """
    described = vars(_description(service))[name]

    class Client(TClient):  # type: ignore[misc] # thriftpy2 has no types
        """Each call is a method."""

        def __init__(self, protocol: Any) -> None:
            super().__init__(described, protocol)

    return Client


def _description(service: str) -> ModuleType:
    module: ModuleType = thriftpy2.load(str(DESCRIPTIONS / f"{service}.thrift"), module_name=f"bmv2_{service}_thrift")
    return module
