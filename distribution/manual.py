"""Manual pages and bash completions, from what each command's `--help` says."""

from __future__ import annotations

import subprocess
from pathlib import Path

from distribution.contents import COMMANDS, SUMMARY, version


def _escaped(text: str) -> str:
    """Text for roff: no line may begin with one of its control characters."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def page(name: str, help_text: str) -> str:
    """The manual page of a command."""
    head, _, rest = help_text.partition("Usage:")
    usage, _, options = rest.partition("\n")
    about = " ".join(head.split()) or SUMMARY
    short = about.split(". ")[0].rstrip(".")
    parts = [
        f'.TH "{name.upper()}" 1 "" "nodectl-p4 {version()}"',
        f".SH NAME\n{_escaped(name)} \\- {_escaped(short)}",
        f".SH SYNOPSIS\n{_escaped(usage.strip())}",
        f".SH DESCRIPTION\n{_escaped(about)}",
        f".SH OPTIONS\n.nf\n{_escaped(options.strip(chr(10)))}\n.fi",
    ]
    return "\n".join(parts) + "\n"


def completion(name: str) -> str:
    """A script for bash-completion, whose `_longopt` asks the command itself."""
    return f"complete -F _longopt {name}\n"


def pages(runnable: Path) -> dict[str, str]:
    """The pages of all commands, by file name. `runnable` is a folder with commands that this machine runs."""
    texts = {}
    for name in COMMANDS:
        result = subprocess.run([str(runnable / name), "--help"], capture_output=True, text=True, check=True)
        texts[f"{name}.1"] = page(name, result.stdout)
    return texts


def completions() -> dict[str, str]:
    """The completion scripts of all commands, by file name."""
    return {name: completion(name) for name in COMMANDS}
