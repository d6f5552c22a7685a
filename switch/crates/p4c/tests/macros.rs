//! Everything that comes out of one use of a macro stands at the same place, and files begin at the same offset: neither may
//! make two things one.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod one_program;

use one_program::{EXTRACT_B, Parts, run};

#[test]
fn an_element_that_is_extracted_and_read_by_one_macro() {
    let parts = Parts {
        declarations: "#define TAKE(to, value) p.extract(to); value = to.v
            parser Sub(packet_in p, out e_t to, inout M m) { state start { TAKE(to, m.v); transition accept; } }",
        headers: "e_t[2] s;",
        parser_locals: "Sub() sub;",
        states: "state start { p.extract(h.b); sub.apply(p, h.s.next, m); transition accept; }",
        ingress: "h.b.x = m.v;",
        ..Parts::default()
    };
    assert_eq!(run(&parts, &[1, 2, 7]).0, [7, 2, 7]);
}

#[test]
fn a_variable_that_one_macro_sets_and_a_folded_condition_names() {
    let ingress = "\n#define SET bit<8> t; t = h.b.x; if (false && t == 1) { h.b.y = 2; }\nSET\n";
    let (found, messages) = run(&Parts { states: EXTRACT_B, ingress, ..Parts::default() }, &[5, 6]);
    assert_eq!(found, [5, 6]);
    assert!(!messages.contains("never"), "{messages}");
}

#[test]
fn what_nothing_uses_of_a_macro_is_left_out() {
    let declarations = "#define HALF(of) bit<8> never = of / h.b.y; of = of / 2";
    let parts = Parts { declarations, states: EXTRACT_B, ingress: "HALF(h.b.x);", ..Parts::default() };
    assert_eq!(run(&parts, &[9, 6]).0, [4, 6]);
}

#[test]
fn two_options_of_one_macro() {
    let declarations =
        "#define QUIET @diagnostic(\"unused\", \"disable\") @diagnostic(\"uninitialized_use\", \"disable\")
        QUIET struct Empty { }";
    let ingress = "bit<8> never; bit<8> t; h.b.x = t;";
    let (_, messages) = run(&Parts { declarations, states: EXTRACT_B, ingress, ..Parts::default() }, &[5, 6]);
    assert_eq!(messages, "");
}

#[test]
fn two_warnings_about_one_macro() {
    let ingress = "\n#define TWO bit<8> one; bit<8> other;\nTWO\n";
    let (_, messages) = run(&Parts { states: EXTRACT_B, ingress, ..Parts::default() }, &[5, 6]);
    assert!(messages.contains("'one' is never used") && messages.contains("'other' is never used"), "{messages}");
}
