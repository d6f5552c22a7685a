"""A program's view inside: nothing that differs from machine to machine, from user to user, or from day to day."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.virtual_time.inside import needs_virtual_time
from virtual_time.init import MOST_FILES
from virtual_time.job import Job, Outside
from virtual_time.session import Session

pytestmark = [needs_virtual_time, pytest.mark.timeout(120)]

LOOK = r"""
import ctypes, json, os, resource, subprocess, warnings
from pathlib import Path
warnings.simplefilter("error")
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_ulong
platform = ctypes.string_at(libc.getauxval(15)).decode()
loader = subprocess.run(["/lib64/ld-linux-x86-64.so.2", "--list-diagnostics"], capture_output=True, text=True, check=True).stdout
first = Path("/proc/1/environ").read_text().split("\0")
print(json.dumps({
    "numpy": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
    "loader": [line for line in loader.splitlines() if line.startswith("dl_")],  # others tell which processor it was
    "first": first,
    "environment": dict(os.environ),
    "files": {name: Path(name).read_text() for name in ("/proc/cpuinfo", "/proc/cmdline", "/proc/version", "/job/note")},
    "note": [getattr(os.stat("/job/note"), name) for name in ("st_uid", "st_gid", "st_mode", "st_mtime", "st_ino")],
    "limits": [resource.getrlimit(getattr(resource, name)) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")],
    "rest": [os.cpu_count(), os.uname(), os.getcwd(), os.umask(0), os.getuid(), os.getgroups(), sorted(os.listdir("/")), platform],
    "mounts": Path("/proc/mounts").read_text(),
}))
"""


def seen(session: Session) -> dict[str, object]:
    text: list[str] = []
    assert session.run(Job(["python3", "-c", LOOK], seed=1, files={"note": b"hello\n"}), Outside(on_text=text.append)) == 0, text
    found: dict[str, object] = json.loads(text[-1])
    return found


@pytest.fixture(scope="module")
def session() -> Session:
    return Session.prepare()


@pytest.fixture(scope="module")
def look(session: Session) -> dict[str, object]:
    return seen(session)


def test_libraries_take_the_variants_that_every_processor_has(look: dict[str, object]) -> None:
    assert look["numpy"] == []
    loader = look["loader"]
    assert isinstance(loader, list)
    assert "dl_hwcaps_subdirs_active=0x0" in loader, "no folders of libraries for better processors are looked into"


def test_the_first_process_takes_them_too(look: dict[str, object]) -> None:
    environment, first = look["environment"], look["first"]
    assert isinstance(environment, dict)
    assert isinstance(first, list)
    assert f"GLIBC_TUNABLES={environment['GLIBC_TUNABLES']}" in first


def test_nothing_tells_of_this_machine(look: dict[str, object]) -> None:
    host = os.uname()
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    told = json.dumps({name: value for name, value in look.items() if name != "loader"})
    for word in (host.nodename, host.release, str(Path(__file__).parents[2]), *([model[1]] if model else [])):
        assert word not in told or word == "localhost"


def test_a_process_may_have_the_sockets_of_a_thousand_hosts(look: dict[str, object]) -> None:
    assert [1024, MOST_FILES] in look["limits"]  # type: ignore[operator]


def test_it_looks_the_same_to_another_process_in_other_surroundings(
    session: Session, look: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longer = tmp_path / ("long" * 30)
    longer.mkdir()
    monkeypatch.setenv("TMPDIR", str(longer))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    old = os.umask(0o077)
    try:
        assert seen(session) == look
    finally:
        os.umask(old)
