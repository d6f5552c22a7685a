"""The server of the live page: it reads a run's folder and shows it to browsers. Nothing can be changed through it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web

from common.errors import UserError
from view.live.address import Address, url_of
from view.live.export import exported
from view.live.feed import Feed
from view.live.page_files import TYPES, files, served_index

QUIET_S = 10.0
"""Without news, browsers get a comment so often, by which it is noticed that one has gone."""

SHUTDOWN_S = 1.0
LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LiveServer:
    """Serves one run.

    Args:
        folder: of the run.
        address: where to listen.
        waits: the run's description may come later; else it has to be there.
    """

    def __init__(self, folder: Path, address: Address, *, waits: bool) -> None:
        self._folder, self._address, self._waits = folder, address, waits
        self._token = address.token()
        self._index, self._script_checksum = served_index()

    def run(self, announce: Callable[[str], None]) -> None:
        """Serve until SIGTERM or SIGINT, also when the run is over.

        Args:
            announce: told the page's address once it can be opened.

        Raises:
            UserError: it is no run's folder, or the address cannot be had.
        """
        asyncio.run(self._serve(announce))

    async def _serve(self, announce: Callable[[str], None]) -> None:
        self._feed = Feed(self._folder)
        if not self._waits:
            self._feed.open()
        listening = self._address.listen()
        runner = web.AppRunner(self.application(), access_log=None, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        await web.SockSite(runner, listening).start()
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        announce(url_of(listening, self._token))
        following = asyncio.create_task(self._feed.follow())
        await stop.wait()
        self._feed.stop()
        await following
        if self._waits:  # the run has ended: its last data is shown too
            await self._feed.finish()
            await asyncio.sleep(0)  # browsers get it
        await runner.cleanup()

    def application(self) -> web.Application:
        """The routes."""
        application = web.Application(middlewares=[self._guard])
        application.router.add_get("/", self._page)
        application.router.add_get("/page/{name}", self._file)
        application.router.add_get("/messages", self._messages)
        application.router.add_get("/run.html", self._export)
        return application

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method not in ("GET", "HEAD"):
            raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD"])
        if not self._token:
            # Another site's page must not read this one under a name of its own (DNS rebinding).
            if (request.url.host or "") not in (*LOCAL_NAMES, self._address.host):
                raise web.HTTPForbidden(text="this page is for this machine alone\n")
            return await handler(request)
        given = request.query.get("token") or request.cookies.get(_cookie(request), "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            raise web.HTTPForbidden(text="the address of this page ends in ?token=…, as the run has printed it\n")
        return await handler(request)

    async def _page(self, request: web.Request) -> web.Response:
        response = web.Response(text=self._index, content_type="text/html")
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src 'self' 'sha256-{self._script_checksum}'; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        if self._token:
            response.set_cookie(_cookie(request), self._token, httponly=True, samesite="Strict")
        return response

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        content = files().get(name)
        if content is None:
            raise web.HTTPNotFound
        response = web.Response(body=content, content_type=TYPES[Path(name).suffix], charset="utf-8")
        response.headers["Cache-Control"] = "no-cache"
        return response

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        with contextlib.suppress(ConnectionError):  # the browser may go at any moment
            await response.prepare(request)
            pieces = aiter(self._feed.messages())
            piece = asyncio.ensure_future(anext(pieces, None))
            try:
                while True:
                    done, _ = await asyncio.wait([piece], timeout=QUIET_S)
                    if not done:
                        await response.write(b": still there\n\n")
                        continue
                    found = piece.result()
                    if found is None:
                        break
                    await response.write("".join(f"data: {message}\n\n" for message in found).encode())
                    piece = asyncio.ensure_future(anext(pieces, None))
            finally:
                piece.cancel()
        return response

    async def _export(self, _request: web.Request) -> web.Response:
        try:
            text = await asyncio.to_thread(exported, self._folder)
        except UserError as error:
            raise web.HTTPConflict(text=f"{error.what}\n") from None
        response = web.Response(text=text, content_type="text/html")
        response.headers["Content-Disposition"] = f'attachment; filename="{self._folder.resolve().name}.html"'
        return response


def _cookie(request: web.Request) -> str:
    """A name for each server of a host: browsers send a host's cookies to all its ports."""
    return f"nodectl-live-{request.url.port}"
