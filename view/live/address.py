"""Where the page is served: this machine alone, unless somebody asks for more, and then with a token."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from ipaddress import ip_address

from common.errors import UserError

LOOPBACK = "127.0.0.1"
USUAL_PORT = 8765
TOKEN_BYTES = 16


@dataclass(frozen=True)
class Address:
    """Where to listen.

    Args:
        host: an IP address.
        port: 0: the usual one, or any that is free.
    """

    host: str = LOOPBACK
    port: int = 0

    @classmethod
    def parse(cls, text: str) -> Address:
        """``ADDRESS``, ``:PORT`` or ``ADDRESS:PORT``; IPv6 addresses with a port in brackets.

        Raises:
            UserError: it is none of these.
        """
        host, port = text, ""
        if text.startswith("["):
            host, bracket, port = text[1:].partition("]")
            port = port.removeprefix(":")
            host = host if bracket else text
        elif text.count(":") == 1:
            host, _, port = text.partition(":")
        host = LOOPBACK if host in ("", "localhost") else host
        try:
            ip_address(host)
        except ValueError:
            raise _no_address(text) from None
        if port and not (port.isdecimal() and 0 < int(port) < 2**16):
            raise _no_address(text)
        return cls(host, int(port or 0))

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine's users can reach it."""
        return ip_address(self.host).is_loopback

    def token(self) -> str:
        """A new secret that has to be in the page's address; empty where it is for this machine alone."""
        return "" if self.is_loopback else secrets.token_urlsafe(TOKEN_BYTES)

    def listen(self) -> socket.socket:
        """A listening socket.

        Raises:
            UserError: the port is taken, or this machine has no such address.
        """
        ports = [self.port] if self.port else [USUAL_PORT, 0]
        for port in ports:
            listening = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((self.host, port))
                listening.listen()
            except OSError as error:
                listening.close()
                if port == ports[-1]:
                    raise UserError(
                        f"the live page cannot listen on {self.host}:{port}: {(error.strerror or str(error)).lower()}",
                        "LISTEN=:PORT names another port",
                    ) from None
            else:
                return listening
        raise AssertionError


def url_of(listening: socket.socket, token: str) -> str:
    """The address to open in a browser."""
    host, port = listening.getsockname()[:2]
    host = socket.gethostname() if ip_address(host).is_unspecified else f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/{f'?token={token}' if token else ''}"


def _no_address(text: str) -> UserError:
    return UserError(f"LISTEN={text}: not an address", "such as :8080, 0.0.0.0 or 192.168.1.5:8080")
