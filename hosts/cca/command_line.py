"""``python -m hosts.cca``: list, build, load and unload the congestion controls."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common.errors import EXIT_CANNOT_RUN, UserError
from hosts.cca import loader, modules
from hosts.cca.build import build
from hosts.cca.constants import constants_of
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.libbpf import BpfError
from hosts.cca.registry import Missing
from hosts.cca.scheme_names import parse_all
from hosts.cca.sources import available, find


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code (0, or 2 with one clear message on stderr)."""
    parser = argparse.ArgumentParser(prog="python -m hosts.cca", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list available and loadable schemes, and where each comes from")
    building = commands.add_parser("build", help="compile schemes to build/cca/")
    building.add_argument("schemes", nargs="*", metavar="SCHEME", help="default: all")
    building.add_argument("--modules-for", type=Path, metavar="OBJECTS", help="as modules of the user-mode kernel whose objects are there")
    loading = commands.add_parser("load", help="register with the kernel what is not registered yet")
    loading.add_argument("schemes", nargs="*", metavar="SCHEME", help="default: all; e.g. qtcol, or 'qtcol(alpha=1.5)'")
    loading.add_argument("--keep-going", action="store_true", help="say which schemes cannot be had here and go on with the others")
    unloading = commands.add_parser("unload", help="unregister what `load` has registered")
    unloading.add_argument("schemes", nargs="*", metavar="SCHEME", help="default: all")
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except (UserError, BpfError) as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    return 0


def _run(options: argparse.Namespace) -> None:
    if options.command == "list":
        _list()
    elif options.command == "build":
        _build(options.schemes, options.modules_for)
    elif options.command == "load":
        _load(options.schemes, options.keep_going)
    else:
        removed = loader.unregister(options.schemes or None)
        for outcome in removed:
            if outcome.stays:
                print(f"{outcome.name}: stays until the open connections that have it close")
            else:
                print(f"{outcome.name}: unregistered" + (", open connections keep it until they close" if outcome.in_use else ""))
        if not removed:
            print("nothing to unregister")


def _build(schemes: list[str], objects: Path | None) -> None:
    if objects is None:
        for source in find(schemes):
            print(f"{source.name}: {build(source)}")
        return
    for scheme, path in modules.build(parse_all(schemes or list(available())), KernelTree(objects.resolve()), modules.CACHE_FOLDER).items():
        print(f"{scheme.text}: {path}")


def _list() -> None:
    entries = loader.list_all()
    width = max(len(entry.text) for entry in entries) + 2
    for entry in entries:
        print(f"{entry.text:<{width}}{entry.kernel_name:<17}{entry.origin:<20}{entry.title}".rstrip())
    print("\nFirst the name to use here, then the kernel's own, which other programs use.")
    settable = [
        f"  {source.name} {constant.name}: {constant.limits}, otherwise {constant.default_written}"
        f"{'; ' if constant.meaning else ''}{constant.meaning}"
        for source in find([])
        for constant in constants_of(source).values()
    ]
    if settable:
        print("\nCan be set, as in 'NAME(CONSTANT=VALUE)':", *settable, sep="\n")


def _load(schemes: list[str], keep_going: bool) -> None:
    wanted = [scheme.text for scheme in parse_all(schemes or list(available()))]
    missing: list[Missing] = []
    if keep_going:
        added, missing = loader.register_possible(wanted)
    else:
        added = loader.register(wanted)
    lost = {entry.name for entry in missing}
    for text in wanted:
        if text not in lost:
            print(f"{text}: {'registered' if text in added else 'there already'}")
    for reason in dict.fromkeys(entry.reason for entry in missing):
        print(f"missing: {', '.join(entry.name for entry in missing if entry.reason == reason)}: {reason}", file=sys.stderr)
    if missing:
        print(f"going on with: {', '.join(loader.usable_names())}", file=sys.stderr)
