//! Faults that the comparison has found, and must not find again.

use fuzz_targets::semantics::check;

/// A program whose parser and ingress are these.
fn program(parser: &str, ingress: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> v; }}
struct pair_t {{ bit<8> a; bit<8> b; }}
struct headers_t {{ b_t p; b_t q; b_t r; }}
struct meta_t {{ pair_t x; pair_t y; }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{parser}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{ingress}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

/// A parser that takes two headers.
const EXTRACT: &str = "state start { packet.extract(hdr.p); packet.extract(hdr.q); transition accept; }";

fn agrees(source: &str) {
    for seed in 1..=4 {
        if let Err(what) = check(source, seed) {
            panic!("{what}\n{source}");
        }
    }
}

/// BMv2's default transition is the last wherever it stands; a `select` goes through its cases in order.
#[test]
fn cases_behind_one_that_takes_everything() {
    for everything in ["_", "8w3 &&& 8w0", "default"] {
        let parser = format!(
            "state start {{ packet.extract(hdr.p);
                transition select(hdr.p.v) {{ 8w0: two; {everything}: one; 8w255: two; default: accept; }} }}
            state one {{ packet.extract(hdr.q); transition accept; }}
            state two {{ packet.extract(hdr.r); transition accept; }}"
        );
        agrees(&program(&parser, "apply { std.egress_spec = 1; hdr.q.setInvalid(); }"));
    }
}

/// A `select` without a matching case ends the parser with `error.NoMatch`, also within states that are called.
#[test]
fn no_case_matches() {
    let parser = "state start { packet.extract(hdr.p);
        transition select(hdr.p.v) { 8w0: accept; 8w1 .. 8w100: more; } }
        state more { packet.extract(hdr.q); transition select(hdr.q.v, hdr.p.v) { (8w0, _): accept; (_, 8w7): reject; } }";
    let ingress = "apply { std.egress_spec = std.parser_error == error.NoMatch ? 9w2
        : (std.parser_error == error.NoError ? 9w3 : 9w4); }";
    agrees(&program(parser, ingress));
}

/// Entries and the default action repeat the bound arguments, whatever they are.
#[test]
fn bound_arguments_are_repeated() {
    agrees(&program(
        EXTRACT,
        "action set(in bool valid, bit<8> v) { meta.x.a = valid ? v : 8w1; }
        table t {
            key = { hdr.p.v: exact; }
            actions = { set(hdr.q.isValid()); }
            const default_action = set(hdr.q.isValid(), 8w9);
            const entries = { 8w0: set(hdr.q.isValid(), 8w5); 8w255: set(hdr.q.isValid(), 8w6); }
        }
        apply { std.egress_spec = 1; t.apply(); hdr.p.v = meta.x.a; }",
    ));
}

/// Until an action ends, only its parameter has the new value (directly called, in a table, in an action that it calls).
#[test]
fn an_argument_that_is_read_under_its_own_name() {
    let direct = "action a(inout bit<8> p) { p = 8w7; hdr.q.v = hdr.p.v; p = p + meta.x.a; }
        apply { std.egress_spec = 1; a(hdr.p.v); a(meta.x.a); hdr.r.setValid(); hdr.r.v = meta.x.a; }";
    let bound = "action a(out bit<8> p, bit<8> d) { p = d; hdr.q.v = hdr.p.v + meta.x.b; }
        table t { actions = { a(hdr.p.v); } const default_action = a(hdr.p.v, 8w3); }
        table u { actions = { a(meta.x.b); } const default_action = a(meta.x.b, 8w4); }
        apply { std.egress_spec = 1; t.apply(); u.apply(); hdr.r.setValid(); hdr.r.v = meta.x.b; }";
    let within = "action inner() { hdr.q.v = hdr.p.v; }
        action a(inout bit<8> p) { p = 8w7; inner(); }
        apply { std.egress_spec = 1; a(hdr.p.v); }";
    let whole = "action a(out b_t h) { h.setValid(); h.v = 8w7; if (hdr.p.isValid()) { hdr.q.v = hdr.p.v; } }
        apply { std.egress_spec = 1; a(hdr.p); }";
    let structure = "action a(inout pair_t x) { x.a = 8w7; x.b = meta.x.a; }
        apply { std.egress_spec = 1; a(meta.x); hdr.p.v = meta.x.a; hdr.q.v = meta.x.b; }";
    let bits = "action a(inout bit<4> p) { p = 4w7; hdr.q.v = hdr.p.v; hdr.p.v = 8w0xff; }
        apply { std.egress_spec = 1; a(hdr.p.v[7:4]); }";
    for ingress in [direct, bound, within, whole, structure, bits] {
        agrees(&program(EXTRACT, ingress));
    }
}

/// `exit` ends the pipeline after what is around it has been copied out, the innermost first.
#[test]
fn exit_copies_out() {
    let direct = "action a(inout bit<8> p, out bit<8> q) { q = 8w3; if (hdr.q.v == 0) { exit; } p = 8w4; }
        apply { std.egress_spec = 1; a(hdr.p.v, hdr.p.v); hdr.q.v = 8w9; }";
    let nested = "action inner(out bit<8> p, out bit<8> q) { p = 8w5; q = 8w6; exit; }
        action a(inout bit<8> p, inout bit<8> q) { inner(q, q); }
        apply { std.egress_spec = 1; a(hdr.p.v, hdr.p.v); hdr.q.v = 8w9; }";
    let bound = "action a(inout bit<8> p, out bit<8> q) { q = 8w3; if (hdr.q.v == 0) { exit; } p = 8w4; }
        table t { actions = { a(hdr.p.v, hdr.p.v); } const default_action = a(hdr.p.v, hdr.p.v); }
        apply { std.egress_spec = 1; t.apply(); hdr.q.v = 8w9; }";
    for ingress in [direct, nested, bound] {
        agrees(&program(EXTRACT, ingress));
    }
}

/// As [`exit_copies_out`], where the action of a table ends a control that is applied in several places.
#[test]
fn exit_in_a_table_copies_out_where_its_control_is_applied() {
    for application in [
        "t.apply();",
        "if (t.apply().hit) { x = 8w1; } else { x = 8w2; }",
        "switch (t.apply().action_run) {
            stop: { x = 8w3; } default: { y = 8w4; } }",
    ] {
        let inner = format!(
            "control inner(in bit<8> key, inout bit<8> x, inout bit<8> y) {{
                action stop(bit<8> d) {{ x = d; exit; }}
                action go() {{ y = y + 1; }}
                table t {{
                    key = {{ key: exact; }}
                    actions = {{ stop; go; }}
                    const default_action = go;
                    const entries = {{ 8w0: stop(8w5); 8w255: stop(8w6); }}
                }}
                apply {{ {application} }}
            }}
            control I("
        );
        let ingress = "inner() i;
            apply { std.egress_spec = 1; i.apply(hdr.p.v, meta.x.a, meta.x.b); i.apply(hdr.q.v, hdr.p.v, meta.x.b); }";
        let source = program(EXTRACT, ingress).replacen("control I(", &inner, 1);
        let shown = "apply { hdr.r.setValid(); hdr.r.v = meta.x.a << 4 | meta.x.b; } }\ncontrol C";
        agrees(&source.replacen("apply { } }\ncontrol C", shown, 1));
    }
}

/// The control plane gives an action's `int<W>` as bits.
#[test]
fn signed_action_data() {
    agrees(&program(
        EXTRACT,
        "action set(int<4> d) { hdr.p.v = (bit<8>)(int<8>)d; hdr.q.v = d < 0 ? 8w1 : 8w2; }
        table t {
            key = { hdr.p.v: exact; }
            actions = { set; }
            const default_action = set(-4s3);
            const entries = { 8w0: set(4s3); 8w255: set(-4s8); }
        }
        apply { std.egress_spec = 1; t.apply(); }",
    ));
}

/// The value of an `inout` argument is taken before later arguments are evaluated (the specification's example).
#[test]
fn later_arguments_change_an_earlier_one() {
    let functions = "bit<8> g(inout bit<8> z) { z = z + 1; return z; }
        void f(inout bit<8> x, in bit<8> y) { x = x + (y << 1); }
        control I(";
    let ingress =
        "apply { std.egress_spec = 1; f(hdr.p.v, g(hdr.p.v)); f(meta.x.a, g(meta.x.a)); hdr.q.v = meta.x.a; }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", functions, 1));
}

/// A header that is an `out` argument becomes invalid when the values of all arguments have been taken.
#[test]
fn an_out_header_is_also_a_later_argument() {
    let inner = "control inner(out b_t x, in b_t y) { apply { if (y.isValid()) { x = y; } } }
        control I(";
    let ingress = "inner() i; apply { std.egress_spec = 1; i.apply(hdr.p, hdr.p); i.apply(hdr.q, hdr.p); }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", inner, 1));
}

/// An operation that makes a member of a union invalid makes them all invalid: `setInvalid`, an invalid header that is
/// assigned, a parameter that is given back. An operation that makes a member valid first takes the value that the
/// member gets.
#[test]
fn validity_of_the_members_of_a_union() {
    let parser = "state start { packet.extract(hdr.p);
        transition select(hdr.p.v) { 8w0: one; default: other; } }
        state one { packet.extract(hdr.u.a); transition accept; }
        state other { packet.extract(hdr.u.b); transition accept; }";
    for ingress in [
        "apply { std.egress_spec = 1; hdr.u.b.setInvalid(); }",
        "apply { std.egress_spec = 1; hdr.u.b = hdr.q; }",
        "apply { std.egress_spec = 1; hdr.u.a = hdr.u.b; }",
        "apply { std.egress_spec = 1; hdr.u.b = {#}; }",
        "apply { std.egress_spec = 1; hdr.u.b = { hdr.u.isValid() ? 8w1 : 8w2 }; }",
        "apply { std.egress_spec = 1; hdr.u.b = { hdr.u.a.isValid() ? hdr.u.a.v + 1 : 8w2 }; }",
        "action nothing(inout b_t h) { } apply { std.egress_spec = 1; nothing(hdr.u.a); }",
        "action nothing(out b_t h) { } apply { std.egress_spec = 1; nothing(hdr.u.a); }",
        "action both(inout b_t h) { h.setValid(); h.v = 8w5; if (hdr.u.b.isValid()) { hdr.p.v = 8w77; } }
        apply { std.egress_spec = 1; both(hdr.u.a); }",
    ] {
        let source = program(parser, ingress)
            .replacen("struct pair_t", "header_union u_t { b_t a; b_t b; }\nstruct pair_t", 1)
            .replacen("b_t r; }", "b_t r; u_t u; }", 1);
        agrees(&source);
    }
}

/// A list of headers is read before any of the headers that it is assigned to is written.
#[test]
fn headers_change_places() {
    let parser = "state start { packet.extract(hdr.p); packet.extract(hdr.q); packet.extract(hdr.s[0]);
        packet.extract(hdr.s[1]); transition accept; }";
    for ingress in [
        "apply { std.egress_spec = 1; two_t t; t.a = hdr.p; t.b = hdr.q; t = { t.b, t.a }; hdr.p = t.a; hdr.q = t.b; }",
        "apply { std.egress_spec = 1; hdr.s = (b_t[2]){ hdr.s[1], hdr.s[0] }; }",
        "apply { std.egress_spec = 1; hdr.s = (b_t[2]){ { hdr.s[1].v }, { hdr.s[0].v } }; }",
    ] {
        let source = program(parser, ingress)
            .replacen("struct pair_t", "struct two_t { b_t a; b_t b; }\nstruct pair_t", 1)
            .replacen("b_t r; }", "b_t r; b_t[2] s; }", 1);
        agrees(&source);
    }
}

/// Arguments of externs are evaluated from left to right.
#[test]
fn later_arguments_of_an_extern_change_an_earlier_one() {
    let functions = "bit<8> g(inout bit<8> z) { z = z + 1; return z; }
        control I(";
    for statement in [
        "hash(hdr.q.v, HashAlgorithm.csum16, hdr.p.v, { g(hdr.p.v), 8w0 }, 8w100);",
        "hash(hdr.q.v, HashAlgorithm.csum16, hdr.p.v, { hdr.p.v, 8w0 }, 8w1 + (g(hdr.p.v) & 8w63));",
        "r.write((bit<32>)hdr.p.v[0:0], g(hdr.p.v)); r.read(hdr.q.v, 32w0);",
    ] {
        let ingress = format!("register<bit<8>>(2) r; apply {{ std.egress_spec = 1; {statement} }}");
        agrees(&program(EXTRACT, &ingress).replacen("control I(", functions, 1));
    }
}

/// BMv2 writes a direct meter's colour when an entry is hit: before the arguments of the action are read, and also if the action
/// does not ask for it.
#[test]
fn a_direct_meter_is_read_where_its_method_is_called() {
    agrees(&program(
        EXTRACT,
        "direct_meter<bit<8>>(MeterType.packets) m;
        action keeps(inout bit<8> x) { m.read(meta.x.a); x = x + 1; }
        action reads() { meta.x.b = meta.x.a; m.read(meta.x.a); }
        action ignores() { meta.x.b = meta.x.a + 2; }
        table t {
            key = { hdr.p.v: ternary; }
            actions = { keeps(meta.x.a); reads; ignores; @defaultonly NoAction; }
            meters = m;
            const entries = { 8w0: keeps(meta.x.a); 8w255: ignores(); 8w0 &&& 8w1: reads(); }
        }
        apply { std.egress_spec = 1; meta.x.a = 5; t.apply(); hdr.p.v = meta.x.a; hdr.q.v = meta.x.b; }",
    ));
}

/// A table with a profile has no default entry in BMv2's JSON. After a miss, control flow continues as after its
/// default action, also where the table is applied twice.
#[test]
fn a_table_with_a_profile_misses() {
    for applications in ["s.apply(meta.x.a, meta.x.b);", "s.apply(meta.x.a, meta.x.b); s.apply(meta.x.b, meta.x.a);"] {
        for labels in ["NoAction: { y = y + 1; } one: { y = y + 2; }", "one: { y = y + 1; } default: { y = y + 2; }"] {
            let ingress = format!(
                "S() s; apply {{ std.egress_spec = 1; meta.x.a = hdr.p.v; {applications} hdr.q.v = meta.x.b + meta.x.a; }}"
            );
            let control = format!(
                "control S(inout bit<8> x, inout bit<8> y) {{
                    action_profile(8) p;
                    action one() {{ x = x + 1; }}
                    table t {{ key = {{ x: exact; }} actions = {{ one; NoAction; }} implementation = p; }}
                    apply {{ switch (t.apply().action_run) {{ {labels} }} x = x + 3; }}
                }}
                control I("
            );
            agrees(&program(EXTRACT, &ingress).replace("control I(", &control));
        }
    }
}

/// One application asks which action ran, another one whether an entry was hit.
#[test]
fn a_table_is_asked_in_two_ways() {
    for (first, second) in [
        (
            "switch (t.apply().action_run) { one: { y = 1; } two: { y = 2; } default: { y = 3; } }",
            "if (t.apply().hit) { y = y + 4; }",
        ),
        (
            "if (t.apply().miss) { y = 4; }",
            "switch (t.apply().action_run) { two: { y = y + 1; } default: { y = y + 3; } }",
        ),
        ("t.apply();", "switch (t.apply().action_run) { NoAction: { y = 1; } one: { y = 3; } }"),
    ] {
        let ingress = format!(
            "bit<8> y = 0; action one() {{ meta.x.b = 7; }} action two() {{ meta.x.b = 8; }}
            table t {{
                key = {{ meta.x.a: exact; }}
                actions = {{ one; two; NoAction; }}
                const entries = {{ 8w0: one(); 8w1: two(); 8w255: two(); 8w254: NoAction(); }}
                const default_action = one();
            }}
            apply {{
                std.egress_spec = 1; meta.x.a = hdr.p.v;
                if (hdr.p.v[0:0] == 0) {{ {first} }} else {{ {second} }}
                hdr.p.v = y; hdr.q.v = meta.x.b;
            }}"
        );
        agrees(&program(EXTRACT, &ingress));
    }
}

/// The result of a function may be its own variable, which the next call of it writes.
#[test]
fn keys_of_select_and_of_tables_are_evaluated_from_left_to_right() {
    let select = "transition select(same(hdr.p.v + 1), same(hdr.q.v + 2)) {
            (8w0 &&& 8w1, _): one; (_, 8w0 &&& 8w1): two; default: accept;
        }
        }
        state one { meta.x.b = 1; transition accept; }
        state two { meta.x.b = 2; transition accept;";
    let parser = EXTRACT.replace("transition accept;", select);
    assert_ne!(parser, EXTRACT, "the end of its state is where it was");
    let ingress = "action number(bit<8> n) { meta.x.a = n; }
        table t {
            key = {
                same(hdr.p.v + 3): ternary @name(\"first\"); same(hdr.q.v + 5): ternary @name(\"second\");
                hdr.q.isValid(): ternary; gone(hdr.q): ternary @name(\"third\");
            }
            actions = { number; }
            const entries = {
                (8w0 &&& 8w3, _, true, _): number(1); (_, 8w0 &&& 8w1, true, 9): number(2); (8w1 &&& 8w1, _, false, _): number(3);
            }
            const default_action = number(4);
        }
        apply { std.egress_spec = 1; t.apply(); hdr.q.setValid(); hdr.p.v = meta.x.a; hdr.q.v = meta.x.b; }";
    let functions = "bit<8> same(in bit<8> x) { bit<8> y = x; return y; }
        bit<8> gone(inout b_t h) { h.setInvalid(); return 9; }
        parser P(";
    agrees(&program(&parser, ingress).replacen("parser P(", functions, 1));
}

/// An action of a table exists once. The values that it keeps for itself must not be those kept at one of several
/// places where the table is applied.
#[test]
fn an_action_leaves_alone_what_is_kept_where_its_table_is_applied() {
    let control = "control S(inout bit<4> part, in bit<2> at) {
            action set(inout bit<1> one) { one = one ^ 1; }
            table t { actions = { set(part[at+:1]); } const default_action = set(part[at+:1]); }
            apply { t.apply(); }
        }
        control I(";
    let ingress = "S() s;
        apply {
            std.egress_spec = 1; meta.x.a = hdr.p.v;
            s.apply(meta.x.a[3:0], hdr.q.v[1:0]);
            s.apply(meta.x.a[hdr.q.v[3:2]+:4], hdr.q.v[5:4]);
            hdr.p.v = meta.x.a;
        }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", control, 1));
}

/// The result of a function is an argument of an action, which calls the function again.
#[test]
fn a_result_outlives_the_next_call_of_its_function() {
    let control = "bit<8> same(in bit<8> x) { return x; }
        control I(";
    let ingress = "action twice(in bit<8> first) {
            meta.x.b = same(hdr.q.v + 2);
            meta.x.a = first;
        }
        apply { std.egress_spec = 1; twice(same(hdr.p.v + 1)); hdr.p.v = meta.x.a; hdr.q.v = meta.x.b; }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", control, 1));
}

/// A control whose control has a table is applied twice. The place that the table's action stood for the first time
/// must not give its control a copy of its own the second time.
#[test]
fn a_table_of_a_control_in_a_control_sees_one_place() {
    let controls = "control Inner(inout bit<8> part) {
            action set(inout bit<8> one) { one = one ^ 1; }
            table t { actions = { set(part); } const default_action = set(part); }
            apply { t.apply(); }
        }
        control Outer(inout bit<8> part) {
            Inner() inner;
            apply { part = part + 1; inner.apply(part); }
        }
        control I(";
    let ingress = "Outer() outer;
        apply { std.egress_spec = 1; outer.apply(hdr.p.v); outer.apply(hdr.q.v); }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", controls, 1));
}

/// A change that an element's index makes is there when the element is read.
#[test]
fn an_index_changes_the_element() {
    let function = "bit<1> first(inout bit<8> changed) { changed = changed + 7; return changed[0:0]; }
        control I(";
    let ingress = "apply {
            b_t[2] s; s[0] = hdr.p; s[1] = hdr.q; std.egress_spec = 1;
            hdr.p.v = s[first(s[0].v)].v; hdr.q.v = s[0].v + (s[first(s[1].v)].v |-| s[0].v);
        }";
    agrees(&program(EXTRACT, ingress).replacen("control I(", function, 1));
}
