"""The modules of all schemes in a booted user-mode kernel: loaded together, chosen, and a transfer with each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hosts.cca.module_registry import FOLDER_VARIABLE
from hosts.cca.modules import CACHE_FOLDER, build, place
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme, socket_name
from hosts.cca.sources import SOURCE_FOLDER, available
from tests.hosts import modules_inside
from tests.hosts.kernel_for_modules import kernel_tree
from virtual_time.boot import WITHOUT_RSEQ

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = ("qtcolfair(alpha=1.2)", "qtcolfair(alpha=1.5)")
BOOT_LIMIT_S = 120
Results = list[dict[str, Any]]


@pytest.fixture(scope="module")
def files() -> dict[Scheme, Path]:
    """The modules of all schemes."""
    return build(parse_all([*available(), *VARIANTS]), kernel_tree(), CACHE_FOLDER)


@pytest.mark.timeout(1200)  # all of them are compiled, where none has been before
def test_all_are_built(files: dict[Scheme, Path]) -> None:
    assert len({path.name for path in files.values()}) == len(available()) + len(VARIANTS)
    for path in files.values():
        assert path.read_bytes().startswith(b"\x7fELF")
        assert str(SOURCE_FOLDER).encode() not in path.read_bytes()


@pytest.fixture(scope="module")
def results(files: dict[Scheme, Path], tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results that modules_inside.py printed."""
    tree = kernel_tree()
    folder = tmp_path_factory.mktemp("modules")
    texts = [*available(), *VARIANTS]
    place(files, folder)
    first = folder / "init"
    words = " ".join(f"'{text}'" for text in texts)
    first.write_text(
        "#!/bin/sh\n"
        f"export PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='{ROOT}' {FOLDER_VARIABLE}='{folder}'\n"
        f"cd '{ROOT}' && exec '{sys.executable}' -m {modules_inside.__name__} {words}\n"
    )
    first.chmod(0o755)
    command = [
        str(tree.kernel), "mem=512M", "rootfstype=hostfs", "rootflags=/", "ro", f"init={first}", "time-travel=inf-cpu",
        "time-travel-start=1000000000000000000", "norandmaps", "con=null", "con0=null,fd:1", "quiet",
    ]  # fmt: skip
    processor = max(os.sched_getaffinity(0))
    booted = subprocess.run(
        ["taskset", "-c", str(processor), *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        timeout=BOOT_LIMIT_S, check=False, env=os.environ | WITHOUT_RSEQ,
    )  # fmt: skip
    found = [json.loads(line.split(modules_inside.MARK, 1)[1]) for line in booted.stdout.splitlines() if modules_inside.MARK in line]
    assert found, booted.stdout
    assert found[-1] == {"done": True}, booted.stdout
    return found


def said(results: Results, key: str) -> dict[str, Any]:
    (entry,) = [entry for entry in results if key in entry]
    return entry


def test_all_are_registered_together(results: Results) -> None:
    texts = [*available(), *VARIANTS]
    assert said(results, "before")["before"] == []
    assert said(results, "added") == {"added": texts, "again": []}
    usable = said(results, "usable")
    assert set(texts) <= set(usable["usable"])
    assert usable["origins"] == {**dict.fromkeys(texts, "module"), "cubic": "kernel"}
    assert "vegas(alpha=7) was not built for this kernel" in said(results, "refused")["refused"]


@pytest.mark.parametrize("text", [*available(), *VARIANTS])
def test_a_transfer(results: Results, text: str) -> None:
    (seen,) = [entry for entry in results if entry.get("transfer") == text]
    assert seen["chosen"] == text
    assert seen["kernel_name"] == socket_name(parse_scheme(text))
    assert seen["bytes"] == modules_inside.TRANSFER_BYTES
    if text == "nodectl":
        rate_bps = modules_inside.TRANSFER_BYTES * 8 / seen["seconds"]
        assert rate_bps == pytest.approx(modules_inside.NODECTL_BPS, rel=0.05)


@pytest.mark.parametrize("text", modules_inside.MULTIPATH)
def test_a_transfer_over_mptcp(results: Results, text: str) -> None:
    (seen,) = [entry for entry in results if entry.get("multipath") == text]
    assert seen["chosen"] == text
    assert seen["bytes"] == modules_inside.TRANSFER_BYTES


def test_they_are_taken_out_again(results: Results) -> None:
    first, *others = [*available(), *VARIANTS]
    assert said(results, "in_use") == {"in_use": True, "stays": True}
    assert set(said(results, "removed")["removed"]) == {first, *others}
    assert said(results, "removed")["left"] == []
