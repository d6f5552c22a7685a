"""Runs the embedded toolchain over a checkout of p4c's own test programs and reports what passes.

    python tests/conformance/p4c_testdata.py TESTDATA [--only WORD] [--p4c COMPILER] [--list]

TESTDATA is a folder with `p4_16_samples`, `p4_16_errors` and their `_outputs` (p4c's `testdata`), or a part of one; the
script runs the parts that are there. None of it is in this repository. Four questions are asked:

- compile: every v1model sample becomes BMv2 JSON; every sample for no architecture passes the front end (`--check`);
- p4info: the P4Info of a v1model sample says the same as p4c's reference file;
- stf: every packet test beside a v1model sample passes (`p4test`);
- reject: every error program for v1model or for no architecture is refused (`p4_16_bmv_errors` too).

With `--p4c`, a compiler to compare with is asked too, and programs that it treats alike are told apart from the others.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
BINARIES = REPOSITORY / "switch" / "target" / "release"
TIMEOUT_S = 120
MAIN = re.compile(r"\bmain\s*[;=]")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """The answer to one question about one program."""

    question: str
    program: str
    passed: bool
    reason: str = ""
    as_p4c: bool | None = None


def includes(path: Path, seen: set[Path] | None = None) -> set[str]:
    """Names of all files that a program includes, also through files beside it."""
    seen = seen if seen is not None else set()
    if path in seen or not path.exists():
        return set()
    seen.add(path)
    names = set(INCLUDE.findall(path.read_text(errors="replace")))
    for name in tuple(names):
        names |= includes((path.parent / name).resolve(), seen)
    return names


def architecture(path: Path) -> str:
    """`v1model`, `core` (none), or the name of another one."""
    names = {Path(name).name for name in includes(path)}
    if "v1model.p4" in names:
        return "v1model"
    others = {"psa.p4", "pna.p4", "ebpf_model.p4", "ubpf_model.p4", "xdp_model.p4", "tna.p4", "t2na.p4", "tc.p4"} & names
    return others.pop() if others else "core"


def run(command: list[str | Path]) -> tuple[int, str]:
    """Exit code and first message; a crash or a hang is no answer (code -1)."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, errors="replace")
    except subprocess.TimeoutExpired:
        return -1, f"no end after {TIMEOUT_S} s"
    text = result.stderr + result.stdout
    if result.returncode < 0 or "internal compiler error" in text:
        return -1, f"crashed: {text[:200]}"
    lines = [line for line in text.splitlines() if "error" in line.lower() or "expected" in line.lower()]
    return result.returncode, (lines or text.splitlines() or [""])[0][:200]


def canonical(message: Any) -> Any:
    """A protobuf message as nested tuples without the order of repeated messages."""
    parts = []
    for field, value in message.ListFields():
        if field.message_type is None:
            parts.append((field.name, tuple(sorted(value)) if field.is_repeated else value))
        elif field.message_type.GetOptions().map_entry:
            items = [(key, canonical(item) if hasattr(item, "ListFields") else item) for key, item in value.items()]
            parts.append((field.name, tuple(sorted(items, key=repr))))
        elif field.is_repeated:
            parts.append((field.name, tuple(sorted((canonical(item) for item in value), key=repr))))
        else:
            parts.append((field.name, canonical(value)))
    return tuple(parts)


def same_p4info(ours: Path, reference: Path) -> str:
    """Empty if two P4Info files say the same, else what differs first."""
    from finsy.proto.p4.config.v1 import p4info_pb2
    from google.protobuf import text_format

    messages = []
    for path in (ours, reference):
        text = path.read_text(errors="replace")
        messages.append(text_format.Parse(text, p4info_pb2.P4Info()))
    for field in messages[0].DESCRIPTOR.fields:
        left, right = (canonical_field(message, field) for message in messages)
        if left != right:
            return f"{field.name} differ"
    return ""


def canonical_field(message: Any, field: Any) -> Any:
    """One field of the top message, without the order of its items."""
    value = getattr(message, field.name)
    if field.is_repeated:
        return sorted((canonical(item) for item in value), key=repr)
    return canonical(value)


class Suite:
    """The questions, over one folder."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.root: Path = options.testdata
        self.only: str = options.only
        self.p4c: Path | None = options.p4c
        self.include: list[str | Path] = [part for folder in options.include for part in ("-I", folder)]
        self.compiler = options.binaries / "p4c-bm2-ss"
        self.tester = options.binaries / "p4test"
        self.work = Path(tempfile.mkdtemp(prefix="conformance-"))

    def programs(self, folder: str) -> list[Path]:
        """The programs of one folder that were asked for."""
        return [path for path in sorted((self.root / folder).glob("*.p4")) if self.only in path.name]

    def peer(self, path: Path, *, accepts: bool) -> bool | None:
        """Whether the other compiler gives the given answer too."""
        if self.p4c is None:
            return None
        code, _ = run([self.p4c, "-I", path.parent, "-o", self.work / f"{path.stem}.peer.json", path])
        return (code == 0) == accepts

    def compile(self, path: Path) -> Iterable[Outcome]:
        """Compile, P4Info and packet test of a sample."""
        kind = architecture(path)
        if kind == "core":
            code, reason = run([self.compiler, "--check", *self.include, path])
            yield Outcome("compile (core)", path.name, code == 0, reason)
        if kind != "v1model":
            return
        json, info = self.work / f"{path.stem}.json", self.work / f"{path.stem}.txtpb"
        command = [self.compiler, *self.include, "-o", json, "--p4runtime-files", info, path]
        code, reason = run(command)
        # Without `main` there is only P4Info, and the exit status is 1, as p4c's.
        has_main = MAIN.search(path.read_text(errors="replace"))
        passed = code == 0 or (code == 1 and not has_main and info.exists())
        yield Outcome("compile (v1model)", path.name, passed, reason, None if passed else self.peer(path, accepts=False))
        reference = self.root / f"{path.parent.name}_outputs" / f"{path.name}.p4info.txtpb"
        if reference.exists() and passed:
            difference = same_p4info(info, reference)
            yield Outcome("p4info", path.name, not difference, difference)
        test = path.with_suffix(".stf")
        if test.exists():
            code, reason = run([self.tester, "--quiet", *self.include, "--compiler", self.compiler, path, test])
            yield Outcome("stf", path.name, code == 0, reason)

    def reject(self, path: Path) -> Iterable[Outcome]:
        """An error program must be refused, by a message."""
        kind = architecture(path)
        if kind not in ("core", "v1model"):
            return
        output = self.work / f"{path.stem}.json"
        to: list[str | Path] = ["--check"] if kind == "core" else ["-o", output]
        command = [self.compiler, *self.include, *to, path]
        code, reason = run(command)
        passed = code == 1
        agrees = None if passed else self.peer(path, accepts=True)
        yield Outcome(f"reject ({kind})", path.name, passed, "" if passed else reason or "accepted", agrees)

    def all(self) -> list[Outcome]:
        """Every question about every program."""
        jobs: list[tuple[Callable[[Path], Iterable[Outcome]], Path]] = []
        jobs += [(self.compile, path) for path in self.programs("p4_16_samples")]
        for folder in ("p4_16_errors", "p4_16_bmv_errors"):
            jobs += [(self.reject, path) for path in self.programs(folder)]
        with ThreadPoolExecutor(2) as pool:
            return [outcome for outcomes in pool.map(lambda job: list(job[0](job[1])), jobs) for outcome in outcomes]


def report(outcomes: list[Outcome], show_passed: bool) -> bool:
    """Prints the counts and the remainder; true if all passed."""
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.question].append(outcome)
    for question, group in sorted(groups.items()):
        print(f"{question}: {sum(o.passed for o in group)} of {len(group)}")
        for outcome in group:
            if outcome.passed and not show_passed:
                continue
            peer = " [the other compiler does the same]" if outcome.as_p4c else ""
            print(f"  {'pass' if outcome.passed else 'FAIL'} {outcome.program}{peer} {outcome.reason}")
    return all(outcome.passed for outcome in outcomes)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("testdata", type=Path, help="folder with p4_16_samples, p4_16_errors, *_outputs")
    parser.add_argument("--only", default="", help="programs whose file name has this in it")
    parser.add_argument("-I", dest="include", action="append", default=[], help="folder for include files")
    parser.add_argument("--p4c", type=Path, help="another p4c-bm2-ss to compare with where ours fails")
    parser.add_argument("--binaries", type=Path, default=BINARIES, help="folder of p4c-bm2-ss and p4test")
    parser.add_argument("--list", action="store_true", help="list what passed, too")
    options = parser.parse_args()
    return 0 if report(Suite(options).all(), options.list) else 1


if __name__ == "__main__":
    sys.exit(main())
