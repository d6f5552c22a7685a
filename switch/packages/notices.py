"""Names and licences of the crates that the commands are linked with; every copy of the commands has to come with them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

FILE = "THIRD-PARTY-NOTICES.txt"
NAMED = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "UNLICENSE*", "license*")


def text(manifest: Path) -> str:
    """Notices of all crates that the workspace of `manifest` is linked with. Equal licence texts stand there once.

    Raises CalledProcessError if cargo fails.
    """
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    done = subprocess.run([*command, "--manifest-path", manifest], check=True, stdout=subprocess.PIPE)
    crates = linked(json.loads(done.stdout))
    holders: dict[str, list[str]] = {}
    lines = ["The commands contain these crates, each under the licence beside it; the texts follow.", ""]
    for crate in crates:
        title = f"{crate['name']} {crate['version']}"
        lines.append(f"{title}: {crate['license'] or 'see its text'}")
        folder = Path(crate["manifest_path"]).parent
        for path in sorted({path for pattern in NAMED for path in folder.glob(pattern) if path.is_file()}):
            holders.setdefault(path.read_text(errors="replace").strip(), []).append(title)
    for licence, titles in holders.items():
        lines += ["", "=" * 80, ", ".join(dict.fromkeys(titles)), "", licence]
    return "\n".join(lines) + "\n"


def linked(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """The crates of others in what `cargo metadata` says that end in a program: not those which only build or test it."""
    dependencies = {
        node["id"]: [part["pkg"] for part in node["deps"] if any(kind["kind"] is None for kind in part["dep_kinds"])]
        for node in metadata["resolve"]["nodes"]
    }
    reached: set[str] = set()
    waiting = list(metadata["workspace_members"])
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += dependencies[one]
    own = set(metadata["workspace_members"])
    crates = [crate for crate in metadata["packages"] if crate["id"] in reached - own]
    return sorted(crates, key=lambda crate: (crate["name"], crate["version"]))
