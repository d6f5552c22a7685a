"""Writes the Debian package: `python -m switch.packages.debian --binaries FOLDER --architecture amd64 --out FOLDER`. Needs dpkg-deb."""

from __future__ import annotations

import gzip
import subprocess
import tempfile
from pathlib import Path

from common.command_end import end_with
from common.whole_files import whole_file
from switch.packages import command_line
from switch.packages.contents import MODULE, NAME, SUMMARY, File, Kind, files, version

CONFLICTS = "p4lang-p4c, p4lang-bmv2"
"""Packages of others that have commands of the same names."""
LIBC = "2.17"
"""The C library that the commands are linked for."""
BEFORE_REMOVAL = f"""#!/bin/sh
set -e
rm -rf /{Kind.MODULE.value}/__pycache__
"""
"""Files that Python has compiled are not the package's own, and would be left behind."""
DESCRIPTION = f"""{SUMMARY[2:]}
 The commands are drop-in: p4c, p4c-bm2-ss, simple_switch_grpc, simple_switch and simple_switch_CLI read the same
 options and write the same files (BMv2 JSON, P4Info) as p4lang's, and the switch serves P4Runtime. They are no
 work of p4lang's. p4test runs packet tests (STF), p4switch networks with modelled links, p4graph draws programs,
 p4-language-server tells editors of them.
 .
 The Python module nodectl_p4 compiles, runs and tests programs; pytest takes .stf files for tests."""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: the authors of the Nodectl testbed
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0. The licences of the libraries that the
 commands are linked with are in THIRD-PARTY-NOTICES.txt beside this file.
"""


def place(file: File) -> tuple[str, bytes]:
    """Where a file is in the package, and how."""
    if file.kind is Kind.METADATA:
        return f"{file.kind.value}/{MODULE}-{version()}.dist-info/{file.name}", file.data
    if file.kind is Kind.SHARED and file.name.startswith("man/"):
        return f"{file.kind.value}/{file.name}.gz", gzip.compress(file.data, mtime=0)
    if file.kind is Kind.LICENSE and file.name == "LICENSE":
        return f"{file.kind.value}/copyright", COPYRIGHT.encode()
    return f"{file.kind.value}/{file.name}", file.data


def write(binaries: Path, architecture: str, out: Path, runnable: Path) -> Path:
    """Write the package for `amd64` or `arm64`; its path. `binaries` and `runnable` are those of `contents.files`.

    Raises FileNotFoundError if something is not built, CalledProcessError if dpkg-deb fails.
    """
    path = out / f"{NAME}_{version()}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "root"
        size = 0
        for file in files(binaries, runnable):
            name, data = place(file)
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o755 if file.kind is Kind.COMMAND else 0o644)
            size += len(data)
        control = [
            f"Package: {NAME}",
            f"Version: {version()}",
            f"Architecture: {architecture}",
            "Maintainer: the Nodectl testbed <nodectl@localhost>",
            f"Installed-Size: {size // 1024}",
            f"Depends: libc6 (>= {LIBC})",
            "Suggests: python3, python3-pytest (>= 7), graphviz",
            f"Conflicts: {CONFLICTS}",
            "Section: net",
            "Priority: optional",
            f"Description: {DESCRIPTION}",
        ]
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text("\n".join(control) + "\n")
        (root / "DEBIAN" / "prerm").write_text(BEFORE_REMOVAL)
        (root / "DEBIAN" / "prerm").chmod(0o755)
        root.chmod(0o755)
        with whole_file(path) as unfinished:
            subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, unfinished], check=True, stdout=subprocess.DEVNULL)
    return path


if __name__ == "__main__":
    end_with(lambda: command_line.main("debian", "Write the Debian package of the P4 toolchain.", "architecture", "amd64 or arm64", write))
