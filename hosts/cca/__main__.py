"""``python -m hosts.cca``: list, build, load and unload the BPF congestion controls."""

from __future__ import annotations

import argparse
import sys

from hosts.cca import loader
from hosts.cca.build import build
from hosts.cca.libbpf import BpfError
from hosts.cca.sources import find
from nodectl.errors import EXIT_CANNOT_RUN, UserError


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (0, or 2 with one clear message on stderr)."""
    parser = argparse.ArgumentParser(prog="python -m hosts.cca", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what can be chosen now, what could be loaded, and where each comes from")
    for name, text in (
        ("build", "compile schemes to build/cca/"),
        ("load", "register with the kernel what it does not have yet"),
        ("unload", "unregister what `load` has registered"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args(arguments)
    try:
        _run(options.command, getattr(options, "names", []))
    except (UserError, BpfError) as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


def _run(command: str, names: list[str]) -> None:
    if command == "list":
        for entry in loader.list_all():
            print(f"{entry.name:<16}{entry.origin:<20}{entry.title}".rstrip())
    elif command == "build":
        for scheme in find(names):
            print(f"{scheme.name}: {build(scheme)}")
    elif command == "load":
        added = loader.register(names)
        for scheme in find(names):
            print(f"{scheme.name}: {'registered' if scheme.name in added else 'there already'}")
    else:
        removed = loader.unregister(names or None)
        for outcome in removed:
            print(f"{outcome.name}: unregistered" + (", open connections keep it until they close" if outcome.in_use else ""))
        if not removed:
            print("nothing to unregister")


if __name__ == "__main__":
    sys.exit(main())
