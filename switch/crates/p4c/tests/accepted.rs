//! Results of programs that p4c takes, although a compiler might refuse them.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod one_program;

use one_program::{EXTRACT_B, Parts, compiled, run};

#[test]
fn nothing_divided_by_anything() {
    let declarations = "bit<8> next(inout bit<8> a) { a = a + 1; return a; }";
    let ingress = "h.b.y = 0 / next(h.b.x); h.b.y = h.b.y | (0 % h.b.x);";
    let parts = Parts { declarations, states: EXTRACT_B, ingress, ..Parts::default() };
    assert_eq!(run(&parts, &[1, 2]).0, [2, 0]);
}

#[test]
fn effects_of_a_division_that_nothing_uses() {
    let declarations = "bit<8> next(inout bit<8> a) { a = a + 1; return a; }";
    let ingress = "bit<8> never = 1 + h.b.y / next(h.b.x);";
    let parts = Parts { declarations, states: EXTRACT_B, ingress, ..Parts::default() };
    assert_eq!(run(&parts, &[1, 2]).0, [2, 2]);
}

#[test]
fn a_checksum_object() {
    let ingress = "bit<16> sum = unit.get({ h.b.x, h.b.y }); h.b.x = sum[15:8]; h.b.y = sum[7:0];";
    let parts = Parts { states: EXTRACT_B, locals: "Checksum16() unit;", ingress, ..Parts::default() };
    assert_eq!(run(&parts, &[1, 2]).0, [0xfe, 0xfd]);
}

#[test]
fn headers_and_variables_from_lookahead() {
    let states = "state start { p.extract(h.b); h.c = p.lookahead<b_t>(); b_t t = p.lookahead<b_t>(); m.v = t.x;
        h.s.next = p.lookahead<e_t>(); transition accept; }";
    let parts = Parts { headers: "b_t c; e_t[2] s;", states, ingress: "h.b.x = m.v;", ..Parts::default() };
    assert_eq!(run(&parts, &[0, 0, 3, 4]).0, [3, 0, 3, 4, 3, 3, 4]);
}

#[test]
fn next_is_read_before_it_is_extracted() {
    let states = "state start { p.extract(h.b); h.s.next = { 1 }; h.s.next.v = h.s.next.v + 1; m.v = h.s.next.v;
        p.extract(h.s.next); transition accept; }";
    let parts = Parts { headers: "e_t[2] s;", states, ingress: "h.b.x = m.v;", ..Parts::default() };
    let (found, messages) = run(&parts, &[0, 0, 9]);
    assert_eq!(found, [2, 0, 9]);
    assert!(messages.contains("a field of 'next' has no value unless one was assigned"), "{messages}");
}

#[test]
fn a_value_set_of_structures_within_structures() {
    let parts = Parts {
        declarations: "struct in_t { bit<8> a; } struct out_t { in_t i; bit<8> c; }",
        parser_locals: "value_set<out_t>(4) set;",
        states: "state start { p.extract(h.b); transition select(h.b.x, h.b.y) { set: more; default: accept; } }
            state more { m.v = 1; transition accept; }",
        ingress: "h.b.x = m.v;",
        ..Parts::default()
    };
    assert_eq!(run(&parts, &[1, 2]).0, [0, 2]);
}

#[test]
fn what_is_for_testgen_does_nothing() {
    let parts = Parts {
        declarations: "extern void testgen_assume(in bool check); extern void testgen_assert(in bool check);
            bit<8> next(inout bit<8> a) { a = a + 1; return a; }",
        states: EXTRACT_B,
        ingress: "testgen_assume(h.b.x == 7); testgen_assert(next(h.b.y) == 7);",
        ..Parts::default()
    };
    assert_eq!(run(&parts, &[1, 2]).0, [1, 3]);
}

/// A table with this in front of it, these further keys and properties.
fn messages_of_table(before: &str, keys: &str, properties: &str) -> String {
    let table = format!(
        "action a() {{ h.b.x = 5; }} {before}
        table t {{ key = {{ h.b.x: exact; {keys} }} actions = {{ a; NoAction; }} {properties} }}"
    );
    compiled(&Parts { states: EXTRACT_B, locals: &table, ingress: "t.apply();", ..Parts::default() }.source()).1
}

#[test]
fn keys_that_choose_a_member_of_no_group() {
    let (nothing, no_keys) = ("a key of kind 'selector' does nothing", "without a key of kind 'selector'");
    let selector = "action_selector(HashAlgorithm.crc16, 4, 14) group;";
    let with = "implementation = group;";
    assert!(messages_of_table("", "h.b.y: selector;", "").contains(nothing));
    assert!(messages_of_table("action_profile(4) group;", "h.b.y: selector;", with).contains(nothing));
    assert!(messages_of_table(selector, "", with).contains(no_keys));
    assert_eq!(messages_of_table(selector, "h.b.y: selector;", with), "");
    assert_eq!(messages_of_table("action_profile(4) group;", "", with), "");
}
