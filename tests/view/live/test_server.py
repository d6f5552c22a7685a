"""The server: the clients that it answers, its answers, and its behaviour when something is wrong."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from common.errors import EXIT_CANNOT_RUN, UserError
from tests.harness.waiting import LIMIT_S, wait_for
from tests.view.live.page_server import said, serving
from tests.view.recording.synthetic_run import SyntheticRun, dumbbell
from view.live.address import Address

LINES = 2
"""The lines of a message for people: the mistake, and its remedy."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SyntheticRun:
    return SyntheticRun(tmp_path_factory.mktemp("runs") / "run", dumbbell()).whole()


def test_a_finished_run_is_served_whole(run: SyntheticRun) -> None:
    with serving("replay", run.folder) as server:
        status, page, headers = server.answer("/")
        assert status == 200
        assert '<script type="importmap">' in page
        assert "script-src 'self' 'sha256-" in headers["Content-Security-Policy"]
        assert server.answer("/page/main.js")[0] == 200
        assert "uPlot" in server.answer("/page/uPlot.js")[1]
        messages = server.messages()
    assert [messages[0]["t"], messages[1]["t"], messages[-2]["t"], messages[-1]["t"]] == ["header", "begin", "result", "end"]
    assert [node["name"] for node in messages[0]["networks"][0]["nodes"] if node["is_switch"]] == ["s1", "s2"]


def test_it_only_reads(run: SyntheticRun) -> None:
    with serving("replay", run.folder) as server:
        assert [server.answer("/", method)[0] for method in ("POST", "PUT", "DELETE")] == [405, 405, 405]
        assert server.answer("/page/../server.py")[0] == 404
        assert server.answer("/page/%2e%2e%2fserver.py")[0] == 404
        assert server.answer("/", headers={"Host": "elsewhere.example"})[0] == 403


def test_another_address_needs_the_token(run: SyntheticRun) -> None:
    with serving("replay", run.folder, "--listen", "0.0.0.0") as server:
        where = urlsplit(server.url)
        assert where.query.startswith("token=")
        server.url = where._replace(netloc=f"127.0.0.1:{where.port}").geturl()
        assert server.answer("/", with_query=False)[0] == 403
        assert server.answer("/messages", with_query=False)[0] == 403
        status, _, headers = server.answer("/")
        assert status == 200
        cookie = headers["Set-Cookie"].split(";")[0]
        assert server.answer("/page/main.js", headers={"Cookie": cookie}, with_query=False)[0] == 200
        assert cookie.startswith(f"nodectl-live-{urlsplit(server.url).port}="), "another page of this host has another one"


def test_a_browser_that_goes_away_is_no_trouble(run: SyntheticRun, tmp_path: Path) -> None:
    growing = SyntheticRun(tmp_path / "growing", dumbbell())
    cell = growing.cells[0]
    growing.begin(cell)
    growing.grow(cell, 0.5)
    with serving("live", growing.folder) as server:
        where = urlsplit(server.url)
        for _ in range(3):
            connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=LIMIT_S)
            connection.request("GET", "/messages")
            assert connection.getresponse().readline().startswith(b"data: ")
            connection.sock and connection.sock.close()
            connection.close()
        growing.grow(cell, 6)
        growing.finish(cell)
        assert server.messages()[-1]["t"] == "end"
        assert server.process.poll() is None


def test_what_comes_late_is_waited_for(tmp_path: Path) -> None:
    with serving("live", tmp_path / "run") as server:
        SyntheticRun(tmp_path / "run", dumbbell()).whole()
        assert server.messages()[0]["t"] == "header"


def test_a_damaged_description_is_said_on_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text("{")
    with serving("live", folder) as server:
        where = urlsplit(server.url)
        connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=LIMIT_S)
        connection.request("GET", "/messages")
        assert b"is damaged" in connection.getresponse().readline()
        connection.close()


def test_the_end_of_a_run_reaches_browsers(tmp_path: Path) -> None:
    run = SyntheticRun(tmp_path / "run", dumbbell())
    run.begin(run.cells[0])
    with serving("live", run.folder) as server:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port, timeout=LIMIT_S)
        connection.request("GET", "/messages")
        stream = connection.getresponse()
        assert stream.readline().startswith(b"data: ")
        run.grow(run.cells[0], 3)
        server.process.terminate()
        lines = [line for line in stream.read().splitlines() if line]
        connection.close()
    assert lines[-1] == b'data: {"t":"end"}'
    assert any(b'"ports"' in line for line in lines)


def test_a_taken_port_is_one_line(run: SyntheticRun) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, words = said(["replay", run.folder, "--listen", f":{port}"])
    assert code == EXIT_CANNOT_RUN
    assert f"the live page cannot listen on 127.0.0.1:{port}: address already in use" in words
    assert len(words.splitlines()) == LINES


def test_the_usual_port_may_be_taken(run: SyntheticRun) -> None:
    with serving("replay", run.folder) as first, serving("replay", run.folder) as second:
        assert first.url != second.url
        assert second.answer("/")[0] == 200


@pytest.mark.parametrize("words", [("replay",), ("export",)])
def test_no_run_is_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    code, told = said([*words, tmp_path])
    assert code == EXIT_CANNOT_RUN
    assert "is no run's folder" in told
    assert len(told.splitlines()) == LINES


def test_a_page_that_cannot_be_served_does_not_stop_the_run(run: SyntheticRun) -> None:
    from testbed.page_beside import page_beside

    lines: list[str] = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with page_beside(run.folder, ["--listen", f":{taken.getsockname()[1]}"], lines.append):
            lines.append("measured")
    assert "cannot listen" in lines[0]
    assert lines[1:] == ["measured"]


def test_the_page_ends_with_the_run(run: SyntheticRun) -> None:
    from testbed.page_beside import page_beside

    lines: list[str] = []
    with page_beside(run.folder, [], lines.append):
        port = urlsplit(lines[0].split()[-1]).port
        assert port is not None
        with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S):
            pass

    def is_gone() -> bool:
        with socket.socket() as again:
            return again.connect_ex(("127.0.0.1", port)) != 0

    wait_for("the server's end", is_gone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":8080", Address("127.0.0.1", 8080)),
        ("localhost:8080", Address("127.0.0.1", 8080)),
        ("0.0.0.0", Address("0.0.0.0", 0)),
        ("192.168.1.5:99", Address("192.168.1.5", 99)),
        ("::1", Address("::1", 0)),
        ("[::1]:99", Address("::1", 99)),
    ],
)
def test_addresses(text: str, expected: Address) -> None:
    assert Address.parse(text) == expected
    assert bool(expected.token()) == (expected.host in ("0.0.0.0", "192.168.1.5"))


@pytest.mark.parametrize("text", ["nowhere.example", "1.2.3", ":0", ":99999", ":x", "[::1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UserError, match="not an address"):
        Address.parse(text)
