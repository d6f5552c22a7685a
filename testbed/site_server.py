"""The built site of docs/, served on this machine: ``build/docs`` of a checkout, or the one that the wheel brings."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from common.errors import UserError
from common.installation import BROUGHT, how

SITE = BROUGHT / "docs"
LOOPBACK = "127.0.0.1"
USUAL_PORT = 8000


class SiteServer(ThreadingHTTPServer):
    """Serves a folder of finished pages to this machine's users.

    Args:
        folder: of the built site.
        port: 0: the usual one, or a free one if that is taken.

    Raises:
        UserError: the site is not built, or the port is taken.
    """

    daemon_threads = True

    def __init__(self, folder: Path = SITE, port: int = 0) -> None:
        if not (folder / "index.html").is_file():
            raise UserError(f"{folder}: the site is not built", how("make docs", "install a wheel that brings it"))
        ports = [port] if port else [USUAL_PORT, 0]
        for one in ports:
            try:
                super().__init__((LOOPBACK, one), partial(_Quiet, directory=str(folder)))
            except OSError as error:
                if one == ports[-1]:
                    raise UserError(
                        f"cannot listen on {LOOPBACK}:{one}: {(error.strerror or str(error)).lower()}", "--port names another port"
                    ) from None
            else:
                return

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class calls it
        """Say nothing of requests."""
