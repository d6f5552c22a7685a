"""The emulated machine, with a stand-in for QEMU: its files, its kernel, its results.

tests/packages/test_emulated_machine.py has a real one.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from common.errors import UserError
from testbed.emulated import guest_files, guest_kernel
from testbed.emulated.command import main
from testbed.emulated.guest import QEMU, take_over
from testbed.emulated.wheel_files import WheelFiles
from virtual_time.file_system.cpio import CpioWriter

KERNEL = b"a kernel"
NOTE = {
    "version": "1.0", "commit": "abc", "kernel": "0123", "programs": {},
    "layers": {"userland": ["12", 1], "programs": ["34", 1], "checkout": ["56", 1]},
}  # fmt: skip
STAND_IN = """#!/bin/sh
for word; do case $word in file:*) out=${word#file:};; esac; done
printf '%s\\n' "$@" > "$SEEN"
while [ $# != 0 ]; do if [ "$1" = -initrd ]; then cp "$2" "$SEEN.cpio"; fi; shift; done
cp "$HANDED_OUT" "$out"
"""


def debian_package(content: bytes, name: str = "./boot/vmlinuz-6.1.0-9-cloud-amd64") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    made = b"!<arch>\n"
    for entry_name, data in (("debian-binary", b"2.0\n"), ("control.tar.xz", b"odd"), ("data.tar.xz", packed.getvalue())):
        made += f"{entry_name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    return made


def test_the_newest_kernel_of_a_machine_is_taken(tmp_path: Path) -> None:
    for name in ("vmlinuz-6.1.0-9-amd64", "vmlinuz-6.1.0-56-amd64", "initrd.img-7"):
        (tmp_path / name).write_bytes(KERNEL)
    assert guest_kernel.kernel_file("", tmp_path, boot=tmp_path).name == "vmlinuz-6.1.0-56-amd64"


def test_a_kernel_is_named_by_itself_or_in_its_package(tmp_path: Path) -> None:
    plain, package = tmp_path / "plain", tmp_path / "package.deb"
    plain.write_bytes(KERNEL)
    package.write_bytes(debian_package(KERNEL))
    assert guest_kernel.kernel_file(str(plain), tmp_path) == plain
    assert guest_kernel.kernel_file(str(package), tmp_path).read_bytes() == KERNEL


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read the kernel"),
        (debian_package(KERNEL)[:-30], "no whole Debian package"),
        (b"!<arch>\n" + b"data.tar.xz".ljust(60), "no whole Debian package"),
        (debian_package(KERNEL, "./boot/config-6.1"), "has no kernel"),
        (b"!<arch>\n", "has no kernel"),
    ],
)
def test_a_wrong_kernel_is_one_clear_message(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "given.deb"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match=words):
        guest_kernel.kernel_file(str(file), tmp_path)


def handed_out(folder: Path, status: int | None) -> Path:
    """The archive of a run with one file; None: it is cut off before its exit code."""
    file = folder / "handed-out"
    with tarfile.open(file, "w:gz") as archive:
        latest = tarfile.TarInfo("results/latest")
        latest.type, latest.linkname = tarfile.SYMTYPE, "run"
        archive.addfile(latest)
        for name, text in (("results/run/table.txt", "A table."), *([("status", str(status))] if status is not None else [])):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return file


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel with little in it, a stand-in for QEMU on PATH, no network: a folder to be in."""
    userland = io.BytesIO()
    with CpioWriter(userland) as archive:
        archive.file("/usr/bin/python3.11", b"\x7fELF")
    wheel = tmp_path / "nodectl_testbed-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("nodectl_testbed/tree/installed.json", json.dumps(NOTE))
        made.writestr("nodectl_testbed/tree/build/kernel/0123/linux", b"\x7fELFkernel")
        made.writestr(guest_files.USERLAND_ARCHIVE, lzma.compress(userland.getvalue()))
    monkeypatch.setattr(guest_files, "wheel_files", lambda: WheelFiles(wheel))
    monkeypatch.setattr(guest_files, "install", lambda _needs, folder, _python: (folder / "typer.py").write_text("installed"))
    programs, here = tmp_path / "programs", tmp_path / "here"
    programs.mkdir()
    here.mkdir()
    (programs / QEMU).write_text(STAND_IN)
    (programs / QEMU).chmod(stat.S_IRWXU)
    (tmp_path / "vmlinuz").write_bytes(KERNEL)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.setenv("HANDED_OUT", str(tmp_path / "handed-out"))
    monkeypatch.chdir(here)
    return tmp_path


def names_of(archive: Path) -> set[str]:
    return {name.decode() for name in re.findall(rb"070701[0-9A-F]{104}([^\0]+)\0", archive.read_bytes())}


def test_a_command_runs_there_and_its_results_are_here(machine: Path) -> None:
    handed_out(machine, 3)
    (machine / "here" / "mine").mkdir()
    for name in ("scenario.toml", "own.p4", ".hidden"):
        (machine / "here" / "mine" / name).write_text(name)
    (machine / "here" / "mine" / "env").mkdir()
    (machine / "here" / "mine" / "env" / "pyvenv.cfg").touch()
    status = main(["run", "mine/scenario.toml", "--emulate", "SCHEMES=reno", f"--emulate-kernel={machine / 'vmlinuz'}"])
    assert status == 3
    assert (machine / "here" / "results" / "latest" / "table.txt").read_text() == "A table."
    words = (machine / "seen").read_text().splitlines()
    assert words[words.index("-kernel") + 1] == str(machine / "vmlinuz")
    files = machine / "seen.cpio"
    names = names_of(files)
    assert {"init", "job.json", "work/mine/scenario.toml", "work/mine/own.p4", "usr/bin/python3.11"} <= names
    assert {"opt/wheel/nodectl_testbed/tree/build/kernel/0123/linux", "opt/packages/typer.py"} <= names
    assert not any("hidden" in name or "pyvenv" in name for name in names)
    assert b'"words": ["run", "mine/scenario.toml", "SCHEMES=reno"]' in files.read_bytes()


def test_what_a_machine_that_died_has_handed_out_is_no_result(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    handed_out(machine, None)
    assert main(["run", "--emulate", "--emulate-kernel", str(machine / "vmlinuz")]) == 2
    assert capfd.readouterr().err == "the emulated machine ended before its command did; its last lines are above\n"


def test_an_archive_may_not_leave_its_folder(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with tarfile.open(archive, "w:gz") as made:
        made.addfile(tarfile.TarInfo("results/../../escaped"))
    (tmp_path / "here").mkdir()
    with pytest.raises(UserError):
        take_over(archive, tmp_path / "here")
    assert not (tmp_path / "escaped").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--emulate-kernel"], "--emulate-kernel needs a file"),
        (["--emulate-kernel", "/nowhere/kernel"], "cannot read the kernel"),
        (["../outside.toml"], "is not below the folder that you are in"),
    ],
)
def test_wrong_use_is_one_clear_message(machine: Path, capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    (machine / "outside.toml").write_text("")
    if "--emulate-kernel" not in words:
        words = [*words, "--emulate-kernel", str(machine / "vmlinuz")]
    assert main(["run", "--emulate", *words]) == 2
    assert message in capfd.readouterr().err


def test_without_qemu_the_message_has_the_remedy(machine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert main(["run", "--emulate"]) == 2
    assert "qemu-system-x86_64 is not installed\n  Debian: apt-get install qemu-system-x86" in capfd.readouterr().err
