"""Writes the wheel of the testbed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import virtual_time.kernel.build as kernel_build
from common.errors import UserError
from common.installation import BROUGHT, NOTE, Note
from common.whole_files import whole_file
from engine.collect.provenance import project_commit
from hosts.cca.modules import CACHE_FOLDER
from hosts.service.watch_object import watch_object
from switch.packages.wheel import Wheel, head, platforms
from testbed.packaging.kernel_headers import pack
from testbed.packaging.layers import packed_layers, program_places
from testbed.packaging.metadata import MODULE, core_metadata, entry_points, project
from testbed.packaging.modules import built_modules, wanted_schemes
from testbed.packaging.tree import built_files, project_files
from virtual_time.file_system.brought_layers import SUFFIX
from virtual_time.file_system.layer import files_below

TREE = f"{MODULE}/tree"
OWN = Path(__file__).resolve().parent / MODULE
GENERATOR = "nodectl-testbed"


def write(binaries: Path, platform: str, out: Path, jobs: int) -> Path:
    """Write it, and return its path.

    Args:
        binaries: folder of the toolchain's commands.
        platform: the oldest that these run on, such as ``manylinux_2_17_x86_64``; the kernel and all inside it need nothing of it.
        out: folder of the wheel.
        jobs: compilers at a time.

    Raises:
        UserError: something is not built or not installed.
    """
    kernel = kernel_build.find()
    if kernel is None:
        raise UserError("the user-mode kernel is not built", "make kernel")
    layers = list(packed_layers(out / "layers"))
    version = str(project()["version"])
    note = Note(version, project_commit(), kernel.key, {one.name: one.brought for one in layers}, program_places())
    release = f"{MODULE}-{version}"
    path = out / f"{release}-py3-none-{'.'.join(platforms(platform))}.whl"
    files = dict(project_files()) | dict(built_files(kernel.folder, binaries)) | dict(_compiled(kernel.folder, jobs))
    files |= {f"{BROUGHT.name}/kernel/{kernel.key}/{one.name}": one for one in pack(kernel.folder, wanted_schemes(), out / "kernel")}
    files |= {f"{BROUGHT.name}/layers/{one.name}{SUFFIX}": one.file for one in layers}
    with whole_file(path) as unfinished:
        wheel = Wheel(unfinished)
        for name, file in sorted(files_below(OWN, MODULE).items()):
            wheel.add(name, file.read_bytes())
        wheel.add(f"{TREE}/{NOTE}", note.text().encode())
        for name, file in sorted(files.items()):
            wheel.add(f"{TREE}/{name}", file.read_bytes(), executable=bool(file.stat().st_mode & 0o100))
        info = f"{release}.dist-info"
        wheel.add(f"{info}/METADATA", core_metadata())
        wheel.add(f"{info}/entry_points.txt", entry_points())
        wheel.add(f"{info}/WHEEL", head(GENERATOR, platform))
        wheel.close(info)
    return path


def _compiled(kernel: Path, jobs: int) -> Iterator[tuple[str, Path]]:
    for module in built_modules(kernel, jobs):
        yield f"{BROUGHT.name}/cca-modules/{module.relative_to(CACHE_FOLDER)}", module
    service = watch_object()
    yield f"{BROUGHT.name}/cca/{service.name}", service
