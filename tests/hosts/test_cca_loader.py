"""Building, registering, listing and unregistering BPF congestion controls, and the messages when that does not work."""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import UserError
from hosts.cca import command_line, libbpf, loader, sources
from hosts.cca.build import build
from hosts.cca.compilers import clangs
from hosts.cca.record import Registered, locked_record
from hosts.cca.registry import Origin
from hosts.cca.scheme_names import parse_scheme, socket_name
from hosts.connection import congestion_control, set_congestion_control

TEMPLATE = sources.SOURCE_FOLDER / "libra.bpf.c"
NAME = "ndtest"
KERNEL_NAME = f"bpf_{NAME}"

needs_clang = pytest.mark.skipif(not any(clangs()), reason="no clang: building BPF programs is NOT tested")
needs_kernel = pytest.mark.skipif(
    os.geteuid() != 0 or libbpf.explain_missing_support() is not None,
    reason="not root, or a kernel without BTF: registering BPF programs is NOT tested",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one scheme that nobody else has registered."""
    text = re.sub(r"\blibra\b", NAME, TEMPLATE.read_text())
    (tmp_path / f"{NAME}.bpf.c").write_text(text)
    return tmp_path


def decide(folder: Path, window: str) -> None:
    """Have the scheme return another window after a loss."""
    source = folder / f"{NAME}.bpf.c"
    changed, times = re.subn(r"return libra_after_loss\(.*\);", f"return {window};", source.read_text())
    assert times == 1
    source.write_text(changed)


@pytest.fixture
def record_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "record.json"
    yield path
    if os.geteuid() == 0 and path.exists():
        loader.unregister(record_file=path)


def register(folder: Path, record_file: Path) -> list[str]:
    return loader.register([NAME], folder=folder, objects=folder / "objects", record_file=record_file)


def entry_of(name: str, folder: Path, record_file: Path) -> loader.Entry:
    return next(entry for entry in loader.list_all(folder=folder, record_file=record_file) if entry.text == name)


def test_every_scheme_has_a_name_the_kernel_takes_and_a_title() -> None:
    schemes = sources.available()
    assert "nodectl" in schemes
    for scheme in schemes.values():
        assert 10 < len(scheme.title) < 100, f"{scheme.source}: the head comment begins with 'name: what it is', on one line"


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a_name_of_16_byte.bpf.c").write_text("")
    with pytest.raises(UserError, match="cannot name a congestion control"):
        sources.available(tmp_path)


def test_an_unknown_name_lists_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["build", "nosuch"]) == 2
    error = capsys.readouterr().err
    assert "no congestion control called nosuch" in error
    assert "nodectl" in error


@needs_clang
def test_every_scheme_builds(tmp_path: Path) -> None:
    for scheme in sources.available().values():
        assert build(scheme, tmp_path).stat().st_size > 0


@needs_clang
def test_a_mistake_in_the_source_names_file_and_line(folder: Path) -> None:
    source = folder / f"{NAME}.bpf.c"
    source.write_text(source.read_text() + "\nint mistake = nothing;\n")
    with pytest.raises(UserError, match=rf"{NAME}.bpf.c:\d+:\d+: error"):
        build(sources.find([NAME], folder)[0], folder / "objects")
    assert not list((folder / "objects").iterdir())


@needs_clang
def test_only_what_changed_is_built_again(folder: Path) -> None:
    scheme = sources.find([NAME], folder)[0]
    first = build(scheme, folder / "objects").stat().st_mtime_ns
    assert build(scheme, folder / "objects", compiler="/nonexistent").stat().st_mtime_ns == first
    os.utime(scheme.source)
    assert build(scheme, folder / "objects").stat().st_mtime_ns > first


def test_no_clang(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UserError, match=r"apt-get install .*clang"):
        build(sources.find([NAME], folder)[0], folder / "objects")


def test_no_libbpf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libbpf, "LIBRARY", "libnobody.so.1")
    with pytest.raises(UserError, match=r"libnobody\.so\.1 is not installed"):
        libbpf.Libbpf()


def test_no_btf(folder: Path, record_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libbpf, "KERNEL_BTF", Path("/nonexistent"))
    with pytest.raises(UserError, match="has no BTF"):
        register(folder, record_file)


def test_no_privileges(folder: Path, record_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UserError, match="needs root"):
        register(folder, record_file)


def test_a_record_of_another_boot_or_a_broken_one_counts_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with locked_record(path) as record:
        record["bpf_x"] = Registered("bpf_x", "x", 1, "00")
    with locked_record(path) as record:
        assert record["bpf_x"].map_id == 1
    path.write_text(path.read_text().replace('"boot_id": "', '"boot_id": "other'))
    with locked_record(path) as record:
        assert record == {}
    path.write_text("{")
    with locked_record(path) as record:
        assert record == {}


@needs_kernel
@needs_clang
def test_register_twice_and_unregister(folder: Path, record_file: Path) -> None:
    assert entry_of(NAME, folder, record_file).origin is Origin.NOT_LOADED
    assert register(folder, record_file) == [NAME]
    assert entry_of(NAME, folder, record_file).origin is Origin.BPF
    assert KERNEL_NAME in loader.kernel_names()
    assert register(folder, record_file) == [], "it is there: nothing to do"
    assert entry_of("reno", folder, record_file).origin is Origin.KERNEL
    (removed,) = loader.unregister([NAME], record_file=record_file)
    assert removed == loader.Removed(NAME, in_use=False)
    assert KERNEL_NAME not in loader.kernel_names()
    assert loader.unregister(record_file=record_file) == []


@needs_kernel
@needs_clang
def test_somebody_elses_is_left_alone(folder: Path, record_file: Path) -> None:
    assert register(folder, record_file) == [NAME]
    stranger = folder / "stranger.json"
    assert register(folder, stranger) == []
    assert entry_of(NAME, folder, stranger).origin is Origin.BPF_FOREIGN
    for name in (NAME, "reno"):
        with pytest.raises(UserError, match="not registered from here"):
            loader.unregister([name], record_file=stranger)
    assert KERNEL_NAME in loader.kernel_names()


@needs_kernel
@needs_clang
def test_a_changed_program_replaces_the_old_one(folder: Path, record_file: Path) -> None:
    register(folder, record_file)
    with locked_record(record_file) as record:
        before = record[KERNEL_NAME]
    decide(folder, "4")
    assert register(folder, record_file) == [], "its name was there before"
    with locked_record(record_file) as record:
        assert record[KERNEL_NAME].map_id != before.map_id
    assert KERNEL_NAME in loader.kernel_names()


@needs_kernel
@needs_clang
def test_open_connections_keep_it(folder: Path, record_file: Path) -> None:
    register(folder, record_file)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as connection:
        set_congestion_control(connection, parse_scheme(NAME, folder))
        (removed,) = loader.unregister([NAME], record_file=record_file)
        assert removed.in_use
        assert congestion_control(connection) == f"linux:{KERNEL_NAME}"
        with pytest.raises(UserError, match=f"no congestion control '{NAME}'"):
            set_congestion_control(socket.socket(), parse_scheme(NAME, folder))


@needs_kernel
@needs_clang
def test_a_program_the_verifier_refuses_says_why(folder: Path, record_file: Path) -> None:
    decide(folder, "*(__u32 *)(unsigned long)ctx[1]")
    with pytest.raises(UserError, match=f"{NAME}: does not load"):
        register(folder, record_file)
    assert KERNEL_NAME not in loader.kernel_names()


def test_file_and_scheme_must_have_one_name(folder: Path) -> None:
    source = folder / f"{NAME}.bpf.c"
    source.write_text(source.read_text().replace(f"REGISTER({NAME},", "REGISTER(other,"))
    with pytest.raises(UserError, match=f"must define one congestion control called {NAME}"):
        sources.available(folder)


def test_what_is_always_the_kernels_cannot_be_a_source(tmp_path: Path) -> None:
    (tmp_path / "cubic.bpf.c").write_text("REGISTER(cubic, 0)\n")
    with pytest.raises(UserError, match="cubic is always the kernel's own"):
        sources.available(tmp_path)


@needs_kernel
@needs_clang
def test_a_name_of_the_kernels_is_not_taken(folder: Path, record_file: Path) -> None:
    """A registered scheme leaves the plain name to a module of the kernel."""
    register(folder, record_file)
    assert NAME not in loader.kernel_names()
    assert entry_of(NAME, folder, record_file).kernel_name == KERNEL_NAME


@needs_kernel
def test_something_that_is_no_object(folder: Path, record_file: Path) -> None:
    objects = folder / "objects"
    objects.mkdir()
    os.utime(folder / f"{NAME}.bpf.c", (1, 1))
    (objects / f"{NAME}.bpf.o").write_bytes(b"no object")
    with pytest.raises(UserError, match="cannot be opened as a BPF object"):
        register(folder, record_file)


@needs_clang
def test_the_template_builds_as_it_stands(tmp_path: Path) -> None:
    shutil.copy(sources.SOURCE_FOLDER / "template.c", tmp_path / "mycca.bpf.c")
    (scheme,) = sources.available(tmp_path).values()
    assert scheme.name == "mycca"
    assert build(scheme, tmp_path / "objects").exists()


@needs_kernel
@needs_clang
def test_every_scheme_is_accepted_by_this_kernel(tmp_path: Path, record_file: Path) -> None:
    """Those that somebody has registered already are left alone. Tests beside this one register others, so the rest is not looked at."""
    shutil.copy(sources.SOURCE_FOLDER / "template.c", tmp_path / "mycca.bpf.c")
    names = {socket_name(parse_scheme(name)) for name in sources.available()} | {"bpf_mycca"}
    before = names & set(loader.kernel_names())
    added = loader.register(list(sources.available()), objects=tmp_path / "objects", record_file=record_file)
    added += loader.register(folder=tmp_path, objects=tmp_path / "objects", record_file=record_file)
    assert names <= set(loader.kernel_names())
    loader.unregister(added, record_file=record_file)
    assert names & set(loader.kernel_names()) <= before


def test_schemes_may_stand_in_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.bpf.c").write_text("// mine\n/* mine: my own */\nREGISTER(mine, HAS(mine, cong_avoid));\n")
    assert "mine" not in sources.available()
    monkeypatch.setenv(sources.OWN_FOLDER_VARIABLE, str(tmp_path))
    assert sources.available()["mine"].source.parent == tmp_path
    assert "vegas" in sources.available()
