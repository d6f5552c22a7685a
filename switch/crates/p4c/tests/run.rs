//! Small programs compiled and run: the packets that come out of the switch for those that go in.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4sim::Simulator;
use std::process::Command;
use std::sync::Arc;
use v1model::{Program, SwitchConfig};

/// The parts that differ between programs; everything leaves by port 1.
#[derive(Default)]
struct Parts {
    declarations: &'static str,
    headers: &'static str,
    metadata: &'static str,
    parser_locals: &'static str,
    states: &'static str,
    locals: &'static str,
    ingress: &'static str,
    egress: &'static str,
}

const EXTRACT_P_AND_Q: &str = "state start { packet.extract(hdr.p); packet.extract(hdr.q); transition accept; }";

fn source(parts: &Parts) -> String {
    let Parts { declarations, headers, metadata, parser_locals, states, locals, ingress, egress } = parts;
    format!(
        "#include <core.p4>
#include <v1model.p4>
header b1_t {{ bit<8> v; }}
header b2_t {{ bit<8> x; bit<8> y; }}
{declarations}
struct headers_t {{ {headers} }}
struct meta_t {{ {metadata} }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta,
         inout standard_metadata_t std) {{ {parser_locals} {states} }}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
    {locals}
    apply {{ std.egress_spec = 1; {ingress} }} }}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
    apply {{ {egress} }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

/// Compiles, sends each first frame and expects each second one.
fn check(name: &str, parts: &Parts, cases: &[(&str, &str)]) {
    check_source(name, &source(parts), cases);
}

fn check_source(name: &str, source: &str, cases: &[(&str, &str)]) {
    let directory = std::env::temp_dir().join(format!("p4c-run-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (p4, json) = (directory.join("program.p4"), directory.join("program.json"));
    std::fs::write(&p4, source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss")).arg("-o").arg(&json).arg(&p4).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}");
    let text = std::fs::read_to_string(&json).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    let program = Program::from_json(&text).unwrap();
    let mut simulator = Simulator::new(Arc::new(program), SwitchConfig::default());
    for (frame, expected) in cases {
        let mut sent = vec![];
        simulator.send_each(0, &bytes(frame), 1_000, |port, data| {
            sent.push((port, data.to_vec()));
        });
        assert_eq!(sent, [(1, bytes(expected))], "{name}: {frame}");
    }
}

#[test]
fn header_stacks() {
    let parts = Parts {
        headers: "b1_t n; b1_t[4] s;",
        states: "state start { packet.extract(hdr.n); transition loop; }
            state loop { packet.extract(hdr.s.next);
                transition select(hdr.s.last.v) { 0: accept; default: loop; } }",
        ingress: "if (hdr.n.v == 1) {
                hdr.s.push_front(1); hdr.s[0].setValid(); hdr.s[0].v = 0xaa;
            } else if (hdr.n.v == 2) {
                hdr.s.pop_front(2);
            } else if (hdr.n.v == 3) {
                b1_t[4] t; t = hdr.s; t[1].v = 0x77; hdr.s = t;
            } else if (hdr.n.v == 4) {
                bit<8> i = hdr.s[0].v;
                hdr.s[i].v = hdr.s[i - 1].v + 1; hdr.s[i + 1].setInvalid();
            }",
        ..Parts::default()
    };
    let cases = [
        ("01 05 06 00", "01 aa 05 06 00"),
        ("02 05 06 07 00", "02 07 00"),
        ("03 01 02 00", "03 01 77 00"),
        ("04 01 02 03 00", "04 01 02 00"),
        ("00 01 02 03 04 00", "00 01 02 03 04 00"),
    ];
    check("stacks", &parts, &cases);
}

#[test]
fn header_unions() {
    let parts = Parts {
        declarations: "header_union u_t { b1_t a; b2_t b; }",
        headers: "b1_t n; u_t u; u_t[2] us;",
        states: "state start { packet.extract(hdr.n);
                transition select(hdr.n.v) { 1: pa; 2: pb; 3: pus; default: accept; } }
            state pa { packet.extract(hdr.u.a); transition accept; }
            state pb { packet.extract(hdr.u.b); transition accept; }
            state pus { packet.extract(hdr.us.next.a); packet.extract(hdr.us.next.b);
                transition accept; }",
        ingress: "if (hdr.u.isValid()) {
                if (hdr.u.a.isValid()) {
                    hdr.u.b.setValid(); hdr.u.b.x = 0x11; hdr.u.b.y = 0x22;
                } else {
                    u_t v; v = hdr.u; v.b.x = v.b.x + 1; hdr.u = v;
                } }
            if (hdr.n.v == 3) { hdr.us[0].a.v = hdr.us[1].b.y; }",
        ..Parts::default()
    };
    let cases = [("01 55", "01 11 22"), ("02 55 66", "02 56 66"), ("03 01 02 03", "03 03 02 03"), ("00", "00")];
    check("unions", &parts, &cases);
}

#[test]
fn variable_length_fields() {
    let parts = Parts {
        declarations: "header v_t { bit<8> len; varbit<32> d; bit<8> e; }",
        headers: "v_t a; v_t b;",
        states: "state start {
            packet.extract(hdr.a, (bit<32>)(packet.lookahead<bit<8>>()) * 8); transition accept; }",
        ingress: "hdr.b = hdr.a; hdr.a.e = 1; if (hdr.a.d == hdr.b.d) { hdr.b.e = 0xee; }",
        ..Parts::default()
    };
    let cases = [("02 aabb 09", "02 aabb 01 02 aabb ee"), ("00 07", "00 01 00 ee")];
    check("varbit", &parts, &cases);
}

#[test]
fn parsers_within_parsers() {
    let parts = Parts {
        declarations: "struct la_t { bit<4> a; bit<12> b; }
            parser Sub(packet_in packet, inout b1_t h, out bit<8> n)(bit<8> k) {
                b1_t tmp;
                state start { packet.extract(tmp);
                    transition select(tmp.v) { k: again; default: done; } }
                state again { packet.extract(h); n = h.v; transition accept; }
                state done { h = tmp; n = k; transition accept; } }
            bit<8> f(in bit<8> x) { if (x > 10) { return x - 10; } return x; }",
        headers: "b2_t r; b1_t h; b1_t g;",
        parser_locals: "Sub(0x42) sub; Sub(0x43) sub2; bit<8> cnt;",
        states: "state start {
                la_t l = packet.lookahead<la_t>();
                hdr.r.setValid(); hdr.r.x = (bit<8>) l.a; hdr.r.y = f(l.b[7:0]);
                packet.advance(16);
                sub.apply(packet, hdr.h, cnt);
                hdr.r.x = hdr.r.x + cnt;
                if (cnt == 0x42) { hdr.r.y = 0xff; }
                transition select(cnt, hdr.r.y) {
                    (0x10 .. 0x2f, _): more; (_, 0xff): accept; default: more; } }
            state more { sub2.apply(packet, hdr.g, cnt); transition accept; }",
        ..Parts::default()
    };
    let cases = [("50 14 42 20 43 09 ff", "25 0a 20 09 ff"), ("50 14 41 99", "47 ff 41 99")];
    check("parsers", &parts, &cases);
}

#[test]
fn arguments_with_an_index_known_at_run_time() {
    let parts = Parts {
        declarations: "void inc(inout b2_t h) { h.x = h.x + 1; }
            void swap(inout bit<8> a, inout bit<8> b) { bit<8> t = a; a = b; b = t; }",
        headers: "b1_t n; b2_t[3] s;",
        states: "state start { packet.extract(hdr.n); packet.extract(hdr.s.next);
            packet.extract(hdr.s.next); transition accept; }",
        ingress: "inc(hdr.s[hdr.n.v]); swap(hdr.s[hdr.n.v].x, hdr.s[0].y);
            if (!hdr.s[hdr.n.v + 1].isValid()) { hdr.s[hdr.n.v + 1] = hdr.s[hdr.n.v]; }",
        ..Parts::default()
    };
    let cases = [("01 0102 0304", "01 0104 0204 0204"), ("00 0102 0304", "00 0202 0304")];
    check("index", &parts, &cases);
}

#[test]
fn structures_and_tuples() {
    let parts = Parts {
        declarations: "struct in_t { bit<8> a; bit<8> b; }
            struct out_t { in_t i; bit<8> c; bool f; }",
        headers: "b2_t p; b2_t q;",
        metadata: "out_t o;",
        states: EXTRACT_P_AND_Q,
        ingress: "out_t z = { { hdr.p.x, hdr.p.y }, 3, true };
            meta.o = z; z.i = { z.i.b, z.i.a };
            tuple<bit<8>, bit<8>> t = { z.i.a, z.i.b };
            if (t == { hdr.p.y, hdr.p.x } && meta.o != z) { hdr.q.x = t[0]; hdr.q.y = z.c; }
            if (hdr.p == hdr.q) { hdr.p.setInvalid(); }
            else { hdr.p = { x = hdr.p.y, y = hdr.p.x }; }
            if (meta.o.f) { hdr.q.y = hdr.q.y + 1; }",
        ..Parts::default()
    };
    let cases = [("0102 0506", "0201 0204"), ("0505 0505", "0506")];
    check("structures", &parts, &cases);
}

#[test]
fn tables_of_all_kinds() {
    let parts = Parts {
        headers: "b2_t p; b2_t q;",
        states: EXTRACT_P_AND_Q,
        locals: "action set(inout bit<8> d, bit<8> v) { d = v; }
            action add(bit<8> v) {
                hdr.p.x = hdr.p.x + v; if (v == 9) { return; } hdr.p.y = hdr.p.y | 0x80; }
            action stop() { exit; }
            table t { key = { hdr.p.x: exact; }
                actions = { set(hdr.p.y); add; stop; NoAction; }
                const entries = { 1: set(0x33); 2: add(5); 3: stop(); 4: add(9); }
                default_action = NoAction(); }
            table u { key = { hdr.p.x: ternary; hdr.p.y: range; } actions = { add; NoAction; }
                const entries = {
                    (0x10 &&& 0xf0, 0..5): add(1); (_, 7): add(2); (0x11, _): add(3); }
                const default_action = add(0x40); }
            table l { key = { hdr.p.x: lpm; hdr.q.isValid(): exact; } actions = { add; }
                const entries = {
                    (0x80 &&& 0x80, true): add(1); (0xc0 &&& 0xc0, true): add(2); }
                default_action = add(0); }",
        ingress: "switch (t.apply().action_run) {
                set: { hdr.q.x = 1; } add: { hdr.q.x = 2; } default: { hdr.q.x = 3; } }
            if (hdr.p.y == 0x33 && u.apply().hit) { hdr.q.y = 1; } else { hdr.q.y = 2; }
            if (l.apply().miss) { hdr.q.x = hdr.q.x | 0x80; }",
        ..Parts::default()
    };
    let cases = [
        ("01 00 0000", "41 b3 81 02"),
        ("02 05 0000", "07 85 82 02"),
        ("03 07 0000", "03 07 0000"),
        ("04 01 0000", "0d 81 82 02"),
        ("c5 01 0000", "c7 81 03 02"),
    ];
    check("tables", &parts, &cases);
}

#[test]
fn leaving_nested_controls() {
    let parts = Parts {
        declarations: "control Ex(inout b2_t h) {
            action e() { h.y = 0x99; exit; }
            apply {
                h.x = 0x55; if (h.y == 1) { e(); }
                h.x = 0x66; if (h.y == 2) { exit; } if (h.y == 3) { return; }
                h.x = 0x77; } }",
        headers: "b2_t p; b2_t q;",
        states: EXTRACT_P_AND_Q,
        ingress: "Ex.apply(hdr.p); hdr.q.x = hdr.p.x;",
        egress: "hdr.q.y = 0xee;",
        ..Parts::default()
    };
    let cases = [
        ("00 01 0000", "55 99 00 ee"),
        ("00 02 0000", "66 02 00 ee"),
        ("00 03 0000", "66 03 66 ee"),
        ("00 04 0000", "77 04 77 ee"),
    ];
    check("leaving", &parts, &cases);
}

#[test]
fn instances_with_constructor_arguments() {
    let parts = Parts {
        declarations: "control Inner(inout b2_t h, in bit<8> k)(bit<8> c) {
                action a() { h.x = h.x + c; if (h.x == 0xff) { exit; } }
                table tt { key = { k: exact; } actions = { a; NoAction; }
                    const entries = { 1: a(); 2: a(); } }
                apply { if (k == 9) { return; } tt.apply(); h.y = h.y + 1; } }
            control Outer(inout b2_t h, out bit<8> r) {
                Inner(1) i1; Inner(0x10) i2;
                apply { r = 0; i1.apply(h, h.y); r = h.x; i2.apply(h, r); } }",
        headers: "b2_t p; b2_t q;",
        states: EXTRACT_P_AND_Q,
        locals: "Outer() o;",
        ingress: "bit<8> r; o.apply(hdr.p, r); hdr.q.x = r;",
        ..Parts::default()
    };
    let cases = [("00 01 0000", "11 03 01 00"), ("fe 01 0000", "ff 01 0000"), ("05 09 0000", "05 0a 05 00")];
    check("instances", &parts, &cases);
}

#[test]
fn loops() {
    let parts = Parts {
        headers: "b2_t p; b2_t q; b1_t[3] s;",
        states: "state start { packet.extract(hdr.p); packet.extract(hdr.q);
            packet.extract(hdr.s.next); packet.extract(hdr.s.next); packet.extract(hdr.s.next);
            transition accept; }",
        ingress: "bit<8> sum = 0;
            for (bit<8> i = 0; i < hdr.p.x; i = i + 1) {
                if (i == 3) { continue; } if (i == 7) { break; } sum = sum + i; }
            hdr.p.y = sum;
            for (bit<8> j in 1..3) { hdr.q.x = hdr.q.x + j; }
            for (bit<8> k in 0..hdr.q.y) { hdr.q.x = hdr.q.x + 1; }
            for (b1_t e in hdr.s) { hdr.p.x = hdr.p.x + e.v; }",
        ..Parts::default()
    };
    let cases = [("05 00 0000 010203", "0b 07 07 00 010203"), ("09 00 0002 000000", "09 12 09 02 000000")];
    check("loops", &parts, &cases);
}

#[test]
fn what_a_loop_runs_over_may_write_what_an_argument_was_read_from() {
    let parts = Parts {
        declarations: "bit<8> bump(inout bit<8> v) { v = v + 1; return v; }
            bit<8> sum(in bit<8> first, inout bit<8> v) {
                bit<8> total = 0;
                for (bit<8> e in (list<bit<8>>){ bump(v), bump(v), first }) { total = total + e; }
                return total;
            }",
        headers: "b2_t p;",
        states: "state start { packet.extract(hdr.p); transition accept; }",
        ingress: "hdr.p.y = sum(hdr.p.x, hdr.p.x);",
        ..Parts::default()
    };
    check("loop-domain", &parts, &[("0500", "0712")]);
}

#[test]
fn operands_with_side_effects_are_evaluated_in_order() {
    let parts = Parts {
        declarations: "bit<8> next(inout bit<8> c) { c = c + 1; return c; }",
        headers: "b2_t p; b2_t q;",
        states: EXTRACT_P_AND_Q,
        ingress: "hdr.q.x = hdr.p.x + next(hdr.p.x) + next(hdr.p.x);
            if (hdr.p.y == 0 || next(hdr.p.y) == 3) { hdr.q.y = 1; }
            hdr.q.y = hdr.q.y + (hdr.p.y == 3 ? next(hdr.p.y) : 0x10);",
        ..Parts::default()
    };
    let cases = [("01 00 0000", "03 00 06 11"), ("01 02 0000", "03 04 06 05")];
    check("order", &parts, &cases);
}

#[test]
fn deparsers_within_deparsers_take_structures() {
    let parts = Parts {
        declarations: "header_union u_t { b1_t one; b2_t two; }
            struct inner_t { b1_t p; b1_t[2] s; }
            struct outer_t { b2_t q; inner_t inner; u_t u; }
            control sub(packet_out packet, in outer_t all) {
                apply { packet.emit(all.inner.p); packet.emit(all.inner.s); packet.emit(all.q); packet.emit(all.u); }
            }",
        headers: "outer_t outer;",
        states: "state start {
                packet.extract(hdr.outer.q); packet.extract(hdr.outer.inner.p);
                packet.extract(hdr.outer.inner.s.next); packet.extract(hdr.outer.u.one);
                transition accept;
            }",
        ..Parts::default()
    };
    let source = source(&parts).replace("apply { packet.emit(hdr); }", "apply { sub.apply(packet, hdr.outer); }");
    check_source("sub-deparser", &source, &[("0102 03 04 05 06", "03 04 0102 05 06")]);
}

#[test]
fn fields_of_invalid_headers_are_hashed_as_any_other_value() {
    let parts = Parts {
        headers: "b2_t result; b1_t kind; b2_t maybe;",
        states: "state start { packet.extract(hdr.kind); transition select(hdr.kind.v) { 1: two; default: accept; } }
            state two { packet.extract(hdr.maybe); transition accept; }",
        locals: "bit<16> sum;",
        ingress: "hdr.result.setValid();
            hash(sum, HashAlgorithm.crc16, 16w0, { hdr.kind.v, hdr.maybe.x, hdr.maybe.y }, 32w65536);
            hdr.result.x = sum[15:8]; hdr.result.y = sum[7:0];",
        ..Parts::default()
    };
    // CRC-16 of 01aabb, and of 020000.
    check("hash", &parts, &[("01aabb", "136f 01aabb"), ("02aabb", "c0a1 02aabb")]);
}

#[test]
fn a_masked_key_masks_entries_too() {
    let parts = Parts {
        headers: "b2_t p;",
        states: "state start { packet.extract(hdr.p); transition accept; }",
        locals: "action set(bit<8> v) { hdr.p.y = v; }
            table t {
                key = { hdr.p.x & 0x0f: exact; }
                actions = { set; NoAction; }
                default_action = NoAction();
                const entries = { 0xab: set(7); }
            }",
        ingress: "t.apply();",
        ..Parts::default()
    };
    check("mask", &parts, &[("5b00", "5b07"), ("ab00", "ab07"), ("ac00", "ac00")]);
}

#[test]
fn divisions_whose_results_nothing_uses() {
    let parts = Parts {
        headers: "b2_t p;",
        states: "state start { packet.extract(hdr.p); transition accept; }",
        locals: "action never() { hdr.p.x = hdr.p.x / hdr.p.y; }",
        ingress: "bit<8> quotient = hdr.p.x / hdr.p.y; bit<8> rest; rest = hdr.p.x % hdr.p.y; hdr.p.x = hdr.p.x + 1;",
        ..Parts::default()
    };
    check("unused_division", &parts, &[("07 00 aa", "08 00 aa"), ("07 02", "08 02")]);
}

#[test]
fn headers_from_lookahead() {
    let parts = Parts {
        headers: "b2_t p; b2_t q; b1_t[2] stack; b2_t r;",
        metadata: "b2_t copy;",
        states: "state start { hdr.q = packet.lookahead<b2_t>(); packet.extract(hdr.p); meta.copy = packet.lookahead<b2_t>();
                     hdr.stack[1] = packet.lookahead<b1_t>(); hdr.r = meta.copy; transition accept; }",
        ..Parts::default()
    };
    check("lookahead_headers", &parts, &[("01 02 03 04", "01 02 01 02 03 03 04 03 04")]);
}

/// The first byte is a number: so many bytes go onto the stack `s`. The bytes after them are for the test.
const STACK_HEADERS: &str = "b1_t n; b1_t[3] s; b2_t q;";

/// A parser that counts to `n`, extracting to the stack, and then goes to the state `then`.
fn stack_states(then: &str) -> &'static str {
    let states = format!(
        "state start {{ packet.extract(hdr.n); meta.left = hdr.n.v; transition more; }}
         state more {{ transition select(meta.left) {{ 0: then; default: one; }} }}
         state one {{ packet.extract(hdr.s.next); meta.left = meta.left - 1; transition more; }}
         state then {{ {then} }}"
    );
    Box::leak(states.into_boxed_str())
}

fn check_stack_states(name: &str, then: &str, cases: &[(&str, &str)]) {
    let parts = Parts {
        headers: STACK_HEADERS,
        metadata: "bit<8> left;",
        states: stack_states(then),
        ingress: "if (std.parser_error == error.StackOutOfBounds) { hdr.n.v = 0xee; }",
        ..Parts::default()
    };
    check(name, &parts, cases);
}

#[test]
fn assignments_to_next_of_a_stack() {
    // The element that is written is not counted as extracted: the next extraction overwrites it.
    let cases = [("00", "00 77"), ("01 05", "01 05 77"), ("02 05 06", "02 05 06 77"), ("03 05 06 07", "ee 05 06 07")];
    check_stack_states("next_list", "hdr.s.next = { 0x77 }; transition accept;", &cases);
    let field = "hdr.s.next.setValid(); hdr.s.next.v = 0x77; transition accept;";
    check_stack_states("next_field", field, &cases);
    let bits = "hdr.s.next = { 0 }; hdr.s.next.v[7:4] = 7; hdr.s.next.v[3:0] = 7; transition accept;";
    check_stack_states("next_bits", bits, &cases);
    let header = "b1_t other = { 0x77 }; hdr.s.next = other; transition accept;";
    check_stack_states("next_header", header, &cases);
    let lookahead = "hdr.s.next = packet.lookahead<b1_t>(); packet.extract(hdr.q); transition accept;";
    let cases = [("00 0102", "00 01 0102"), ("01 05 0102", "01 05 01 0102"), ("03 05 06 07 0102", "ee 05 06 07 0102")];
    check_stack_states("next_lookahead", lookahead, &cases);
    let again = "hdr.s.next = { 0x77 }; packet.extract(hdr.s.next); transition accept;";
    check_stack_states("next_again", again, &[("01 05 06", "01 05 06")]);
}

#[test]
fn next_of_a_stack_is_read_and_invalidated() {
    let copy = "hdr.s[2] = { 9 }; hdr.s[0] = hdr.s.next; transition accept;";
    check_stack_states(
        "next_read",
        copy,
        &[("02 05 06", "02 09 06 09"), ("01 05", "01 09"), ("03 01 02 03", "ee 01 02 09")],
    );
    let invalid = "hdr.s[2] = { 9 }; hdr.s.next.setInvalid(); transition accept;";
    check_stack_states("next_invalid", invalid, &[("02 05 06", "02 05 06"), ("01 05", "01 05 09")]);
}

#[test]
fn next_of_a_stack_as_an_argument() {
    let declarations = "void fill(out b1_t h, in bit<8> v) { h = { v }; h.v = h.v + 1; }
        parser one(packet_in packet, out b1_t h) { state start { packet.extract(h); transition accept; } }
        parser two(packet_in packet, out b1_t h) { state start { packet.extract(h); h.v = h.v + 1; transition accept; } }";
    let check_argument = |name, parser_locals, then, cases: &[(&str, &str)]| {
        let parts = Parts {
            declarations,
            headers: STACK_HEADERS,
            metadata: "bit<8> left;",
            parser_locals,
            states: stack_states(then),
            ingress: "if (std.parser_error == error.StackOutOfBounds) { hdr.n.v = 0xee; }",
            ..Parts::default()
        };
        check(name, &parts, cases);
    };
    let filled = [("00", "00 08"), ("02 05 06", "02 05 06 08"), ("03 05 06 07", "ee 05 06 07")];
    check_argument("next_function", "", "fill(hdr.s.next, 7); transition accept;", &filled);
    // An element that the parser `one` only extracts to counts as extracted, as in p4c.
    let one = "sub.apply(packet, hdr.s.next); sub.apply(packet, hdr.s.next); transition accept;";
    check_argument(
        "next_extracted",
        "one() sub;",
        one,
        &[("01 05 06 07", "01 05 06 07"), ("02 05 06 07 08", "ee 05 06 07 08")],
    );
    let two = "sub.apply(packet, hdr.s.next); transition accept;";
    check_argument("next_changed", "two() sub;", two, &[("01 05 06", "01 05 07"), ("03 05 06 07", "ee 05 06 07")]);
}

#[test]
fn assignments_to_last_of_a_stack() {
    let then = "hdr.s.last.v = hdr.s.last.v + 1; transition accept;";
    check_stack_states("last_field", then, &[("00", "ee"), ("01 05", "01 06"), ("03 05 06 07", "03 05 06 08")]);
    let then = "hdr.s.last = { 0x77 }; transition accept;";
    check_stack_states("last_list", then, &[("00", "ee"), ("02 05 06", "02 05 77")]);
}

#[test]
fn next_and_last_of_a_stack_of_unions() {
    let check_unions = |name, then: &'static str, cases: &[(&str, &str)]| {
        let states = format!(
            "state start {{ packet.extract(hdr.n); meta.left = hdr.n.v; transition more; }}
             state more {{ transition select(meta.left) {{ 0: then; 1: one; default: two; }} }}
             state one {{ packet.extract(hdr.us.next.a); meta.left = meta.left - 1; transition more; }}
             state two {{ packet.extract(hdr.us.next.b); meta.left = meta.left - 2; transition more; }}
             state then {{ {then} }}"
        );
        let parts = Parts {
            declarations: "header_union u_t { b1_t a; b2_t b; }",
            headers: "b1_t n; u_t[3] us;",
            metadata: "bit<8> left;",
            states: Box::leak(states.into_boxed_str()),
            ingress: "if (std.parser_error == error.StackOutOfBounds) { hdr.n.v = 0xee; }",
            ..Parts::default()
        };
        check(name, &parts, cases);
    };
    let cases = [
        ("00", "00 77"),
        ("02 0506", "02 0506 77"),
        ("03 0506 07", "03 0506 07 77"),
        ("06 0102 0304 0506", "ee 010203040506"),
    ];
    check_unions("us_next", "hdr.us.next.a = { 0x77 }; transition accept;", &cases);
    check_unions("us_next_field", "hdr.us.next.a.setValid(); hdr.us.next.a.v = 0x77; transition accept;", &cases);
    check_unions("us_next_union", "u_t u; u.a = { 0x77 }; hdr.us.next = u; transition accept;", &cases);
    let cases = [("00", "ee"), ("01 05", "01 0809"), ("02 0506", "02 0809"), ("03 0506 07", "03 0506 0809")];
    check_unions("us_last", "hdr.us.last.b = { 8, 9 }; transition accept;", &cases);
    let cases = [("02 0506", "02 0507"), ("04 0506 0708", "04 0506 0709")];
    check_unions("us_last_field", "hdr.us.last.b.y = hdr.us.last.b.y + 1; transition accept;", &cases);
    let then = "transition select(hdr.us.lastIndex, hdr.us.last.b.isValid()) { (1, true): set; default: accept; } }
        state set { hdr.us.last.setInvalid(); transition accept;";
    let then = &*Box::leak(then.replace("hdr.us.last.setInvalid()", "hdr.us.last.b.setInvalid()").into_boxed_str());
    check_unions(
        "us_last_index",
        then,
        &[("02 0506", "02 0506"), ("03 0506 07", "03 0506 07"), ("04 0506 0708", "04 0506")],
    );
}

#[test]
fn headers_chosen_at_run_time_are_compared() {
    let parts = Parts {
        declarations: "header_union u_t { b1_t a; b2_t b; } header v_t { varbit<8> d; }",
        headers: "b2_t n; b2_t[3] s; b2_t t; u_t[2] us; u_t u; b2_t r; v_t v; v_t[2] vs;",
        states: "state start { packet.extract(hdr.n); packet.extract(hdr.s.next); packet.extract(hdr.s.next);
            packet.extract(hdr.t); transition accept; }",
        ingress: "bit<8> i = hdr.n.x; bit<8> j = hdr.n.y; hdr.r.setValid(); hdr.r.x = 0; hdr.r.y = 0;
            hdr.us[1].b = hdr.t; hdr.u.b = hdr.t; bit<1> k = (bit<1>)i;
            if (hdr.s[i] == hdr.t) { hdr.r.x = hdr.r.x | 1; }
            if (hdr.t != hdr.s[i]) { hdr.r.x = hdr.r.x | 2; }
            if (hdr.s[i] == hdr.s[j]) { hdr.r.x = hdr.r.x | 4; }
            if (hdr.s[i] == { 5, 6 }) { hdr.r.x = hdr.r.x | 8; }
            if (hdr.us[i] == hdr.u) { hdr.r.x = hdr.r.x | 16; }
            if (hdr.s[k] == hdr.t) { hdr.r.x = hdr.r.x | 32; }
            if (hdr.vs[k] == hdr.v) { hdr.r.x = hdr.r.x | 64; }
            hdr.us[1].b.setInvalid(); hdr.u.b.setInvalid();",
        ..Parts::default()
    };
    let cases = [
        ("0001 0506 0708 0708", "0001 0506 0708 0708 4a00"),
        ("0100 0506 0708 0708", "0100 0506 0708 0708 7100"),
        ("0101 0506 0706 0708", "0101 0506 0706 0708 5600"),
        ("0001 0506 0506 0506", "0001 0506 0506 0506 6d00"),
        // Without a value: elements that are not valid, and those beyond the end.
        ("0202 0506 0506 0506", "0202 0506 0506 0506 6600"),
        ("0209 0506 0506 0506", "0209 0506 0506 0506 6600"),
        ("0900 0506 0708 0708", "0900 0506 0708 0708 6200"),
    ];
    check("compare_chosen", &parts, &cases);
}

#[test]
fn headers_chosen_in_a_parser_are_compared() {
    let cases = [("01 07 0707", "01 07 0707"), ("02 07 08 0708", "02 07 08"), ("00 0101", "00 0101")];
    let then = "packet.extract(hdr.q); transition select(hdr.s.last == hdr.s[0]) { true: accept; false: reduce; } }
        state reduce { transition select(hdr.s[0].isValid()) { true: away; false: accept; } }
        state away { hdr.q.setInvalid(); transition accept;";
    check_stack_states("compare_last", then, &cases);
}
