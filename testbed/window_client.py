"""``python -m testbed.window_client SOCKET HOST``: the program in a window of tmux. It passes lines on, and shows the output."""

from __future__ import annotations

import socket
import sys
import threading

from engine.execute.host_windows import INTERRUPT

CHUNK_BYTES = 4096


def main(place: str, host: str) -> int:
    """Pass lines on until standard input ends, or the prompt does.

    Args:
        place: the prompt's socket.
        host: whose window it is.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as prompt:
        prompt.connect(place)
        prompt.sendall(f"{host}\n".encode())
        threading.Thread(target=_show, args=(prompt,), daemon=True).start()
        while True:
            try:
                line = sys.stdin.readline()
            except KeyboardInterrupt:
                line = f"{INTERRUPT}\n"
            if not line:
                return 0
            try:
                prompt.sendall(line.encode())
            except OSError:
                return 0


def _show(prompt: socket.socket) -> None:
    while said := prompt.recv(CHUNK_BYTES):
        sys.stdout.buffer.write(said)
        sys.stdout.flush()


if __name__ == "__main__":
    import argparse

    from common.command_end import end_with

    parser = argparse.ArgumentParser(prog="python -m testbed.window_client", description=__doc__)
    parser.add_argument("socket", help="the prompt's")
    parser.add_argument("host", help="whose window it is")

    def _run() -> int:
        given = parser.parse_args()
        return main(given.socket, given.host)

    end_with(_run)
