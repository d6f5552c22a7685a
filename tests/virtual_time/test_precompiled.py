"""The kernel's headers, which gcc reads once: some files get them, the others and those that fail with them get plain gcc."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from virtual_time.kernel.precompiled import COMPILER, _options

OF_A_FILE = ('-DKBUILD_MODNAME="libfs"', "-D__KBUILD_MODNAME=kmod_libfs")
"""Macros of a file's own, as make writes them for the compiler."""


@pytest.fixture
def gcc(tmp_path: Path) -> Path:
    """A folder whose gcc writes its arguments into `asked`, a line a call, and fails with -include where a file `refuses` is."""
    program = tmp_path / "gcc"
    program.write_text(f'#!/bin/bash\ncd {tmp_path}\necho "$*" >>asked\n[[ -e refuses && $1 == -include ]] && exit 1 || exit 0\n')
    program.chmod(0o755)
    return tmp_path


def compile_file(gcc: Path, file: str, *, precompiled: bool = True) -> list[str]:
    """Call the kernel's compiler as make does; returns what gcc was asked for."""
    environment = {"PATH": f"{gcc}:{os.environ['PATH']}", **({"PRECOMPILED": "all.h"} if precompiled else {})}
    command = [str(COMPILER), "-Wp,-MMD,.libfs.o.d", "-D__KERNEL__", *OF_A_FILE, "-c", "-o", "libfs.o", f"/x/kernel/source/{file}"]
    subprocess.run(command, cwd=gcc, env=environment, check=True)
    return (gcc / "asked").read_text().splitlines()


def test_a_file_of_the_kernel_gets_the_headers_before_its_own_macros(gcc: Path) -> None:
    [asked] = compile_file(gcc, "fs/libfs.c")
    assert asked == "-include all.h -include .libfs.o.d.names -Wp,-MMD,.libfs.o.d -D__KERNEL__ -c -o libfs.o /x/kernel/source/fs/libfs.c"
    assert (gcc / ".libfs.o.d.names").read_text() == '#define KBUILD_MODNAME "libfs"\n#define __KBUILD_MODNAME kmod_libfs\n'


@pytest.mark.parametrize(("file", "precompiled"), [("init/main.c", True), ("arch/um/kernel/mem.c", True), ("fs/libfs.c", False)])
def test_other_files_get_plain_gcc(gcc: Path, file: str, precompiled: bool) -> None:
    [asked] = compile_file(gcc, file, precompiled=precompiled)
    assert "-include" not in asked
    assert all(macro.replace('"', "") in asked.replace('"', "") for macro in OF_A_FILE)


def test_a_file_that_does_not_go_with_the_headers_gets_plain_gcc(gcc: Path) -> None:
    (gcc / "refuses").touch()
    first, second = compile_file(gcc, "lib/sort.c")
    assert first.startswith("-include all.h ")
    assert "-include" not in second


def test_the_headers_have_the_options_of_a_file_without_its_own(tmp_path: Path) -> None:
    (tmp_path / "fs").mkdir()
    own = """-DKBUILD_MODNAME='"libfs"' -c -o fs/libfs.o fs/libfs.c"""
    command = f"gcc -Wp,-MMD,fs/.libfs.o.d -I./include -include x.h -D__KERNEL__ -O2 {own}"
    (tmp_path / "fs" / ".libfs.o.cmd").write_text(f"savedcmd_fs/libfs.o := {command} ; true\nsource_fs/libfs.o := fs/libfs.c\n")
    assert _options(tmp_path) == ["gcc", "-I./include", "-D__KERNEL__", "-O2"]
