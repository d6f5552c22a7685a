"""Schemes loaded with constants, schemes that cannot be had, and the messages about wrong use of the command line."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import UserError
from hosts.cca import command_line, libbpf, loader, sources
from hosts.cca.build import FLAGS, build
from hosts.cca.compilers import bpf_compiler, clangs
from hosts.cca.constants import constants_of
from hosts.cca.libbpf import Libbpf
from hosts.cca.registry import Origin
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme, socket_name
from hosts.connection import congestion_control, set_congestion_control

ROOT = Path(__file__).resolve().parents[2]
NAME = "ndconst"

needs_kernel = pytest.mark.skipif(
    os.geteuid() != 0 or libbpf.explain_missing_support() is not None or not any(clangs()),
    reason="not root, no clang, or a kernel without BTF: registering BPF programs is NOT tested",
)
Folder = tuple[Path, Path]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A folder with a copy of qtcol under a name of its own, and a record file."""
    text = re.sub(r"\bqtcol\b", NAME, (sources.SOURCE_FOLDER / "qtcol.bpf.c").read_text())
    (tmp_path / f"{NAME}.bpf.c").write_text(text)
    record = tmp_path / "record.json"
    yield tmp_path, record
    if os.geteuid() == 0 and record.exists():
        loader.unregister(record_file=record)


def load(folder: Folder, constants: str = "") -> list[str]:
    path, record = folder
    return loader.register([NAME + constants], folder=path, objects=path / "objects", record_file=record)


def chosen(folder: Folder, text: str) -> Scheme:
    return parse_scheme(text, folder[0])


def listed(folder: Folder) -> dict[str, Origin]:
    """Those of our schemes that are listed, with their origins."""
    return {e.text: e.origin for e in loader.list_all(folder=folder[0], record_file=folder[1]) if e.text.startswith(NAME)}


def test_what_a_paper_varies_can_be_set() -> None:
    schemes = sources.available()
    assert set(constants_of(schemes["libra"])) == {"t0", "t1", "k1", "k2", "penalty", "capacity"}
    assert set(constants_of(schemes["vegas"])) == {"alpha", "beta", "gamma"}
    assert "alpha" in constants_of(schemes["qtcol"])
    assert "alpha" in constants_of(schemes["qtcolfair"])
    assert parse_scheme("qtcol(alpha=1.5)").program_values == {"alpha": 1500}
    assert parse_scheme("qtcol(rtt=last)").program_values == {"rtt": 1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["qtcol(beta=1)"], "qtcol has no constant called beta\n  it has: alpha (1.001 to 100), rtt (smoothed or last)"),
        (["qtcol(alpha=much)"], "alpha=much is no number"),
        (["qtcol(alpha=nan)"], "alpha=nan is no number"),
        (["qtcol(alpha=0.9)"], "alpha=0.9 is out of range\n  alpha can be 1.001 to 100"),
        (["qtcol(rtt=2)"], "rtt=2 is not known\n  rtt can be smoothed or last"),
        (["qtcol(alpha=1.5,alpha=2)"], "alpha is given twice"),
        (["libra(penalty=1.5)"], "penalty can be 1 to 3 (a whole number)"),
        (["reno(alpha=1.5)"], "nothing can be set in reno, which is the kernel's"),
        (["bic(alpha=1.5)"], "nothing can be set in bic"),
        (["linux:nosuch"], "this kernel has no congestion control nosuch"),
    ],
)
def test_wrong_settings_are_explained(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["load", *words]) == 2
    assert message in capsys.readouterr().err


@needs_kernel
def test_constants_side_by_side(folder: Folder) -> None:
    """Each choice of constants is a congestion control of its own, and one connection's does not change another's."""
    assert load(folder) == [NAME]
    assert load(folder, "(alpha=1.5)") == [f"{NAME}(alpha=1.5)"]
    assert load(folder, "( alpha = 1.50 )") == [], "the same one"
    assert listed(folder) == {NAME: Origin.BPF, f"{NAME}(alpha=1.5)": Origin.BPF}
    names = [socket_name(chosen(folder, text)) for text in listed(folder)]
    assert len(set(names)) == 2
    assert all(len(name) <= sources.NAME_LENGTH_MAX for name in names)
    for text in listed(folder):
        with socket.socket() as connection:
            set_congestion_control(connection, chosen(folder, text))
    source = folder[0] / f"{NAME}.bpf.c"
    source.write_text(source.read_text().replace("init)\n{\n", "init)\n{\n\ttcp_sk(SOCK_OF(ctx))->snd_ssthresh = TCP_INFINITE_SSTHRESH;\n"))
    assert load(folder, "(alpha=1.5)") == [], "replaced by the new program"
    (removed,) = loader.unregister([f"{NAME}(alpha=1.5)"], record_file=folder[1])
    assert removed.name == f"{NAME}(alpha=1.5)"
    assert listed(folder) == {NAME: Origin.BPF}


@needs_kernel
def test_the_program_lacks_the_constant(folder: Folder) -> None:
    path = build(sources.find([NAME], folder[0])[0], folder[0] / "objects")
    with pytest.raises(libbpf.BpfError, match="has no constant gamma"):
        Libbpf().register(path, NAME, NAME, {"gamma": 1})


@needs_kernel
def test_an_object_for_another_architecture(folder: Folder) -> None:
    """x86-64 code, and BPF of the other byte order, in the place of the object."""
    source = folder[0] / "empty.c"
    source.write_text("int nothing;\n")
    target = build(sources.find([NAME], folder[0])[0], folder[0] / "objects")
    other = [flag for flag in FLAGS if flag not in ("-target", "bpf", "-mcpu=v3")]
    for flags, message in (
        ([*other, "-target", "x86_64-linux-gnu"], "is an object for x86-64"),
        ([*other, "-target", "bpfeb"], "big-endian"),
    ):
        subprocess.run([bpf_compiler(), *flags, "-c", str(source), "-o", str(target)], check=True)
        with pytest.raises(UserError, match=message):
            load(folder)


def test_a_kernel_without_btf_goes_on_with_the_others(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libbpf, "KERNEL_BTF", Path("/nonexistent"))
    monkeypatch.setattr(loader, "kernel_names", lambda: ["reno", "cubic", "vegas"])
    assert command_line.main(["load", "--keep-going"]) == 0
    captured = capsys.readouterr()
    (missing,) = [line for line in captured.err.splitlines() if line.startswith("missing: ")]
    assert "libra" in missing
    assert "has no BTF" in missing
    assert "vegas" in missing, "what the kernel has under the same name is another one"
    assert "going on with: reno, cubic, linux:vegas" in captured.err


@needs_kernel
def test_a_scheme_the_kernel_refuses_does_not_stop_the_others(folder: Folder) -> None:
    path, record = folder
    text = (path / f"{NAME}.bpf.c").read_text()
    bad = text.replace(NAME, "ndbad").replace(
        "HALVES_AFTER_LOSS(ndbad)", "CALLBACK(__u32, ndbad, ssthresh)\n{\n\treturn *(__u32 *)ctx[1];\n}\n"
    )
    (path / "ndbad.bpf.c").write_text(bad)
    added, missing = loader.register_possible(folder=path, objects=path / "objects", record_file=record)
    assert added == [NAME]
    assert [entry.name for entry in missing] == ["ndbad"]
    assert "does not load" in missing[0].reason


@needs_kernel
def test_the_command_line_loads_twice_and_unloads_in_use(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, record = folder
    defaults = {"folder": path, "objects": path / "objects", "record_file": record}
    for function in (loader.register, loader.unregister):
        own = function.__kwdefaults__
        assert own is not None
        for key in defaults.keys() & own.keys():
            monkeypatch.setitem(own, key, defaults[key])
    monkeypatch.setattr(command_line, "parse_all", lambda texts: parse_all(texts, path))
    assert command_line.main(["load", NAME]) == 0
    assert command_line.main(["load", NAME]) == 0
    assert capsys.readouterr().out == f"{NAME}: registered\n{NAME}: there already\n"
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as connection:
        set_congestion_control(connection, chosen(folder, NAME))
        assert command_line.main(["unload", NAME]) == 0
        assert "open connections keep it until they close" in capsys.readouterr().out
        assert congestion_control(connection) == f"linux:{socket_name(chosen(folder, NAME))}", "no record knows it any more"
    assert command_line.main(["unload", NAME]) == 2
    assert f"{NAME}: not registered from here" in capsys.readouterr().err


def test_no_privileges_on_the_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for words in (["load", "qtcol"], ["load", "--keep-going"], ["unload"]):
        assert command_line.main(words) == 2
        assert "needs root" in capsys.readouterr().err


@needs_kernel
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv (util-linux): root without capabilities is NOT tested")
def test_root_without_capabilities(folder: Folder) -> None:
    """As in many containers: the user is root, and the kernel says no all the same."""
    path, record = folder
    program = (
        "import pathlib; from hosts.cca import loader; from common.errors import UserError\n"
        f"path = pathlib.Path({str(path)!r})\n"
        f"try: loader.register([{NAME!r}], folder=path, objects=path / 'objects', record_file=pathlib.Path({str(record)!r}))\n"
        "except UserError as error: print(error)\n"
    )
    command = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", sys.executable, "-c", program]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "the kernel does not let us use BPF" in result.stdout, result.stderr
    assert "run this as root, with CAP_BPF and CAP_NET_ADMIN" in result.stdout
