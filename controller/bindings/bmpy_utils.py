"""Connections to a switch's Thrift services, as BMv2's clients and p4-utils call them; BMv2 installs a module of this name."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from thriftpy2.protocol import TBinaryProtocolFactory, TMultiplexedProtocolFactory
from thriftpy2.transport import TBufferedTransportFactory, TSocket, TTransportException


def thrift_connect(thrift_ip: str, thrift_port: int, services: Sequence[tuple[str | None, Any]], out: TextIO | None = None) -> list[Any]:
    """A client of each service, all over one connection. Without a switch, the program ends with a message, as with BMv2's.

    Args:
        thrift_ip, thrift_port: of the switch.
        services: their names and classes of clients; without a name there is no client.
        out: for the message.
    """
    transport = TBufferedTransportFactory().get_transport(TSocket(thrift_ip, int(thrift_port)))
    try:
        transport.open()
    except TTransportException:
        print(
            f"no switch answers at {thrift_ip}, port {thrift_port}: is it running, and is this its --thrift-port?", file=out or sys.stdout
        )
        sys.exit(1)
    binary = TBinaryProtocolFactory()
    return [name and of(TMultiplexedProtocolFactory(binary, name).get_protocol(transport)) for name, of in services]


def thrift_connect_standard(thrift_ip: str, thrift_port: int, out: TextIO | None = None) -> Any:
    """A client of the service ``standard``."""
    from bm_runtime.standard import Standard

    return thrift_connect(thrift_ip, thrift_port, [("standard", Standard.Client)], out)[0]


def check_JSON_md5(client: Any, json_src: str, out: TextIO | None = None) -> None:  # noqa: N802 - BMv2's name
    """Warn if the switch runs another program than a file has.

    Args:
        client: of the service ``standard``.
        json_src: the file.
        out: for the message.
    """
    theirs, ours = client.bm_get_config_md5(), hashlib.md5(Path(json_src).read_bytes()).digest()
    if theirs != ours:
        print(f"the switch runs another program than {json_src}: MD5 {theirs.hex()}, not {ours.hex()}", file=out or sys.stdout)


def get_json_config(standard_client: Any = None, json_path: str | None = None, out: TextIO | None = None) -> str:
    """A program's JSON, of a file if one is named, else of the switch.

    Args:
        standard_client: of the service ``standard``.
        json_path: the file.
        out: for messages.
    """
    if json_path is None:
        text: str = standard_client.bm_get_config()
        return text
    if standard_client is not None:
        check_JSON_md5(standard_client, json_path, out)
    return Path(json_path).read_text(encoding="utf-8")
