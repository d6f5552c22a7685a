"""The wheel's metadata for pip."""

from __future__ import annotations

import tomllib
from typing import Any

from common.installation import PROJECT
from switch.packages.contents import COMMANDS

MODULE = "nodectl_testbed"
EXTRAS = ("cca", "cluster", "notebook")
"""The extras of pyproject.toml that are of use to somebody who has installed the testbed."""

HOME_PAGE = PROJECT / "docs" / "install.md"
LICENSES = "Apache-2.0 AND GPL-2.0-only"


def project() -> dict[str, Any]:
    """The table of pyproject.toml."""
    table = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(table, dict)
    return table


def core_metadata() -> bytes:
    """Core metadata (PEP 643). It asks for dependencies as new as those that were tried, or newer."""
    table, tried = project(), _tried()
    fields = [
        "Metadata-Version: 2.4",
        f"Name: {table['name']}",
        f"Version: {table['version']}",
        f"Summary: {table['description']}",
        f"License-Expression: {LICENSES}",
        f"Requires-Python: {table['requires-python']}",
    ]
    needed = [*table["dependencies"], *table["optional-dependencies"]["page"]]
    fields += [f"Requires-Dist: {name}>={tried[name]}" for name in needed]
    for extra in EXTRAS:
        fields.append(f"Provides-Extra: {extra}")
        fields += [f'Requires-Dist: {name}>={tried[name]}; extra == "{extra}"' for name in table["optional-dependencies"][extra]]
    fields.append("Description-Content-Type: text/markdown")
    return ("\n".join(fields) + "\n\n" + HOME_PAGE.read_text(encoding="utf-8")).encode()


def entry_points() -> bytes:
    """The commands: the testbed's, and those of the P4 toolchain."""
    testbed = [f"{name} = {MODULE}.__main__:main" for name in ("testbed", project()["name"])]  # `uvx PACKAGE` wants the package's name
    lines = ["[console_scripts]", *testbed, *(f"{name} = {MODULE}.__main__:run_command" for name in COMMANDS)]
    return ("\n".join(lines) + "\n").encode()


def _tried() -> dict[str, str]:
    lines = (PROJECT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return dict(line.partition("==")[::2] for line in lines if "==" in line)
