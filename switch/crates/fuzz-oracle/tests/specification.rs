//! The interpreter against the examples and sentences of the P4_16 specification.

use fuzz_oracle::reference::{
    Action, Choice, Count, Entry, Match, Memory, Path, Profile, Replica, Sent, Stop, run_with,
};
use p4_syntax::{Diagnostics, Options, SourceMap};
use p4_types::typed::Program;

/// The parts that differ between programs; the input is the header `i`, the output the header `o`.
#[derive(Default)]
struct Parts<'a> {
    declarations: &'a str,
    states: &'a str,
    locals: &'a str,
    ingress: &'a str,
    metadata: &'a str,
    egress: &'a str,
}

fn outcome(parts: &Parts<'_>, frame: &[u8]) -> Result<Vec<Sent>, Stop> {
    outcome_with(parts, &mut Memory::default(), frame)
}

fn outcome_with(parts: &Parts<'_>, memory: &mut Memory, frame: &[u8]) -> Result<Vec<Sent>, Stop> {
    run_with(&typed(parts), memory, 3, frame)
}

fn typed(parts: &Parts<'_>) -> Program {
    let Parts { declarations, states, locals, ingress, metadata, egress } = parts;
    let states = if states.is_empty() { "state start { packet.extract(hdr.i); transition accept; }" } else { states };
    let source = format!(
        "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> a; bit<8> b; }}
struct headers_t {{ b_t i; b_t o; b_t[2] s; }}
struct meta_t {{ bit<8> m; {metadata} }}
{declarations}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ {states} }}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{locals}
apply {{ std.egress_spec = 1; {ingress} }} }}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ {egress} }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.o); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    );
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    let tree = p4_syntax::parse_text("test.p4", &source, &Options::default(), &mut sources, &mut diagnostics);
    match p4_types::check(&tree, &mut diagnostics) {
        Some(program) => program,
        None => panic!("{}", diagnostics.render(&sources)),
    }
}

/// Checks the value of `hdr.o` after these statements, with the packet 01 02.
#[track_caller]
fn gives(parts: &Parts<'_>, a: u8, b: u8) {
    assert_eq!(outcome(parts, &[1, 2]), Ok(vec![Sent { port: 1, data: vec![a, b] }]), "{}", parts.ingress);
}

/// An expression of type `bit<8>`.
#[track_caller]
fn is(expression: &str, value: u8) {
    let ingress = format!("hdr.o.setValid(); hdr.o.a = {expression}; hdr.o.b = 0;");
    gives(&Parts { ingress: &ingress, ..Parts::default() }, value, 0);
}

/// "Operations on fixed-width bit types", "on fixed-width signed integers", "Casts"; of variables, since the type checker
/// folds what is constant (`hdr.i.a` is 1, `hdr.i.b` 2).
#[test]
fn arithmetic() {
    is("hdr.i.a - hdr.i.b", 0xff);
    is("-hdr.i.a", 0xff);
    is("~hdr.i.b", 0xfd);
    is("hdr.i.a |-| hdr.i.b", 0);
    is("(8w254 + hdr.i.a) |+| hdr.i.b", 0xff);
    is("hdr.i.b << hdr.i.b", 8);
    is("hdr.i.b << (hdr.i.b + 6)", 0);
    is("(8w0x80 | hdr.i.a) >> hdr.i.a", 0x40);
    is("(bit<8>)((int<8>)(8w0x80 | hdr.i.a) >> hdr.i.a)", 0xc0);
    is("(bit<8>)((int<8>)(8w0x80 | hdr.i.a) >> (hdr.i.a + 8))", 0xff);
    is("(bit<8>)((int<8>)(8w0x7f) |+| (int<8>)hdr.i.a)", 0x7f);
    is("(bit<8>)(-8s127 |-| (int<8>)hdr.i.b)", 0x80);
    is("hdr.i.a[3:0] ++ hdr.i.b[3:0]", 0x12);
    is("hdr.i.b[1:1] ++ hdr.i.b[7:1]", 0x81);
    // To more bits: zeros, or the sign; to fewer: the lowest.
    is("(bit<8>)(bit<4>)(hdr.i.a + 8w0xfe)", 0x0f);
    is("(bit<8>)(int<8>)(int<4>)(hdr.i.a[3:0] + 4w0xe)", 0xff);
    is("(bit<8>)(bit<1>)(hdr.i.a < hdr.i.b)", 1);
    // -1 < 1, but 255 > 1
    is("(int<8>)(hdr.i.a - hdr.i.b) < (int<8>)hdr.i.a ? 8w1 : 8w0", 1);
    is("(hdr.i.a - hdr.i.b) < hdr.i.a ? 8w1 : 8w0", 0);
}

/// "Calling convention: call by copy in/copy out": the example `f(a, g(a))`.
#[test]
fn arguments_are_saved_from_left_to_right() {
    let declarations = "void f(inout bit<8> x, in bit<8> y) { x = x + y; }
        bit<8> g(inout bit<8> z) { z = 8w10; return 8w20; }";
    let ingress = "hdr.o = hdr.i; f(hdr.o.a, g(hdr.o.a));";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 21, 2);
}

/// "…are copied from left to right", and not before the end.
#[test]
fn results_are_copied_out_from_left_to_right() {
    let declarations = "void f(inout bit<8> x, out bit<8> y) { x = 8w5; y = 8w6; }";
    gives(&Parts { declarations, ingress: "hdr.o = hdr.i; f(hdr.o.a, hdr.o.a);", ..Parts::default() }, 6, 2);
    let locals = "action a(inout bit<8> x) { x = 8w5; hdr.o.b = hdr.o.a; }";
    gives(&Parts { locals, ingress: "hdr.o = hdr.i; a(hdr.o.a);", ..Parts::default() }, 5, 1);
}

/// "…the corresponding l-value is saved (so it cannot be changed by the evaluation of the following arguments)"
#[test]
fn l_values_are_saved() {
    let declarations = "bit<8> next(inout bit<8> i) { i = i + 1; return i; }
        void f(out bit<8> x, in bit<8> y) { x = y; }";
    let ingress = "hdr.s[0].setValid(); hdr.s[1].setValid(); hdr.s[0].a = 8w7; hdr.s[1].a = 8w7;
        meta.m = 0; f(hdr.s[meta.m].a, next(meta.m)); hdr.o.setValid(); hdr.o.a = hdr.s[0].a; hdr.o.b = hdr.s[1].a;";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 1, 7);
}

/// "Any copy-out behavior … still performed after the execution of the exit statement", of `return` too.
#[test]
fn exit_and_return_copy_out() {
    let locals = "action a(inout bit<8> x) { x = 8w5; exit; } action b(inout bit<8> x) { x = 8w6; return; }";
    gives(&Parts { locals, ingress: "hdr.o = hdr.i; a(hdr.o.a); hdr.o.b = 9;", ..Parts::default() }, 5, 2);
    gives(&Parts { locals, ingress: "hdr.o = hdr.i; b(hdr.o.a); hdr.o.b = 9;", ..Parts::default() }, 6, 9);
}

/// "`&&` and `||` use short-circuit evaluation", the conditional operator evaluates one of its operands.
#[test]
fn what_is_not_needed_is_not_evaluated() {
    let declarations = "bool f(inout bit<8> x) { x = x + 1; return true; }";
    let ingress = "hdr.o = hdr.i;
        if (hdr.o.a == 7 && f(hdr.o.a)) { }
        if (hdr.o.a == 1 || f(hdr.o.a)) { }
        bool c = hdr.o.a == 1 ? f(hdr.o.b) : f(hdr.o.a);";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 1, 3);
}

/// "If a select expression does not match any case, … the parser transitions to reject with error.NoMatch"; cases in order.
#[test]
fn select() {
    let state = |cases: &str| {
        format!(
            "state start {{ packet.extract(hdr.i); transition select(hdr.i.a) {{ {cases} }} }}
        state more {{ hdr.o = {{8w7, 8w8}}; transition accept; }}"
        )
    };
    let ingress = "if (std.parser_error == error.NoMatch) { hdr.o = {8w1, 8w0}; }
        else if (std.parser_error == error.PacketTooShort) { hdr.o = {8w2, 8w0}; }
        else if (!hdr.o.isValid()) { hdr.o = {8w3, 8w0}; }";
    for (cases, a, b) in
        [("2: more; 3 .. 9: accept;", 1, 0), ("0 &&& 0xfe: more; _: accept;", 7, 8), ("_: accept; 1: more;", 3, 0)]
    {
        gives(&Parts { states: &state(cases), ingress, ..Parts::default() }, a, b);
    }
    let parts = Parts { states: &state("_: more;"), ingress, ..Parts::default() };
    assert_eq!(outcome(&parts, &[1]), Ok(vec![Sent { port: 1, data: vec![2, 0, 1] }]));
}

/// "Two headers are equal if both are invalid, or both valid with equal fields"; an invalid header is not emitted.
#[test]
fn headers() {
    let ingress = "bool both = hdr.s[0] == hdr.s[1]; hdr.s[0].setValid(); bool one = hdr.s[0] == hdr.s[1];
        hdr.s[0] = hdr.i; hdr.s[1] = hdr.i; bool same = hdr.s[0] == hdr.s[1]; hdr.s[1].b = 9; bool other = hdr.s[0] == hdr.s[1];
        hdr.o = {(bit<4>)(bit<1>)both ++ (bit<4>)(bit<1>)one, (bit<4>)(bit<1>)same ++ (bit<4>)(bit<1>)other};";
    gives(&Parts { ingress, ..Parts::default() }, 0x10, 0x10);
    let nothing = Parts { ingress: "hdr.o.setInvalid();", ..Parts::default() };
    assert_eq!(outcome(&nothing, &[1, 2, 3]), Ok(vec![Sent { port: 1, data: vec![3] }]));
}

/// Longest prefix, first entry, priorities; the action of an entry gets its data.
#[test]
fn tables() {
    let run = |kind: &str, entries: &str, a: u8, b: u8| {
        let locals = format!(
            "action set(bit<8> d) {{ hdr.o = {{d, hdr.i.b}}; }}
            table t {{ key = {{ hdr.i.a: {kind}; }} actions = {{ set; }} const default_action = set(99); {entries} }}"
        );
        let ingress = "if (t.apply().hit) { } else { hdr.o.b = 9; }";
        gives(&Parts { locals: &locals, ingress, ..Parts::default() }, a, b);
    };
    run("exact", "const entries = { 1: set(3); 2: set(4); }", 3, 2);
    run("exact", "const entries = { 2: set(4); }", 99, 9);
    run("lpm", "const entries = { _: set(3); 0 &&& 0xf0: set(4); 0 &&& 0xfe: set(5); }", 5, 2);
    run("ternary", "const entries = { 0 &&& 0xf0: set(4); 1: set(5); }", 4, 2);
    run("ternary", "entries = { const priority = 2: 0 &&& 0xf0: set(4); const priority = 3: 1: set(5); }", 5, 2);
    run("range", "const entries = { 2 .. 9: set(4); 0 .. 1: set(5); }", 5, 2);
}

/// What is undefined is no result: a local that was not written, a field of an invalid header.
#[test]
fn undefined() {
    for ingress in ["bit<8> x; hdr.o = {x, 8w1};", "hdr.o = {hdr.s[0].a, 8w1};", "hdr.o.setValid(); hdr.o.a = 1;"] {
        let result = outcome(&Parts { ingress, ..Parts::default() }, &[1, 2]);
        assert!(matches!(result, Err(Stop::Undefined(_))), "{ingress}: {result:?}");
    }
    let copied = "bit<8> x; hdr.o = {x, 8w1}; hdr.o.a = 4;";
    gives(&Parts { ingress: copied, ..Parts::default() }, 4, 1);
}

/// `mark_to_drop`, and loops with `break` and `continue`.
#[test]
fn dropped_and_repeated() {
    let drops = Parts { ingress: "mark_to_drop(std);", ..Parts::default() };
    assert_eq!(outcome(&drops, &[1, 2]), Ok(vec![]));
    let ingress = "hdr.o = {8w0, 8w0};
        for (bit<8> i in 1..9) { if (i == 3) { continue; } if (i == 6) { break; } hdr.o.a = hdr.o.a + i; }
        for (bit<8> i = 0; i < 4; i = i + 1) { hdr.o.b = hdr.o.b + 1; }";
    gives(&Parts { ingress, ..Parts::default() }, 1 + 2 + 4 + 5, 4);
}

/// "Operations on header unions": one member at most is valid; an operation that makes one invalid makes all invalid.
#[test]
fn unions() {
    let declarations = "header_union u_t { b_t x; b_t y; }
        bit<8> state_of(in u_t u) {
            return (bit<8>)((bit<1>)u.isValid() ++ (bit<1>)u.x.isValid() ++ (bit<1>)u.y.isValid());
        }";
    for (statements, state) in [
        ("", 0b000),
        ("u.x = hdr.i;", 0b110),
        ("u.x = hdr.i; u.y.setValid();", 0b101),
        ("u.x = hdr.i; u.y.setInvalid();", 0b000),
        ("u.x = hdr.i; u.y = hdr.s[0];", 0b000),
        ("u_t w; w.y = hdr.i; u.x = hdr.i; u = w;", 0b101),
        ("u_t w; u.x = hdr.i; u = w;", 0b000),
    ] {
        let ingress = format!("u_t u; {statements} hdr.o.setValid(); hdr.o.a = state_of(u); hdr.o.b = 0;");
        gives(&Parts { declarations, ingress: &ingress, ..Parts::default() }, state, 0);
    }
}

/// "Operations on header stacks": elements move by the count, and invalid ones come in.
#[test]
fn stacks_move() {
    for (movement, first, second) in [
        ("hdr.s.push_front(1);", 0, 1),
        ("hdr.s.pop_front(1);", 1, 0),
        ("hdr.s.push_front(1); hdr.s.pop_front(1);", 1, 0),
        ("hdr.s.push_front(2);", 0, 0),
    ] {
        let fill = if movement.starts_with("hdr.s.pop") { 1 } else { 0 };
        let ingress = format!(
            "hdr.s[{fill}].setValid(); {movement} hdr.o.setValid();
            hdr.o.a = (bit<8>)(bit<1>)hdr.s[0].isValid(); hdr.o.b = (bit<8>)(bit<1>)hdr.s[1].isValid();"
        );
        gives(&Parts { ingress: &ingress, ..Parts::default() }, first, second);
    }
}

/// Each instance of a control has its own constructor parameters and registers, from application to application.
#[test]
fn instances_of_controls() {
    let declarations = "control count(out bit<8> total)(bit<8> step) {
            register<bit<8>>(1) r;
            apply { r.read(total, 0); total = total + step; r.write(0, total); }
        }";
    let locals = "count(8w1) one; count(8w10) ten;";
    let ingress = "hdr.o.setValid(); one.apply(hdr.o.a); ten.apply(hdr.o.b); one.apply(hdr.o.a);";
    gives(&Parts { declarations, locals, ingress, ..Parts::default() }, 2, 10);
}

/// A sub-parser gives back what it extracted; fields of variable length are assigned and compared.
#[test]
fn parsers_within_parsers() {
    let declarations = "parser inner(packet_in packet, out b_t taken, in bit<8> add) {
            state start { packet.extract(taken); taken.b = taken.b + add; transition accept; }
        }";
    let states = "inner() i; state start { i.apply(packet, hdr.i, 8w5); transition accept; }";
    gives(&Parts { declarations, states, ingress: "hdr.o = hdr.i;", ..Parts::default() }, 1, 7);
    let declarations = "header v_t { varbit<24> v; }";
    for (assignment, same) in [("", 0), ("y = x;", 1)] {
        let states = format!(
            "v_t x; v_t y; state start {{ packet.extract(x, 32w8); packet.extract(y, 32w8); {assignment}
            meta.m = (bit<8>)(bit<1>)(x.v == y.v); transition accept; }}"
        );
        let ingress = "hdr.o.setValid(); hdr.o.a = 0; hdr.o.b = meta.m;";
        gives(&Parts { declarations, states: &states, ingress, ..Parts::default() }, 0, same);
    }
}

/// "Operations on tuple expressions": the fields of a tuple are accessed as `x[0]`, `x[1]`; tuples of one type are equal if their
/// fields are pairwise equal.
#[test]
fn tuples() {
    let declarations = "tuple<bit<8>, bool> pair(in bit<8> x) { return {x, true}; }";
    let ingress = "tuple<bit<8>, bool> t = pair(hdr.i.b); tuple<bit<8>, bool> u = t;
        bool same = t == u; u = {t[0] + 1, t[1]}; hdr.o.setValid();
        hdr.o.a = t[0] ++ u[0] == 16w0x0203 && t[1] ? 8w7 : 8w8; hdr.o.b = same && t != u ? 8w1 : 8w0;";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 7, 1);
    let ingress = "tuple<bit<8>, bit<8>> t = {hdr.i.a, hdr.i.b}; hdr.o.setValid(); hdr.o.a = 0;
        bit<16> h; hash(h, HashAlgorithm.csum16, 16w0, t, 16w65535); hdr.o.b = h[7:0];";
    gives(&Parts { ingress, ..Parts::default() }, 0, 0xfd);
}

/// "Type specialization": the type arguments are given, or inferred. "Introducing new types": a `type` has the values of the type
/// it is made from, and only a cast converts between them. A constant is its value.
#[test]
fn generic_declarations_and_types() {
    let declarations = "const bit<8> five = 5; const int low = 1; typedef bit<8> byte_t; type bit<8> port_t;
        struct box_t<T> { T value; byte_t rest; } header gen_t<T> { T x; bit<8> y; }
        T first<T>(in T a, out T b) { T c = a; b = c; return a; }
        box_t<T> boxed<T>(in T value) { return (box_t<T>){value = value, rest = five}; }";
    let ingress = "byte_t x; byte_t y = first<bit<8>>(hdr.i.b, x); box_t<port_t> q = boxed((port_t)x);
        gen_t<bit<8>> g = {first(y, x), (byte_t)q.value}; bool same = q.value == (port_t)8w2;
        hdr.o.setValid(); hdr.o.a = g.x + g.y + (bit<8>)(bit<1>)same; hdr.o.b = q.rest[low + 1:low] ++ 6w0;";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 5, 0x80);
}

/// `simple_switch.md` of BMv2: a resubmitted packet is parsed again as it came in, a recirculated one as it was
/// deparsed. `instance_type` tells which it is. The metadata fields of the list stay as they were at the end.
#[test]
fn packets_begin_anew() {
    let metadata = "@field_list(3, 1) bit<8> kept; @field_list(2) bit<8> other;";
    let ingress = "hdr.o.setValid(); meta.m = meta.m + 1; meta.other = meta.other + 1;
        if (std.instance_type == 0) { hdr.i.a = 99; resubmit_preserving_field_list(1); meta.kept = 7; }
        hdr.o.a = hdr.i.a + meta.m + meta.other + (bit<8>)std.ingress_port; hdr.o.b = meta.kept + (bit<8>)std.instance_type;";
    gives(&Parts { metadata, ingress, ..Parts::default() }, 1 + 1 + 1, 7 + 6);
    let ingress = "hdr.o = hdr.i; meta.kept = meta.kept + 1;";
    let egress = "hdr.o.b = hdr.o.b + 5 + meta.m + meta.kept; if (meta.kept < 3) { meta.m = 9; recirculate_preserving_field_list(3); }";
    gives(&Parts { metadata, ingress, egress, ..Parts::default() }, 1, 2 + (5 + 1) + (5 + 2) + (5 + 3));
}

/// `simple_switch.md` of BMv2: a packet with a multicast group goes to egress once for each of its replicas. A clone of
/// ingress is the packet as it came in; a clone of egress is the packet as it was at the end of egress. A session that
/// is not set up copies nothing.
#[test]
fn packets_are_copied() {
    let metadata = "@field_list(1) bit<8> kept;";
    let mut memory = Memory::default();
    memory.control_plane.groups.insert(4, vec![Replica { port: 5, rid: 6 }, Replica { port: 7, rid: 8 }]);
    memory.control_plane.sessions.insert(9, vec![Replica { port: 2, rid: 0 }]);
    let sent = |port, a, b| Sent { port, data: vec![a, b] };
    let egress = "bit<8> type = (bit<8>)std.instance_type; hdr.o.setValid(); hdr.o.a = type;
        hdr.o.b = (bit<8>)std.egress_port + (bit<8>)std.egress_rid;";
    let mut run = |ingress: &str, egress: &str| {
        outcome_with(&Parts { metadata, ingress, egress, ..Parts::default() }, &mut memory, &[1, 2])
    };
    assert_eq!(run("std.mcast_grp = 4;", egress), Ok(vec![sent(5, 5, 11), sent(7, 5, 15)]));
    assert_eq!(run("std.mcast_grp = 3;", egress), Ok(vec![]));
    let clone = "hdr.i.a = 40; meta.m = 3; clone_preserving_field_list(CloneType.I2E, 9, 1); meta.kept = 5;";
    let shown = "hdr.o.setValid(); hdr.o.a = hdr.i.a; hdr.o.b = meta.m + meta.kept + (bit<8>)std.instance_type;";
    assert_eq!(run(clone, shown), Ok(vec![sent(2, 1, 5 + 1), sent(1, 40, 3 + 5)]));
    assert_eq!(run(&format!("{clone} mark_to_drop(std);"), shown), Ok(vec![sent(2, 1, 5 + 1)]));
    let clone = format!("if (std.instance_type == 0) {{ clone(CloneType.E2E, 9); hdr.i.a = 30; }} {shown}");
    assert_eq!(run("meta.m = 3;", &clone), Ok(vec![sent(1, 30, 3), sent(2, 30, 2)]));
    let clone = "clone(CloneType.I2E, 8);";
    assert_eq!(run(clone, shown), Ok(vec![sent(1, 1, 0)]));
}

/// The first table, and the first instance but the stages, of a program.
fn first_objects(program: &Program, name: &str) -> (Path, Path) {
    let object = program.instances.iter().position(|instance| &*instance.name == name);
    (vec![0], vec![object.unwrap_or_else(|| panic!("no {name}"))])
}

/// P4Runtime: the longest prefix wins, else the greatest priority; v1model: a direct counter belongs to an entry.
#[test]
fn entries_of_a_control_plane() {
    let run = |kind: &str, entries: [(Match, i32, u128); 2], wins: u8| {
        let locals = format!(
            "direct_counter(CounterType.packets_and_bytes) c; action set(bit<8> d) {{ c.count(); hdr.o = {{d, hdr.i.b}}; }}
            table t {{ key = {{ hdr.i.a: {kind}; }} actions = {{ set; @defaultonly NoAction; }} counters = c; }}"
        );
        let parts = Parts { locals: &locals, ingress: "t.apply();", ..Parts::default() };
        let (program, mut memory) = (typed(&parts), Memory::default());
        let entries = entries.map(|(key, priority, data)| {
            let action = Choice::Action(Action { action: 0, data: vec![data] });
            Entry { keys: vec![key], priority, action }
        });
        memory.control_plane.entries.insert(vec![0], entries.to_vec());
        let sent = run_with(&program, &mut memory, 3, &[1, 2]);
        assert_eq!(sent, Ok(vec![Sent { port: 1, data: vec![wins, 2] }]), "{kind}");
        let counted = memory.direct_counters[&vec![0]].clone();
        let entry = usize::from(wins) - 3;
        assert_eq!(counted.into_iter().collect::<Vec<_>>(), [(entry, Count { packets: 1, bytes: 2 })]);
    };
    run("exact", [(Match::Exact(2), 0, 3), (Match::Exact(1), 0, 4)], 4);
    run("lpm", [(Match::Prefix { value: 0, mask: 0xfe }, 0, 3), (Match::Prefix { value: 0, mask: 0xf0 }, 9, 4)], 3);
    run("ternary", [(Match::Mask { value: 0, mask: 0xfe }, 1, 3), (Match::Mask { value: 0, mask: 0 }, 2, 4)], 4);
    run("range", [(Match::Range { low: 1, high: 1 }, 3, 3), (Match::Range { low: 0, high: 9 }, 2, 4)], 3);
    run("optional", [(Match::Any, 1, 3), (Match::Exact(1), 2, 4)], 4);
}

/// "Default action": the control plane may change one that is not declared `const`; it is a miss still.
#[test]
fn a_default_action_of_a_control_plane() {
    let locals = "action set(bit<8> d) { hdr.o = {d, 1}; }
        table t { key = { hdr.i.a: exact; } actions = { set; } default_action = set(3); }";
    let parts = Parts { locals, ingress: "if (t.apply().miss) { hdr.o.b = 9; }", ..Parts::default() };
    let mut memory = Memory::default();
    memory.control_plane.defaults.insert(vec![0], Action { action: 0, data: vec![4] });
    assert_eq!(outcome_with(&parts, &mut memory, &[1, 2]), Ok(vec![Sent { port: 1, data: vec![4, 9] }]));
    gives(&parts, 3, 9);
}

/// v1model: an entry of a table with an implementation names a member or a group. The hash of the keys of kind
/// `selector` chooses a member of the group (BMv2: modulo the number of its members, in ascending order).
#[test]
fn members_and_groups() {
    let run = |choice: Choice, frame: [u8; 2], shown: u8| {
        let locals = "action_selector(HashAlgorithm.identity, 8, 16) s; action set(bit<8> d) { hdr.o = {d, 0}; }
            table t { key = { hdr.i.a: exact; hdr.i.b: selector; } actions = { set; } implementation = s; }";
        let parts = Parts { locals, ingress: "t.apply();", ..Parts::default() };
        let (program, mut memory) = (typed(&parts), Memory::default());
        let (table, selector) = first_objects(&program, "s");
        let mut profile = Profile::default();
        for member in [2, 5, 6] {
            profile.members.insert(member, Action { action: 0, data: vec![member.into()] });
        }
        profile.groups.insert(7, vec![2, 5, 6]);
        memory.control_plane.profiles.insert(selector, profile);
        let entry = Entry { keys: vec![Match::Exact(1)], priority: 0, action: choice };
        memory.control_plane.entries.insert(table, vec![entry]);
        let sent = run_with(&program, &mut memory, 3, &frame);
        assert_eq!(sent, Ok(vec![Sent { port: 1, data: vec![shown, 0] }]), "{frame:?}");
    };
    run(Choice::Member(5), [1, 2], 5);
    run(Choice::Group(7), [1, 2], 6);
    run(Choice::Group(7), [1, 7], 5);
}

/// v1model: a meter without rates is green; counters count packets and bytes as they came in; `hash` with BMv2's algorithms.
#[test]
fn counters_meters_and_hashes() {
    let locals = "counter(4, CounterType.bytes) c; meter(4, MeterType.packets) m;";
    let ingress = "hdr.o = hdr.i; m.execute_meter(32w1, hdr.o.a); c.count(3); c.count(1); c.count(3);";
    let parts = Parts { locals, ingress, ..Parts::default() };
    let (program, mut memory) = (typed(&parts), Memory::default());
    assert_eq!(run_with(&program, &mut memory, 3, &[1, 2]), Ok(vec![Sent { port: 1, data: vec![0, 2] }]));
    let counted = memory.counters[&first_objects(&program, "c").1].clone();
    let expected = [(1, Count { packets: 1, bytes: 2 }), (3, Count { packets: 2, bytes: 4 })];
    assert_eq!(counted.into_iter().collect::<Vec<_>>(), expected);
    for (algorithm, a, b) in [("identity", 0x02, 0x01), ("xor16", 0x00, 0x02), ("crc16_custom", 0x60, 0x91)] {
        let ingress = format!(
            "hdr.o.setValid(); bit<16> h; hash(h, HashAlgorithm.{algorithm}, 16w0, {{hdr.i.a, hdr.i.b, hdr.i.a}}, 32w65536);
            hdr.o = {{h[15:8], h[7:0]}};"
        );
        gives(&Parts { ingress: &ingress, ..Parts::default() }, a, b);
    }
}

/// v1model: the data of a digest are those at the call; of several digests of a packet BMv2 sends the last one.
#[test]
fn digests() {
    let ingress = "digest(1, {hdr.i.b, true}); hdr.i.b = 9; if (hdr.i.a == 1) { digest<b_t>(1, hdr.i); } hdr.i.a = 8;";
    let mut memory = Memory::default();
    for frame in [[1, 2], [3, 4]] {
        assert!(outcome_with(&Parts { ingress, ..Parts::default() }, &mut memory, &frame).is_ok());
    }
    assert_eq!(memory.digests, [vec![1, 9], vec![4, 1]]);
}

/// `base[low+:width]` is `base[low+width-1:low]`, also where `low` is not known at compile time; beyond the number nothing is
/// said.
#[test]
fn slices_of_run_time_place() {
    let ingress =
        "bit<16> x = 16w0xabcd; hdr.o.setValid(); hdr.o.a = x[hdr.i.b << 1+:8]; x[hdr.i.a+:2] = 2w0; hdr.o.b = x[7:0];";
    gives(&Parts { ingress, ..Parts::default() }, 0xbc, 0xc9);
    let beyond = outcome(
        &Parts { ingress: "bit<8> x = hdr.i.a[hdr.i.b+:7] ++ 1w0; hdr.o = {x, x};", ..Parts::default() },
        &[1, 2],
    );
    assert!(matches!(beyond, Err(Stop::Undefined(_))), "{beyond:?}");
}

/// "Operations on varbits": assignment to another one of the same type, which takes the length as well; so do parameters.
#[test]
fn variables_of_variable_length() {
    let declarations = "header v_t { varbit<24> v; } void swap(inout varbit<24> x, inout varbit<24> y) { varbit<24> z = x; x = y; y = z; }";
    let states = "v_t x; v_t y; v_t z; state start { packet.extract(x, 32w8); packet.extract(y, 32w8);
        z = x; swap(x.v, y.v); meta.m = (bit<8>)((bit<1>)(x.v == z.v) ++ (bit<1>)(y.v == z.v)); transition accept; }";
    let ingress = "hdr.o.setValid(); hdr.o.a = meta.m; hdr.o.b = 0;";
    gives(&Parts { declarations, states, ingress, ..Parts::default() }, 0b01, 0);
}

/// "Operations on header stacks" and "on header unions": the elements of a stack may be unions.
#[test]
fn stacks_of_unions() {
    let declarations = "header c_t { bit<8> c; } header_union u_t { b_t x; c_t y; }
        bit<8> state_of(in u_t[2] s) {
            return 4w0 ++ (bit<1>)s[0].x.isValid() ++ (bit<1>)s[0].y.isValid() ++ (bit<1>)s[1].x.isValid() ++ (bit<1>)s[1].y.isValid();
        }";
    for (statements, state) in [
        ("s[0].x = hdr.i;", 0b1000),
        ("s[1].y.setValid(); s[1].x = hdr.i; s.pop_front(1);", 0b1000),
        ("s[0].y.setValid(); s.push_front(1);", 0b0001),
        ("s[0].y.setValid(); s[1] = s[0]; s[0].x = hdr.i;", 0b1001),
    ] {
        let ingress = format!("u_t[2] s; {statements} hdr.o.setValid(); hdr.o.a = state_of(s); hdr.o.b = 0;");
        gives(&Parts { declarations, ingress: &ingress, ..Parts::default() }, state, 0);
    }
}

/// A value set holds what the control plane has put in: without it nothing.
#[test]
fn value_sets() {
    let states = "value_set<bit<8>>(4) known; state start { packet.extract(hdr.i);
        transition select(hdr.i.a) { known: other; default: accept; } } state other { hdr.o = {8w7, 8w8}; transition accept; }";
    let parts = Parts { states, ingress: "hdr.s[0].setValid();", ..Parts::default() };
    let mut memory = Memory::default();
    let sent = |data| Ok(vec![Sent { port: 1, data }]);
    assert_eq!(outcome_with(&parts, &mut memory, &[1, 2]), sent(vec![]));
    memory.control_plane.value_sets.insert(0, vec![5, 1]);
    assert_eq!(outcome_with(&parts, &mut memory, &[1, 2]), sent(vec![7, 8]));
}

/// Each instance of a control with a type parameter has its own type argument.
#[test]
fn generic_controls() {
    let declarations = "control G<T>(in T value, out T copy) { T last = value; apply { copy = last; } }";
    let locals = "G<bit<8>>() one; G<bool>() two;";
    let ingress =
        "bool b; hdr.o.setValid(); one.apply(hdr.i.b, hdr.o.a); two.apply(hdr.i.a == 1, b); hdr.o.b = b ? 8w3 : 8w4;";
    gives(&Parts { declarations, locals, ingress, ..Parts::default() }, 2, 3);
}

/// An assignment with an operator evaluates its target once, as p4c has it.
#[test]
fn operator_assignments_evaluate_their_targets_once() {
    let declarations = "bit<3> next(inout bit<8> count) { count = count + 1; return 2; }";
    let ingress = "bit<8> count = 0; hdr.o.setValid(); hdr.o.a = 0; hdr.o.a[next(count)+:1] |= 1; hdr.o.b = count;";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 4, 1);
}

/// An element of a stack is read when its index is known, as p4c has it, and not before the index is evaluated.
#[test]
fn elements_are_read_behind_their_indices() {
    let declarations = "bit<1> first(inout bit<8> changed) { changed = 7; return 0; }";
    let ingress = "b_t[2] s; s[0].setValid(); s[1].setValid(); s[0].a = 1; s[1].a = 9;
        hdr.o.setValid(); hdr.o.a = s[first(s[0].a)].a; hdr.o.b = s[0].a;";
    gives(&Parts { declarations, ingress, ..Parts::default() }, 7, 7);
}
