"""Building the schemes: clang, BPF target, no kernel headers. Objects go to ``build/cca/``."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from common.installation import MADE
from common.whole_files import whole_file
from common.write_errors import cannot_write
from hosts.cca.compilers import FOR_BPF, bpf_compiler
from hosts.cca.sources import SOURCE_FOLDER, SchemeSource

OBJECT_FOLDER = MADE / "cca"
FLAGS = ("-g", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", *FOR_BPF)


def object_path(scheme: SchemeSource, folder: Path = OBJECT_FOLDER) -> Path:
    """Where the compiled ``scheme`` is."""
    return folder / scheme.source.with_suffix(".o").name


def build(scheme: SchemeSource, folder: Path = OBJECT_FOLDER, *, compiler: str | None = None) -> Path:
    """Compiles ``scheme`` unless its object is newer than its source and every header; returns the object's path.

    Raises:
        UserError: clang is missing, or it finds an error (its messages, with file and line, are passed on).
    """
    headers = [*scheme.source.parent.glob("*.h"), *SOURCE_FOLDER.glob("*.h")]
    return compile_bpf(scheme.source, object_path(scheme, folder), headers, compiler=compiler)


def compile_bpf(source: Path, target: Path, headers: Iterable[Path] = (), *, compiler: str | None = None) -> Path:
    """Compiles a BPF program unless its object ``target`` is newer than ``source`` and every header; returns ``target``.

    Raises:
        UserError: clang is missing, or it finds an error (its messages are passed on), or the object cannot be written.
    """
    if target.exists() and all(target.stat().st_mtime_ns > path.stat().st_mtime_ns for path in (source, *headers)):
        return target
    try:
        with whole_file(target) as unfinished:
            _compile(source, unfinished, compiler or bpf_compiler())
    except OSError as error:
        raise cannot_write(error) from None
    return target


def _compile(source: Path, target: Path, compiler: str) -> None:
    command = [compiler, *FLAGS, f"-I{SOURCE_FOLDER}", *_system_headers(), "-c", str(source), "-o", str(target)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        remedy = ""
        if "bpf/bpf_helpers.h" in result.stderr:
            remedy = "apt-get install --no-install-recommends libbpf-dev"
        raise UserError(f"{source.name} does not compile:\n{result.stderr.rstrip()}", remedy)


def _system_headers() -> list[str]:
    """Where Debian has the processor's own headers, which the target bpf does not look for."""
    return [f"-I/usr/include/{triplet}"] if (triplet := sysconfig.get_config_var("MULTIARCH")) else []
