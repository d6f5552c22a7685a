"""Every congestion control at once and in quick succession: nothing is left behind, the kernel warns of nothing. Root only.

NODECTL_SOAK_S=3600 makes it an hour long; 3 s otherwise. The test looks only for leftovers of the schemes that it has registered itself.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.tools import PROJECT
from hosts.cca import loader, sources
from hosts.cca.libbpf import Libbpf, explain_missing_support
from hosts.cca.scheme_names import parse_scheme, socket_name
from tests.harness.waiting import wait_for
from tests.hosts.coupled_schemes import COUPLED
from tests.hosts.emulated_path import skip_without_namespaces

CHURN_S = float(os.environ.get("NODECTL_SOAK_S", "3"))
PER_SECOND = 20
CONNECTIONS = 100
MPTCP = Path("/proc/sys/net/mptcp/enabled")
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


def renamed_schemes(folder: Path, prefix: str) -> list[str]:
    """Copies every scheme into ``folder`` under a name of its own, so that others may use theirs meanwhile; returns the new names.

    Their programs and maps begin with ``prefix`` too, which tells what would be left behind.
    """
    for header, map_name, short in (("mptcp_paths.h", "connections", "entries"), ("subflow_rates.h", "subflow_rates", "rates")):
        shared = (sources.SOURCE_FOLDER / header).read_text()
        (folder / header).write_text(re.sub(rf"(?<!/){map_name}\b(?!\.)", f"{prefix}{short}", shared))
    names = [scheme.name for scheme in sources.find([])]
    for name in names:
        text = (sources.SOURCE_FOLDER / f"{name}.bpf.c").read_text()
        text = re.sub(rf"\b(?:CALLBACK\(\w+, |[A-Z][A-Z_]+\()(?={name}\b)", rf"\g<0>{prefix}", text)  # a macro's first argument
        (folder / f"{prefix}{name}.bpf.c").write_text(text)
    return [prefix + name for name in names]


def left_over(prefix: str) -> Counter[str]:
    """Our objects in the kernel: struct_ops tables, hash maps, read-only data, socket storage, programs."""
    library = Libbpf()
    everything = library.map_names() + Counter({f"program {name}": count for name, count in library.program_names().items()})
    return Counter({name: count for name, count in everything.items() if name.removeprefix("program ").startswith(prefix)})


def kernel_log() -> list[str]:
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout.splitlines()


@pytest.mark.real_time
@pytest.mark.this_machine
@pytest.mark.timeout(CHURN_S + 240)
def test_mixed_schemes_and_churn_leave_nothing_behind(tmp_path: Path) -> None:
    skip_without_namespaces()
    if explain_missing_support():
        pytest.skip(f"{explain_missing_support()}: many connections are NOT tested")
    log_before = kernel_log()
    prefix = "ho_" if CHURN_S > 60 else "so_"  # the kernel takes short names alone
    schemes = renamed_schemes(tmp_path, prefix)
    assert not left_over(prefix), "of an earlier soak test"
    coupled = {prefix + name for name in COUPLED if MPTCP.exists()}
    record = tmp_path / "record.json"
    kernel_name = {scheme: socket_name(parse_scheme(scheme, tmp_path)) for scheme in schemes}
    try:
        assert loader.register(schemes, folder=tmp_path, objects=tmp_path / "objects", record_file=record) == schemes
        loaded = left_over(prefix)
        with namespace() as name:
            words = [str(CONNECTIONS), str(PER_SECOND), str(CHURN_S)]
            words += [f"{kernel_name[scheme]}=mptcp" if scheme in coupled else kernel_name[scheme] for scheme in schemes]
            words += ["reno", "cubic", "bbr"]
            result = subprocess.run(
                ["ip", "netns", "exec", name, sys.executable, "tests/hosts/soak.py", *words],
                cwd=PROJECT, capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert result.returncode == 0, result.stderr
        print(result.stdout)
        done = json.loads(result.stdout)
        assert all(sent > 30_000 * CHURN_S for sent in done["sent"].values()), done
        assert done["connects"] > 0.5 * PER_SECOND * CHURN_S
        assert left_over(prefix) == loaded, "maps or programs have come or gone while they ran"
        wait_for("the end of all connections in the map of the coupled schemes", lambda: not Libbpf().entry_count(f"{prefix}entries"))
    finally:
        removed = loader.unregister(record_file=record)
    assert {entry.name for entry in removed} == set(schemes)
    # The kernel frees a program after a grace period, and a table when its last connection has gone.
    wait_for(lambda: f"the end of {left_over(prefix)} in the kernel", lambda: not left_over(prefix))
    assert not set(kernel_name.values()) & set(loader.kernel_names())
    new_lines = kernel_log()[len(log_before) :] if kernel_log()[: len(log_before)] == log_before else kernel_log()
    assert not [line for line in new_lines if WARNING.search(line)]
