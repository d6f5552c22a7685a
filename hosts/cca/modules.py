"""Building schemes as modules of a user-mode kernel, from the same C files as the BPF programs. Loading them is loader.py's part.

    files = build(parse_all(["nodectl", "qtcol(alpha=1.5)"]), KernelTree(objects), cache)
    place(files, folder)      # the folder that NODECTL_CCA_MODULES names inside that kernel

A scheme with other constants is another module. All that have to be built are built by one `make`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from common.errors import UserError
from common.installation import BROUGHT, INSTALLED, MADE
from common.whole_files import unfinished_folder
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.make_output import messages_by_target
from hosts.cca.module_recipe import SOURCE, ModuleRecipe, module_compiler, unpacked_headers
from hosts.cca.module_registry import SUFFIX
from hosts.cca.module_source import definitions, module_source
from hosts.cca.registry import Missing
from hosts.cca.scheme_names import Scheme, socket_name
from hosts.cca.sources import SOURCE_FOLDER

CACHE_FOLDER = MADE / "cca-modules"
BROUGHT_FOLDER = None if INSTALLED is None else BROUGHT / "cca-modules"
"""Modules that the wheel brings."""

FRAME_FOLDER = SOURCE_FOLDER / "module_frame"
FLAGS = (
    f"-I{FRAME_FOLDER}",
    f"-iquote {SOURCE_FOLDER}",
    "-I$(srctree)/net",  # MPTCP's structures
    "-mgeneral-regs-only",  # otherwise floating point compiles, and spoils the registers of the program that runs
    f"-ffile-prefix-map={SOURCE_FOLDER}/=",  # the same module wherever the testbed lies
    "-ffile-prefix-map=$(src)/=",
)
RECIPE, HEADERS = "modules.json", "modules.tar.xz"
"""Beside a kernel's objects: how modules are compiled without a build tree, and with which headers (module_recipe.py)."""

_FLOATING_POINT = re.compile(r"SSE register|__\w+[sd]f\d?\b")
"""Signs of floating point in the messages of compiler and linker."""

_REGISTER = re.compile(r"^REGISTER\(", re.MULTILINE)
_NO_REGISTER = "{0} has a table of its own, which is for BPF alone: use CALLBACK and REGISTER, as hosts/cca/template.c does"
_FROM_OUTSIDE = ("MAKEFLAGS", "MFLAGS", "KCFLAGS", "KBUILD_OUTPUT", "CROSS_COMPILE", "SUBARCH", "LANGUAGE")
"""Environment variables that would change a module."""


def module_path(scheme: Scheme, kernel: KernelTree, cache: Path) -> Path:
    """Where the module of ``scheme`` is, or will be; another one if anything of which it is made is changed."""
    assert scheme.source is not None
    folder = scheme.source.source.parent
    checksum = hashlib.sha256(kernel.checksum.encode())
    checksum.update(definitions(socket_name(scheme), scheme.program_values).encode())
    headers = {*SOURCE_FOLDER.glob("*.h"), *folder.glob("*.h"), *FRAME_FOLDER.rglob("*.h")}
    for path in (scheme.source.source, Path(__file__), *sorted(headers)):
        checksum.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return cache / checksum.hexdigest()[:16] / (socket_name(scheme) + SUFFIX)


def build(schemes: Iterable[Scheme], kernel: KernelTree, cache: Path, *, jobs: int = 1) -> dict[Scheme, Path]:
    """The modules of ``schemes``, built unless they are in ``cache``; those of the kernel itself are left out.

    Raises:
        UserError: a scheme does not compile (the compiler's messages, with file and line, are passed on), or ``kernel`` is none.
    """
    files, missing = build_possible(schemes, kernel, cache, jobs=jobs)
    if missing:
        raise UserError("\n".join(entry.reason for entry in missing))
    return files


def build_possible(
    schemes: Iterable[Scheme], kernel: KernelTree, cache: Path, *, jobs: int = 1
) -> tuple[dict[Scheme, Path], list[Missing]]:
    """As :func:`build`, but a scheme that cannot be built does not stop the others; returns the modules and the missing schemes.

    Raises:
        UserError: ``kernel`` is no built kernel, or `make` is not there.
    """
    ours = [scheme for scheme in schemes if scheme.source is not None]
    missing = [Missing(scheme.text, _NO_REGISTER.format(scheme.name)) for scheme in ours if not _is_registered_by_frame(scheme)]
    paths = {scheme: _place(scheme, kernel, cache) for scheme in ours if _is_registered_by_frame(scheme)}
    if all(path.exists() for path in paths.values()):
        return paths, missing
    with _folder_in(cache) as folder:
        missing += _build_all(paths, kernel, folder.resolve(), jobs)
    return {scheme: path for scheme, path in paths.items() if path.exists()}, missing


def _build_all(paths: Mapping[Scheme, Path], kernel: KernelTree, work: Path, jobs: int) -> list[Missing]:
    missing: list[Missing] = []
    while to_build := {scheme: path for scheme, path in paths.items() if not path.exists() and not _is_named(scheme, missing)}:
        missing += _build(to_build, kernel, work, jobs)
    return missing


def _is_named(scheme: Scheme, missing: Iterable[Missing]) -> bool:
    return any(entry.name == scheme.text for entry in missing)


def _place(scheme: Scheme, kernel: KernelTree, cache: Path) -> Path:
    """Where the module is, if the wheel brings it, or will be."""
    if BROUGHT_FOLDER is not None and (brought := module_path(scheme, kernel, BROUGHT_FOLDER)).exists():
        return brought
    return module_path(scheme, kernel, cache)


def _is_registered_by_frame(scheme: Scheme) -> bool:
    assert scheme.source is not None
    return _REGISTER.search(scheme.source.source.read_text(encoding="utf-8", errors="replace")) is not None


def place(files: Mapping[Scheme, Path], folder: Path) -> None:
    """Puts the modules into ``folder``, where the loader inside the kernel looks for them."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files.values():
        shutil.copyfile(path, folder / path.name)


@contextmanager
def _folder_in(cache: Path) -> Iterator[Path]:
    """A folder to build in. Of several that begin at once, one builds; the others wait, and find what they want."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with unfinished_folder(cache) as folder:
                yield folder
    except OSError as error:
        hint = "run it as the owner of the checkout, or in a checkout of your own"
        raise UserError(f"cannot build congestion controls in {cache}: {error.strerror}", hint) from error


def _build(paths: Mapping[Scheme, Path], kernel: KernelTree, work: Path, jobs: int) -> list[Missing]:
    """One `make` for all of ``paths``; returns what does not compile. After a failure the others may not be built either."""
    for scheme, path in paths.items():
        assert scheme.source is not None
        text = module_source(path.stem, scheme.program_values, scheme.source.source.resolve())
        (work / path.with_suffix(".c").name).write_text(text, encoding="utf-8")
    recipe = kernel.objects.with_name(RECIPE)
    if recipe.exists():
        return _build_by_recipe(paths, recipe, work, jobs)
    objects = " ".join(path.with_suffix(".o").name for path in paths.values())
    (work / "Makefile").write_text(f"obj-m := {objects}\nccflags-y := {' '.join(FLAGS)}\n", encoding="utf-8")
    output = run_make(kernel, work, jobs)
    _keep(paths.values(), work)
    if all(path.exists() for path in paths.values()):
        return []
    messages = messages_by_target(output, work)
    missing = [_explain(scheme, messages[path.stem]) for scheme, path in paths.items() if messages.get(path.stem)]
    if not missing:
        raise UserError(f"no modules can be built for {kernel.objects}:\n{output.rstrip()}", "build the kernel anew")
    return missing


def _build_by_recipe(paths: Mapping[Scheme, Path], recipe: Path, work: Path, jobs: int) -> list[Missing]:
    """Compiles each module by the recipe: the kernel that the wheel brings has no build tree."""
    compiler, headers = module_compiler(), unpacked_headers(recipe.with_name(HEADERS), MADE / recipe.parent.name)
    read = ModuleRecipe.read(recipe)

    def compiled(scheme: Scheme) -> Missing | None:
        module = (work / paths[scheme].name).with_suffix(".c")
        said = read.build(module, headers, _options_of(headers, work), compiler)
        return _explain(scheme, said.replace(f"{work}/", "")) if said else None

    with ThreadPoolExecutor(jobs) as pool:
        missing = list(filter(None, pool.map(compiled, paths)))
    _keep(paths.values(), work)
    return missing


def _options_of(headers: Path, work: Path) -> list[str]:
    return [word.replace("$(srctree)", str(headers / SOURCE)).replace("$(src)", str(work)) for flag in FLAGS for word in flag.split()]


def _keep(paths: Iterable[Path], work: Path) -> None:
    for path in paths:
        built = work / path.name
        if built.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            built.rename(path)


def run_make(kernel: KernelTree, work: Path, jobs: int) -> str:
    """Build the modules of a folder by the kernel's own build; returns the output of make and the compiler.

    Raises:
        UserError: make is not installed.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _FROM_OUTSIDE} | {"LC_ALL": "C"}
    command = ["make", "-C", str(kernel.objects), "ARCH=um", f"M={work}", f"-j{jobs}", "--output-sync=target", "--keep-going", "modules"]
    try:
        result = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
        )
    except FileNotFoundError as error:
        raise UserError("make is not installed; no modules can be built", "apt-get install --no-install-recommends make gcc") from error
    return result.stdout


def _explain(scheme: Scheme, message: str) -> Missing:
    assert scheme.source is not None
    hint = "\n  floating point cannot be used in the kernel" if _FLOATING_POINT.search(message) else ""
    return Missing(scheme.text, f"{scheme.source.source.name} does not compile as a module:\n{message}{hint}")
