"""``python -m hosts.cca``: list, build, load and unload the BPF congestion controls."""

from __future__ import annotations

import argparse
import sys

from hosts.cca import loader
from hosts.cca.build import build
from hosts.cca.constants import constants_of, split_words
from hosts.cca.libbpf import BpfError
from hosts.cca.sources import find
from protocol.errors import EXIT_CANNOT_RUN, UserError


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
        if name == "load":
            command.add_argument("names", nargs="*", metavar="NAME | CONSTANT=VALUE", help="default: all; e.g. qtcol alpha=1.5")
            command.add_argument("--keep-going", action="store_true", help="say which schemes cannot be had here and go on with the others")
        else:
            command.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args(arguments)
    try:
        if getattr(options, "keep_going", False):
            _load_what_can_be(options.names)
        else:
            _run(options.command, getattr(options, "names", []))
    except (UserError, BpfError) as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


def _run(command: str, names: list[str]) -> None:
    if command == "list":
        for entry in loader.list_all():
            settings = f" [{entry.constants}]" if entry.constants else ""
            print(f"{entry.name:<16}{entry.origin:<20}{entry.title}{settings}".rstrip())
        _print_constants()
    elif command == "build":
        for scheme in find(names):
            print(f"{scheme.name}: {build(scheme)}")
    elif command == "load":
        names, constants = split_words(names)
        added = loader.register(names, constants=constants)
        for scheme in find(names):
            settings = f", with {' '.join(f'{name}={value}' for name, value in constants.items())}" if constants else ""
            print(
                f"{scheme.name}: {'registered' if scheme.name in added else 'there'}{settings or ' already' * (scheme.name not in added)}"
            )
    else:
        removed = loader.unregister(names or None)
        for outcome in removed:
            print(f"{outcome.name}: unregistered" + (", open connections keep it until they close" if outcome.in_use else ""))
        if not removed:
            print("nothing to unregister")


def _load_what_can_be(names: list[str]) -> None:
    added, missing = loader.register_possible(names)
    lost = {entry.name for entry in missing}
    for scheme in find(names):
        if scheme.name not in lost:
            print(f"{scheme.name}: {'registered' if scheme.name in added else 'there already'}")
    for reason in dict.fromkeys(entry.reason for entry in missing):
        print(f"missing: {', '.join(entry.name for entry in missing if entry.reason == reason)}: {reason}", file=sys.stderr)
    if missing:
        print(f"going on with: {', '.join(loader.usable_names())}", file=sys.stderr)


def _print_constants() -> None:
    settable = [
        f"  {scheme.name} {constant.name}: {constant.limits}{'; ' if constant.meaning else ''}{constant.meaning}"
        for scheme in find([])
        for constant in constants_of(scheme).values()
    ]
    if settable:
        print("\nCan be set by `load NAME CONSTANT=VALUE`:", *settable, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
