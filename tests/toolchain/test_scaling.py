"""How the size of a compiled program grows with the number of each construct in it: at most as n log n."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import pairwise
from math import log2
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest

from bench.tools import RELEASE
from tests.harness.long_tests import LONG, only_long

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256) if LONG else (32, 64)
"""How many of a construct; each is twice the one before."""
NOTICED_FROM = 4
"""With fewer, the parts that are there once (the first temporary, the first table) hide the growth."""
MOST_TIME_GROWTH = 3.0
"""Twice as many may take this times the time: n log n is below 2.3 there, the rest is the machine's."""
UNNOTICED_S = 0.15
"""Less processor time than this is that of starting a process."""
PATIENCE_S = 120.0


def most_growth(count: int) -> float:
    """How much larger the output may be with twice as many as `count`: as n log n grows."""
    return 2 * (1 + 1 / log2(count))


def program(declarations: str = "", headers: str = "", states: str = "", local: str = "", ingress: str = "") -> str:
    """A program around the construct."""
    start = states or "state start { p.extract(h.b); transition accept; }"
    return f"""#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> x; }}
{declarations}
struct H {{ b_t b; {headers} }}
struct M {{ bit<8> m; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ {start} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{ {local} apply {{ s.egress_spec = 1; {ingress} }} }}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def each(text: str, count: int, joint: str = " ") -> str:
    """The text so many times, each with its number in the place of `#`."""
    return joint.join(text.replace("#", str(number)) for number in range(count))


CONSTRUCTS: dict[str, Callable[[int], str]] = {
    "header fields": lambda n: program(f"header f_t {{ {each('bit<8> f#;', n)} }}", "f_t f;"),
    "headers": lambda n: program(headers=each("b_t h#;", n)),
    "elements of a stack": lambda n: program(headers=f"b_t[{n}] s;"),
    "a read by a run-time index": lambda n: program(headers=f"b_t[{n}] s;", ingress="h.b.x = h.s[h.b.x].x;"),
    "a write by a run-time index": lambda n: program(headers=f"b_t[{n}] s;", ingress="h.s[h.b.x].x = h.b.x;"),
    "states": lambda n: program(
        states=f"state start {{ transition s0; }} {each('state s# { p.extract(h.b); transition t#; }', n)} "
        + " ".join(f"state t{i} {{ transition {f's{i + 1}' if i + 1 < n else 'accept'}; }}" for i in range(n))
    ),
    "cases of select": lambda n: program(
        states="state start { p.extract(h.b); transition select(h.b.x) { "
        + " ".join(f"{i % 256} &&& {1 + i // 256}: accept;" for i in range(n))
        + " default: reject; } }"
    ),
    "actions": lambda n: program(local=each("action a#() { h.b.x = #; }", n), ingress=each("a#();", n)),
    "tables": lambda n: program(local=each("table t# { actions = { NoAction; } }", n), ingress=each("t#.apply();", n)),
    "keys": lambda n: program(
        f"header f_t {{ {each('bit<8> f#;', n)} }}",
        "f_t f;",
        local=f"table t {{ key = {{ {each('h.f.f#: exact;', n)} }} actions = {{ NoAction; }} }}",
        ingress="t.apply();",
    ),
    "entries": lambda n: program(
        local="action a(bit<8> v) { h.b.x = v; } table t { key = { h.b.x: exact; } actions = { a; NoAction; } "
        + f"default_action = NoAction; const entries = {{ {each('#: a(#);', n)} }} }}",
        ingress="t.apply();",
    ),
    "assignments": lambda n: program(ingress=each("h.b.x = h.b.x + #;", n)),
    "conditions": lambda n: program(ingress=each("if (h.b.x == #) { m.m = #; }", n)),
    "branches of else if": lambda n: program(ingress=each("if (h.b.x == #) { m.m = #; }", n, " else ")),
    "cases of switch": lambda n: program(ingress=f"switch (h.b.x) {{ {each('#: { m.m = #; }', n)} default: {{ m.m = 9; }} }}"),
    "choices": lambda n: program(ingress=f"m.m = {each('h.b.x == # ? 8w#', n, ' : ')} : 8w9;"),
    "sums": lambda n: program(ingress=f"m.m = {each('h.b.x', n, ' + ')};"),
    "differences": lambda n: program(ingress=f"m.m = {each('h.b.x', n, ' - ')};"),
    "truth values": lambda n: program(ingress=f"if ({each('h.b.x == #', n, ' || ')}) {{ m.m = 1; }}"),
    "calls of a function": lambda n: program("bit<8> f(in bit<8> v) { return v + 1; }", ingress=each("m.m = f(m.m);", n)),
    "functions that call the next": lambda n: program(
        "bit<8> f0(in bit<8> v) { return v; } " + " ".join(f"bit<8> f{i}(in bit<8> v) {{ return f{i - 1}(v) + 1; }}" for i in range(1, n)),
        ingress=f"m.m = f{n - 1}(m.m);",
    ),
    "controls": lambda n: program(
        "control C(inout bit<8> v) { apply { v = v + 1; } }", local=each("C() c#;", n), ingress=each("c#.apply(m.m);", n)
    ),
    "registers": lambda n: program(local=each("register<bit<8>>(4) r#;", n), ingress=each("r#.write(0, h.b.x);", n)),
    "local variables": lambda n: program(ingress=each("bit<8> v# = h.b.x; m.m = v# + m.m;", n)),
    "exits": lambda n: program(ingress=each("if (h.b.x == #) { exit; }", n)),
}


def seconds(folder: Path, *command: str | Path) -> float:
    """Processor time of a command that ends well."""
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, cwd=folder, check=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, capture_output=True)
    return getrusage(RUSAGE_CHILDREN).ru_utime - before


def compile_seconds(folder: Path, source: str) -> float:
    """Processor time of compiling a program to `t.json`."""
    (folder / "t.p4").write_text(source)
    return seconds(folder, RELEASE / "p4c-bm2-ss", "-o", "t.json", "t.p4")


def load_seconds(folder: Path) -> float:
    """Processor time of loading `t.json`."""
    return seconds(folder, RELEASE / "p4sim", "t.json")


def json_bytes(folder: Path, source: str) -> int:
    """Size of a program's JSON."""
    compile_seconds(folder, source)
    return (folder / "t.json").stat().st_size


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_size_grows_with_the_number(name: str, tmp_path: Path) -> None:
    empty = json_bytes(tmp_path, program())
    sizes = [json_bytes(tmp_path, CONSTRUCTS[name](count)) - empty for count in SIZES]
    load_seconds(tmp_path)
    for (count, before), (_, after) in pairwise(zip(SIZES, sizes, strict=True)):
        assert count < NOTICED_FROM or after <= before * most_growth(count), f"{count} of {name}: {before} bytes, twice: {after}"


@only_long
@pytest.mark.parametrize("name", CONSTRUCTS)
def test_time_grows_with_the_number(name: str, tmp_path: Path) -> None:
    times = []
    for count in SIZES[-2:]:
        times.append((compile_seconds(tmp_path, CONSTRUCTS[name](count)), load_seconds(tmp_path)))
    for what, before, after in zip(("compile", "load"), *times, strict=True):
        assert after <= max(MOST_TIME_GROWTH * before, UNNOTICED_S), f"{what} {name}: {before} s, twice as many: {after} s"


def levels(first: str, each_next: str, count: int) -> str:
    """Declarations of which each calls the one before twice: `#` is the number, `@` the one before."""
    return " ".join([first, *(each_next.replace("#", str(i)).replace("@", str(i - 1)) for i in range(1, count + 1))])


INLINED: dict[str, Callable[[int], str]] = {
    "functions": lambda n: program(
        levels("bit<8> f0(in bit<8> v) { return v; }", "bit<8> f#(in bit<8> v) { return f@(v) + f@(v + 1); }", n),
        ingress=f"m.m = f{n}(m.m);",
    ),
    "actions": lambda n: program(local=levels("action a0() { m.m = m.m + 1; }", "action a#() { a@(); a@(); }", n), ingress=f"a{n}();"),
    "controls": lambda n: program(
        levels(
            "control C0(inout bit<8> v) { apply { if (v == 1) { v = v + 1; } } }",
            "control C#(inout bit<8> v) { C@() c; apply { c.apply(v); c.apply(v); } }",
            n,
        ),
        local=f"C{n}() c;",
        ingress="c.apply(m.m);",
    ),
    "parsers": lambda n: program(
        levels(
            "parser Q0(packet_in p, inout b_t b) { state start { p.extract(b); transition accept; } }",
            "parser Q#(packet_in p, inout b_t b) { Q@() q; state start { q.apply(p, b); q.apply(p, b); transition accept; } }",
            n,
        ),
        states=f"Q{n}() q; state start {{ q.apply(p, h.b); transition accept; }}",
    ),
    "functions of a parser": lambda n: program(
        levels("void f0(inout bit<8> v) { if (v == 1) { v = v + 1; } }", "void f#(inout bit<8> v) { f@(v); f@(v); }", n),
        states=f"state start {{ p.extract(h.b); f{n}(m.m); transition accept; }}",
    ),
}
"""A construct that is called twice at each level is inlined twice: the output doubles."""


@pytest.mark.parametrize("name", INLINED)
def test_output_of_inlining_only_doubles_with_a_level(name: str, tmp_path: Path) -> None:
    before, after = (json_bytes(tmp_path, INLINED[name](count)) for count in (7, 8))
    assert after <= 2.2 * before, f"{before} bytes, one more level: {after}"


@only_long
@pytest.mark.parametrize("name", INLINED)
def test_time_of_inlining_only_doubles_with_a_level(name: str, tmp_path: Path) -> None:
    before, after = (compile_seconds(tmp_path, INLINED[name](count)) for count in (13, 14))
    assert after <= max(MOST_TIME_GROWTH * before, UNNOTICED_S), f"{before} s, one more level: {after} s"
