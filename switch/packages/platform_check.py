"""Checks which Linux a wheel runs on: `python -m switch.packages.platform_check WHEEL PLATFORM`. Needs auditwheel."""

from __future__ import annotations

import json
import subprocess
import sys

from common.command_end import end_with


def platform_of(wheel: str) -> str:
    """The oldest platform that has all that the wheel's programs need, as auditwheel finds it.

    Raises CalledProcessError if it cannot be found out.
    """
    command = [sys.executable, "-m", "auditwheel", "show", "--json", wheel]
    return str(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["overall_tag"])


def main() -> int:
    """Read the command line; 1 if the wheel does not run on that platform."""
    wheel, wanted = sys.argv[1:]
    try:
        found = platform_of(wheel)
    except subprocess.CalledProcessError as error:
        print(f"platform_check: {error}", file=sys.stderr)
        return 2
    if found != wanted:
        print(f"platform_check: {wheel} is for {wanted}, but its programs need {found}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    end_with(main)
