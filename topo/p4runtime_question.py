"""The question that a switch with P4Runtime alone is asked: BMv2, which has no management socket."""

from __future__ import annotations

import contextlib
import math
import threading

import grpc
from finsy.proto import p4r, p4r_grpc

from topo.questions import PIECE_S


class P4RuntimeQuestion:
    """P4Runtime's Capabilities, the cheapest call there is: for BMv2, which has no management socket."""

    interval_s = 2.0

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._stub = p4r_grpc.P4RuntimeStub(self._channel)

    def is_answered(self, within_s: float, closing: threading.Event) -> bool:
        """Ask; whether an answer came in time. A refusal is an answer."""
        call = None
        for _ in range(math.ceil(within_s / PIECE_S)):
            call = call or self._stub.Capabilities.future(p4r.CapabilitiesRequest(), wait_for_ready=True)
            try:
                call.result(timeout=PIECE_S)
            except grpc.FutureTimeoutError:
                if closing.is_set():
                    break
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    return True
                call = None
                closing.wait(PIECE_S)
            else:
                return True
        if call is not None:
            call.cancel()
        return False

    def close(self) -> None:
        """Close the channel."""
        with contextlib.suppress(Exception):
            self._channel.close()
