"""Ordinary programs on the testbed: web servers and curl, with the host service and without. The whole path, for a few seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.collect.record import CellRecord
from tests.end_to_end.conftest import measured
from tests.harness.long_tests import only_long
from tests.harness.precision import assert_on_time

pytestmark = [
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed (apt-get install curl): it is NOT tested"),
    pytest.mark.usefixtures("nothing_left_behind"),
]

COUNT, SIZE_BYTES, RATE_MBPS, ROUND_TRIP_S = 6, 200_000, 12, 0.024
IDEAL_S = COUNT * SIZE_BYTES * 1514 / 1448 * 8 / (RATE_MBPS * 1e6)
SERVERS = {
    "nginx": '["nginx", "-p", "$folder", "-c", "nginx.conf"]',
    "python3": '["python3", "-m", "http.server", "80", "--bind", "$h1", "--directory", "$folder/www"]',
}
SCENARIO = """
schema = 2
title = "Files, for the tests"

[topology]
kind = "dumbbell"
pairs = 1
access = {{ rate_mbps = 100, delay_ms = 1 }}
bottleneck = {{ rate_mbps = {rate}, delay_ms = 10, queue_packets = 100 }}

[files]
"www/file" = {size}
"nginx.conf" = '''
daemon off;
user root;
pid /tmp/nginx-test.pid;
error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {{ listen 80; root www; }}
}}
'''

[[programs]]
name = "web"
host = "h1"
command = {server}
listens_on = 80

[[programs]]
name = "curl"
host = "h2"
command = ["curl", "--silent", "--show-error", "--fail", "--output", "/dev/null", "http://$h1/file"]
count = {count}

[run]
schemes = ["{scheme}"]
duration_s = 10
attempts = 5
"""


def run(tmp_path: Path, scheme: str, server: str) -> CellRecord:
    if server != "python3" and shutil.which(server, path="/usr/local/bin:/usr/sbin:/usr/bin") is None:
        pytest.skip(f"{server} is not installed: it is NOT tested")
    file = tmp_path / "files.toml"
    file.write_text(SCENARIO.format(rate=RATE_MBPS, size=SIZE_BYTES, server=SERVERS[server], count=COUNT, scheme=scheme))
    (record,) = measured(file, tmp_path / "results")
    assert_on_time(record)
    assert record.values["programs_complete"] == COUNT, record.facts
    return record


def took_s(record: CellRecord) -> list[float]:
    found = [record.values[f"took_s.curl{number}"] for number in range(1, COUNT + 1)]
    return [one for one in found if one is not None]


NEGOTIATED = ("nodectl", "nodectl(variant=deployable)", "nodectl(first_rtt=wait)")
OF_EACH = [("nodectl", "python3"), ("nodectl(variant=deployable)", "nginx")]
RUNS = [pytest.param(scheme, server, marks=() if (scheme, server) in OF_EACH else only_long) for scheme in NEGOTIATED for server in SERVERS]
"""Two variants, and every server, once; all pairs of them if long tests are wanted."""


@pytest.mark.real_time
@pytest.mark.parametrize(("scheme", "server"), RUNS)
def test_nothing_is_lost_and_all_end_together(tmp_path: Path, scheme: str, server: str) -> None:
    record = run(tmp_path, scheme, server)
    assert record.values["queue_drops"] == 0
    times_s = took_s(record)
    assert len(times_s) == COUNT
    assert IDEAL_S < max(times_s) < IDEAL_S + 8 * ROUND_TRIP_S
    assert max(times_s) - min(times_s) < 0.2 * IDEAL_S


@pytest.mark.real_time
def test_the_same_programs_with_a_scheme_of_the_kernel(tmp_path: Path) -> None:
    record = run(tmp_path, "cubic", "nginx")
    assert (record.values["queue_drops"] or 0) > 0
