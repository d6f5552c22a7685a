"""Headers and compiler options for modules, where there is neither make nor a kernel's build tree.

The kernel's own build tells the options; the compiler tells the headers.
"""

from __future__ import annotations

import hashlib
import io
import re
import shlex
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from common.errors import UserError
from common.whole_files import whole_file, write_whole
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.module_recipe import MODULE_INFO, OBJECTS, SOURCE, ModuleRecipe
from hosts.cca.module_source import module_source
from hosts.cca.modules import FLAGS, HEADERS, RECIPE, run_make
from hosts.cca.scheme_names import Scheme, socket_name
from hosts.cca.sources import SOURCE_FOLDER

MORE_HEADERS = (
    *("linux/math64.h", "linux/minmax.h", "linux/random.h", "linux/win_minmax.h"),
    *("linux/inet_diag.h", "linux/slab.h", "linux/sort.h"),
)
"""Headers that a user's congestion control may include besides those of ours."""

LEFT_OUT = ("-Wp,", "-ffile-prefix-map", "-iquote", "-DKBUILD_", "-D__KBUILD_")
"""Options that are of one file, or of this machine."""

COMMON = f"{SOURCE}/scripts/module-common.c"
LINKER_SCRIPT = f"{OBJECTS}/scripts/module.lds"
OF_CLANG = f"{SOURCE}/include/linux/compiler-clang.h"
"""gcc does not read this one, so its list of headers lacks it."""

EPOCH_S = 0
DIGITS = 12


def pack(kernel: Path, schemes: Sequence[Scheme], folder: Path) -> tuple[Path, Path]:
    """Write the recipe and an archive of the headers.

    Args:
        kernel: folder of the kernel, as it was built.
        schemes: whose headers are wanted.
        folder: the target; files that are there for the same kernel and sources are taken again.

    Returns:
        Recipe and archive.

    Raises:
        UserError: a scheme does not compile.
    """
    tree = kernel / OBJECTS
    folder /= f"{kernel.name}-{_checksum()}"
    recipe, archive = folder / RECIPE, folder / HEADERS
    if recipe.exists() and archive.exists():
        return recipe, archive
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary).resolve()
        options = _options(tree, schemes[0], work)
        files = {kernel / COMMON, kernel / LINKER_SCRIPT, kernel / OF_CLANG, *_headers(tree, schemes, options, work)}
    _archive(sorted(files), kernel, archive)
    write_whole(recipe, ModuleRecipe(tuple(_movable(options, kernel)), COMMON, LINKER_SCRIPT).text())
    return recipe, archive


def _checksum() -> str:
    """The checksum of all sources that decide on headers and options, besides the kernel."""
    hashed = hashlib.sha256()
    for file in (Path(__file__), *sorted(SOURCE_FOLDER.rglob("*.[ch]"))):
        hashed.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return hashed.hexdigest()[:DIGITS]


def _options(tree: Path, scheme: Scheme, work: Path) -> list[str]:
    """The options that the kernel's build gives the compiler for a module."""
    name = socket_name(scheme)
    assert scheme.source is not None
    (work / f"{name}.c").write_text(module_source(name, scheme.program_values, scheme.source.source.resolve()))
    (work / "Makefile").write_text(f"obj-m := {name}.o\nccflags-y := {' '.join(FLAGS)}\n")
    said = run_make(KernelTree(tree), work, 1)
    saved = work / f".{name}.o.cmd"
    if not saved.exists():
        raise UserError(f"the kernel's build made no module:\n{said}")
    command = saved.read_text().splitlines()[0].partition(":= ")[2].replace("$(pound)", "#")
    words = shlex.split(command)[1:]
    kept, skip = [], False
    for word in words[: words.index("-o") - 1]:
        if skip:
            skip = False
        elif word == "-iquote":
            skip = True
        elif not word.startswith(LEFT_OUT) and word != f"-I{SOURCE_FOLDER / 'module_frame'}":
            kept.append(word)
    return kept


def _headers(tree: Path, schemes: Iterable[Scheme], options: Sequence[str], work: Path) -> Iterable[Path]:
    """All that the preprocessor reads for all of them: it need not make sense as one program."""
    texts = [MODULE_INFO, f'#include "{tree.parent / COMMON}"\n', *(f"#include <{name}>\n" for name in MORE_HEADERS)]
    texts += [module_source(socket_name(one), one.program_values, one.source.source.resolve()) for one in schemes if one.source is not None]
    together = work / "headers.c"
    together.write_text("".join(texts))
    command = ["gcc", *options, "-w", f"-I{SOURCE_FOLDER / 'module_frame'}", "-iquote", str(SOURCE_FOLDER), "-M", str(together)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"the headers of congestion controls cannot be found:\n{done.stderr}")
    real = tree.parent.resolve()
    for name in re.split(r"[\s\\]+", done.stdout.partition(":")[2]):
        file = (tree / name).resolve() if name else tree
        if file.is_file() and file.is_relative_to(real):
            yield tree.parent / file.relative_to(real)


def _movable(options: Iterable[str], kernel: Path) -> Iterable[str]:
    """With the folders of sources and objects by name."""
    real = kernel.resolve()
    for option in options:
        moved = re.sub(rf"{re.escape(str(real))}/(?={SOURCE}|{OBJECTS})", "{kernel}/", option)
        yield re.sub(r"^-I\./", f"-I{{kernel}}/{OBJECTS}/", moved)


def _archive(files: Iterable[Path], kernel: Path, target: Path) -> None:
    with whole_file(target) as unfinished, tarfile.open(unfinished, "w:xz", preset=9) as archive:
        for file in files:
            data = file.read_bytes()
            entry = tarfile.TarInfo(str(file.relative_to(kernel)))
            entry.size, entry.mtime, entry.mode = len(data), EPOCH_S, 0o644
            archive.addfile(entry, io.BytesIO(data))
