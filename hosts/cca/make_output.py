"""The errors of each module in the output of the kernel's `make`: the compiler's messages, as they are for a scheme's own file."""

from __future__ import annotations

import re
from pathlib import Path

_COMPILES = re.compile(r"\s*CC \[M\]\s+(?P<object>\S+)\.o$")
_STEP = re.compile(r"\s*[A-Z]+(?: \[M\])?\s+\S+$")
_LINKS = re.compile(r'ERROR: modpost: "(?P<symbol>\w+)" \[(?P<module>\S+)\.ko\] undefined!')


def messages_by_target(output: str, work: Path) -> dict[str, str]:
    """The errors in ``output`` by name of module; lines about the generated files in ``work`` are left out."""
    messages: dict[str, list[str]] = {}
    target: str | None = None
    for line in output.splitlines():
        compiles, links = _COMPILES.fullmatch(line), _LINKS.search(line)
        if compiles:
            target = Path(compiles["object"]).name
        elif links:
            undefined = f"the kernel has no function {links['symbol']} for modules"
            messages.setdefault(Path(links["module"]).name, []).append(undefined)
        elif line.startswith("make") or _STEP.fullmatch(line):
            target = None
        elif target is not None and str(work) not in line:
            messages.setdefault(target, []).append(line)
    texts = {name: "\n".join(lines).rstrip() for name, lines in messages.items()}
    return {name: text for name, text in texts.items() if "error: " in text or "the kernel has no function" in text}
