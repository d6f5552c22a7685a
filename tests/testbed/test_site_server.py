"""`testbed docs`: the built site, served; and the wheel's part of it."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest

from common.errors import UserError
from testbed.packaging.tree import site_files
from testbed.site_server import SiteServer
from tests.harness.waiting import LIMIT_S


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>Handbook</title>", encoding="utf-8")
    (tmp_path / "assets" / "search.js").write_text("let a;", encoding="utf-8")
    (tmp_path / "assets" / "search.js.map").write_text("{}", encoding="utf-8")
    return tmp_path


def test_it_is_served(site: Path) -> None:
    with SiteServer(site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with urlopen(server.url, timeout=LIMIT_S) as answer:
            assert b"Handbook" in answer.read()
        server.shutdown()


def test_a_taken_port_is_an_error_if_it_was_named(site: Path) -> None:
    with SiteServer(site) as first, SiteServer(site) as second:
        assert first.url != second.url
        with pytest.raises(UserError, match="cannot listen on"):
            SiteServer(site, first.server_address[1])


def test_a_site_that_is_not_built_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the site is not built"):
        SiteServer(tmp_path)


def test_the_wheel_brings_it_without_maps(site: Path) -> None:
    assert [place for place, _ in site_files(site)] == ["build/docs/assets/search.js", "build/docs/index.html"]


def test_a_wheel_without_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(site_files(tmp_path))
