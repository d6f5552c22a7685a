//! Everything that comes out of one use of a macro stands at the same place, and files begin at the same offset: neither may
//! make two things one.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings, Verdict};
use p4sim::Simulator;
use std::sync::Arc;
use v1model::{Program, SwitchConfig};

fn source(before: &str, states: &str, ingress: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> v; }}
struct H {{ b_t n; b_t[2] s; }}
struct M {{ bit<8> v; }}
{before}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ {states} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ s.egress_spec = 1; {ingress} }} }}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout H h, inout M m) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

/// What a program, which must compile, makes of a frame.
fn run(source: &str, frame: &[u8]) -> (Vec<u8>, String) {
    let compilation = compile::text("macros.p4", source, &Settings::default());
    let Verdict::Compiled(program) = &compilation.verdict else { panic!("{}", compilation.messages) };
    let json = serde_json::to_string(&p4_bmv2::json::program(program)).unwrap();
    let mut simulator = Simulator::new(Arc::new(Program::from_json(&json).unwrap()), SwitchConfig::default());
    let sent = simulator.send(0, frame, 1_000);
    assert_eq!(sent.len(), 1);
    (sent[0].data.to_vec(), compilation.messages)
}

#[test]
fn an_element_that_is_extracted_and_read_by_one_macro() {
    let before = "#define TAKE(to, value) p.extract(to); value = to.v
        parser Sub(packet_in p, out b_t to, inout M m) { state start { TAKE(to, m.v); transition accept; } }";
    let states = "Sub() sub; state start { p.extract(h.n); sub.apply(p, h.s.next, m); transition accept; }";
    let (found, _) = run(&source(before, states, "h.n.v = m.v;"), &[1, 7]);
    assert_eq!(found, [7, 7]);
}

#[test]
fn a_variable_that_one_macro_sets_and_a_folded_condition_names() {
    let ingress = "\n#define SET bit<8> t; t = h.n.v; if (false && t == 1) { h.n.v = 2; }\nSET\n";
    let (found, messages) = run(&source("", "state start { p.extract(h.n); transition accept; }", ingress), &[5]);
    assert_eq!(found, [5]);
    assert!(!messages.contains("never"), "{messages}");
}

#[test]
fn what_nothing_uses_of_a_macro_is_left_out() {
    let before = "#define HALF(x) bit<8> never = x / h.n.v; x = x / 2";
    let (found, _) = run(&source(before, "state start { p.extract(h.n); transition accept; }", "HALF(h.n.v);"), &[9]);
    assert_eq!(found, [4]);
}

#[test]
fn two_options_of_one_macro() {
    let before = "#define QUIET @diagnostic(\"unused\", \"disable\") @diagnostic(\"uninitialized_use\", \"disable\")
        QUIET struct Empty { }";
    let ingress = "bit<8> never; bit<8> t; h.n.v = t;";
    let (_, messages) = run(&source(before, "state start { p.extract(h.n); transition accept; }", ingress), &[5]);
    assert_eq!(messages, "");
}
