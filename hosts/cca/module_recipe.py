"""Compiling schemes as modules without make and without the kernel's build tree, by any C compiler: with the kernel's headers alone.

The recipe is what the kernel's own build would have done; the wheel brings it (testbed/packaging/kernel_headers.py).
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.whole_files import unfinished_folder
from hosts.cca.compilers import NO_COMPILER, ZIG, compiles

SOURCE, OBJECTS = "source", "objects"
"""Folders of a kernel: its source, and the results of its build."""

MODULE_INFO = """#include <linux/module.h>
#include <linux/export-internal.h>
#include <linux/compiler.h>
MODULE_INFO(name, KBUILD_MODNAME);
__visible struct module __this_module __section(".gnu.linkonce.this_module") = {
\t.name = KBUILD_MODNAME,
\t.init = init_module,
\t.exit = cleanup_module,
\t.arch = MODULE_ARCH_INIT,
};
MODULE_INFO(depends, "");
"""
"""The text that `modpost` writes for a module that needs no other."""

FOR_KERNEL = ("-m64", "-mcmodel=large", "-mgeneral-regs-only")
PLAIN_CODE = ("-fno-PIC", "-g0", "-fno-asynchronous-unwind-tables", "-w")
"""Some compilers have other defaults than these. Warnings would be about the kernel's headers; mistakes are errors."""

OF_GCC = ("-fno-allow-store-data-races", "-fconserve-stack", "-fno-stack-clash-protection")
"""Options that clang does not know."""

ERRORS = ("-Werror=implicit-function-declaration", "-Werror=implicit-int", "-Werror=return-type", "-Werror=incompatible-pointer-types")


@dataclass(frozen=True)
class ModuleCompiler:
    """A C compiler and a linker.

    Args:
        compile: the command's first words.
        link: the same of the linker.
        left_out: options of the kernel's that it does not know.
    """

    compile: tuple[str, ...]
    link: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def module_compiler() -> ModuleCompiler:
    """The machine's own, or the one that comes with the package ziglang.

    Raises:
        UserError: there is none.
    """
    linker = shutil.which("ld") or shutil.which("ld.lld")
    for name, left_out in (("gcc", ()), ("clang", OF_GCC)):
        if linker and (path := shutil.which(name)) and compiles(path, FOR_KERNEL):
            return ModuleCompiler((path,), (linker,), left_out)
    if importlib.util.find_spec(ZIG) is not None:
        zig = (sys.executable, "-m", ZIG)
        return ModuleCompiler((*zig, "clang", "-target", "x86_64-linux-gnu", "-march=x86-64", "-fno-addrsig"), (*zig, "ld.lld"), OF_GCC)
    raise UserError("your own congestion control needs a C compiler, and this machine has none", NO_COMPILER)


@dataclass(frozen=True)
class ModuleRecipe:
    """How modules are compiled for one kernel.

    Args:
        options: for the compiler; ``{kernel}`` is the folder of headers.
        common: the C file that is part of every module, from that folder.
        linker_script: from there too.
    """

    options: tuple[str, ...]
    common: str
    linker_script: str

    @classmethod
    def read(cls, file: Path) -> ModuleRecipe:
        """As :meth:`text` has written it."""
        said = json.loads(file.read_text(encoding="utf-8"))
        return cls(tuple(said["options"]), said["common"], said["linker_script"])

    def text(self) -> str:
        """As JSON."""
        return json.dumps({"options": self.options, "common": self.common, "linker_script": self.linker_script}, indent=1) + "\n"

    def build(self, module: Path, headers: Path, options: Sequence[str], compiler: ModuleCompiler) -> str:
        """Make ``NAME.ko`` of ``NAME.c``.

        Args:
            module: the C file.
            headers: the kernel's.
            options: further ones, for the C file.
            compiler: the compiler and linker to use.

        Returns:
            The compiler's messages; there is a module if these are empty.
        """
        name, folder = module.stem, module.parent
        plain = [option.format(kernel=headers) for option in self.options if option not in compiler.left_out]
        plain = [option for option in plain if not option.startswith("-W")]
        named = ["-DMODULE", f'-DKBUILD_MODNAME="{name}"', f"-D__KBUILD_MODNAME=kmod_{name}"]
        (folder / f"{name}.mod.c").write_text(MODULE_INFO, encoding="ascii")
        objects: list[str] = []
        for source, more in ((module, options), (folder / f"{name}.mod.c", ()), (headers / self.common, ())):
            made = folder / f"{name}.{len(objects)}.o"
            words = [*plain, *PLAIN_CODE, *ERRORS, *named, f'-DKBUILD_BASENAME="{name}"', *more, "-c", "-o", str(made), str(source)]
            done = subprocess.run([*compiler.compile, *words], capture_output=True, text=True, errors="replace", check=False)
            if done.returncode != 0:
                return done.stderr.strip() or f"{compiler.compile[0]} ended with exit code {done.returncode}"
            objects.append(str(made))
        linked = folder / f"{name}.ko"
        words = ["-r", "-m", "elf_x86_64", "-z", "noexecstack", "--build-id=sha1", "-T", str(headers / self.linker_script)]
        done = subprocess.run([*compiler.link, *words, "-o", str(linked), *objects], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr.strip()


def unpacked_headers(archive: Path, folder: Path) -> Path:
    """The kernel's headers, unpacked into ``folder`` if they are not there yet.

    Raises:
        OSError: they cannot be written.
    """
    if not folder.is_dir():
        with unfinished_folder(folder.parent) as unfinished:
            with tarfile.open(archive) as packed:
                # As the documentation of tarfile has it: Debian 12's Python knows no filters yet.
                packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
                packed.extractall(unfinished / folder.name)
            try:
                (unfinished / folder.name).rename(folder)
            except OSError:
                if not folder.is_dir():  # nobody else was quicker
                    raise
    return folder
