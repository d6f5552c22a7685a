"""Every congestion control at once and in quick succession: nothing is left behind, the kernel warns of nothing. Root only.

NODECTL_SOAK_S=3600 makes the churn an hour long; 3 s otherwise.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from emulated_path import skip_without_namespaces
from transfer import ROOT

from hosts.cca import loader, sources
from hosts.cca.libbpf import Libbpf, explain_missing_support

CHURN_S = float(os.environ.get("NODECTL_SOAK_S", "3"))
PER_SECOND = 20
CONNECTIONS = 100
GONE_S = 15.0
WARNING = re.compile(r"WARNING:|BUG:|Oops|RIP:|refcount_t|KASAN|leaked|struct_ops.*(fail|error)", re.IGNORECASE)


@contextmanager
def namespace() -> Iterator[str]:
    name = f"nodectl-soak-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)


def bpf_maps() -> Counter[str]:
    """Maps in the kernel, by name and type: struct_ops tables, the coupled schemes' hash, read-only data, socket storage."""
    return Libbpf().map_names()


def kernel_log() -> list[str]:
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout.splitlines()


def test_mixed_schemes_and_churn_leave_nothing_behind(tmp_path: Path) -> None:
    skip_without_namespaces()
    if explain_missing_support():
        pytest.skip(f"{explain_missing_support()}: many connections are NOT tested")
    names_before, maps_before, log_before = set(loader.usable_names()), bpf_maps(), kernel_log()
    schemes = [scheme.name for scheme in sources.find([])]
    record = tmp_path / "record.json"
    added = loader.register(schemes, record_file=record)
    maps_loaded = bpf_maps()
    try:
        with namespace() as name:
            words = [str(CONNECTIONS), "2", str(PER_SECOND), str(CHURN_S), *schemes, "reno", "cubic", "bbr"]
            result = subprocess.run(
                ["ip", "netns", "exec", name, sys.executable, "tests/hosts/soak.py", *words],
                cwd=ROOT, capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert result.returncode == 0, result.stderr
        done = json.loads(result.stdout)
        assert all(sent > 100_000 for sent in done["sent"].values()), done
        assert done["connects"] > 0.5 * PER_SECOND * CHURN_S
        # Maps of programs that earlier tests took out may still be on their way: only what has come counts.
        assert not bpf_maps() - maps_loaded, "maps have come while they ran"
    finally:
        removed = loader.unregister(added, record_file=record)
    assert {entry.name for entry in removed} == set(added)
    deadline = time.monotonic() + GONE_S
    while bpf_maps() - maps_before and time.monotonic() < deadline:
        time.sleep(0.2)  # the kernel frees a program after a grace period
    assert not bpf_maps() - maps_before, "BPF maps are left"
    assert set(loader.usable_names()) == names_before
    new_lines = kernel_log()[len(log_before) :] if kernel_log()[: len(log_before)] == log_before else kernel_log()
    assert not [line for line in new_lines if WARNING.search(line)]
