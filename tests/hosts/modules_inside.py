"""Runs inside a user-mode kernel, as its first process: every scheme is loaded, chosen, carries a transfer, and is taken out again.

Prints one line of JSON for each thing that was done; tests/hosts/test_cca_modules_live.py boots the kernel and reads them.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
import time
import traceback

from common.errors import UserError
from hosts import pacing
from hosts.cca import loader
from hosts.cca.scheme_names import parse_scheme, socket_name
from hosts.cca.subflow_rates import UNLIMITED_BYTES_PER_S, Ends, SubflowRates
from hosts.connection import IPPROTO_MPTCP, congestion_control, set_congestion_control
from tests.hosts.coupled_schemes import COUPLED

MARK = "result: "
TRANSFER_BYTES = 4_000_000
NODECTL_BPS = 40_000_000
POWER_OFF = 0x4321FEDC
SERVER, CLIENT, SECOND_CLIENT = "10.9.0.1", "10.9.0.2", "10.9.0.3"
MOUNTS = (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"))
MULTIPATH = (*COUPLED, "nodectl")


def say(**what: object) -> None:
    """One result."""
    print(MARK + json.dumps(what), flush=True)


def main() -> None:
    """Does everything, says what came out, and switches the machine off."""
    try:
        for kind, path in MOUNTS:
            subprocess.run(["mount", "-t", kind, kind, path], check=True)
        subprocess.run(["ip", "link", "set", "lo", "up", "mtu", "1500"], check=True)
        for address in (SERVER, CLIENT, SECOND_CLIENT):
            subprocess.run(["ip", "address", "add", f"{address}/24", "dev", "lo"], check=True)
        subprocess.run(["ip", "mptcp", "limits", "set", "subflow", "2", "add_addr_accepted", "2"], check=True)
        subprocess.run(["ip", "mptcp", "endpoint", "add", SECOND_CLIENT, "dev", "lo", "subflow"], check=True)
        check(sys.argv[1:])
        say(done=True)
    except BaseException:
        say(error=traceback.format_exc())
    finally:
        os.sync()
        ctypes.CDLL(None).reboot(POWER_OFF)


def check(texts: list[str]) -> None:
    """Everything at once is registered; then a transfer with each."""
    say(before=[text for text in texts if loader.can_be_chosen(parse_scheme(text))])
    try:
        loader.register(["vegas(alpha=7)"])
    except UserError as error:
        say(refused=str(error))
    say(added=loader.register(texts), again=loader.register(texts))
    say(usable=loader.usable_names(), origins={text: loader.origin_of(text) for text in (*texts, "cubic")})
    for text in texts:
        say(transfer=text, **transfer(text))
        if parse_scheme(text).name in MULTIPATH:
            say(multipath=text, **transfer(text, is_multipath=True))
    with socket.socket() as connection:
        set_congestion_control(connection, texts[0])
        (removed,) = loader.unregister([texts[0]])
        say(in_use=removed.in_use, stays=removed.stays)
    say(removed=[entry.name for entry in loader.unregister()], left=[t for t in texts if loader.can_be_chosen(parse_scheme(t))])


def transfer(text: str, *, is_multipath: bool = False) -> dict[str, object]:
    """Sends ``TRANSFER_BYTES`` to ourselves; returns what was seen of the connection."""
    received = bytearray()
    kind = IPPROTO_MPTCP if is_multipath else 0
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((SERVER, 0))
        listener.listen()
        reading = threading.Thread(target=_read, args=(listener, received))
        reading.start()
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, kind) as connection:
            set_congestion_control(connection, text)
            if text == "nodectl" and not is_multipath:
                pacing.set_max_pacing_rate(connection, NODECTL_BPS // 8)
            connection.bind((CLIENT, 0))
            rates = SubflowRates() if text == "nodectl" and is_multipath else None
            if rates is not None:
                ends = Ends(CLIENT, connection.getsockname()[1], *listener.getsockname())
                rates.put(ends, UNLIMITED_BYTES_PER_S)
            connection.connect(listener.getsockname())
            begin_ns = _clock_ns()
            connection.sendall(bytes(TRANSFER_BYTES))
            connection.shutdown(socket.SHUT_WR)
            chosen = congestion_control(connection)
            reading.join()
            taken_s = (_clock_ns() - begin_ns) / 1e9
            if rates is not None:
                rates.drop(ends)
                rates.drop(ends)
                rates.close()
    return {"chosen": chosen, "bytes": len(received), "seconds": taken_s, "kernel_name": socket_name(parse_scheme(text))}


def _clock_ns() -> int:
    return time.monotonic_ns()


def _read(listener: socket.socket, received: bytearray) -> None:
    connection, _ = listener.accept()
    with connection:
        while part := connection.recv(1 << 16):
            received.extend(part)


if __name__ == "__main__":
    main()
