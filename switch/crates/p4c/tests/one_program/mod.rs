//! A program, compiled and run in the switch.

use p4c_driver::compile::{self, Settings, Verdict};
use p4sim::Simulator;
use std::sync::Arc;
use v1model::{Program, SwitchConfig};

/// The parts that differ between programs; everything leaves by port 1.
#[derive(Default)]
pub struct Parts<'a> {
    pub declarations: &'a str,
    pub headers: &'a str,
    pub parser_locals: &'a str,
    pub states: &'a str,
    pub locals: &'a str,
    pub ingress: &'a str,
}

impl Parts<'_> {
    pub fn source(&self) -> String {
        let Parts { declarations, headers, parser_locals, states, locals, ingress } = self;
        format!(
            "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> x; bit<8> y; }}
header e_t {{ bit<8> v; }}
struct M {{ bit<8> v; }}
{declarations}
struct H {{ b_t b; {headers} }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ {parser_locals} {states} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{ {locals} apply {{ s.egress_spec = 1; {ingress} }} }}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout H h, inout M m) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
        )
    }
}

/// Extracts the first header, no more.
pub const EXTRACT_B: &str = "state start { p.extract(h.b); transition accept; }";

/// The messages of a program that must compile, and its JSON.
pub fn compiled(source: &str) -> (String, String) {
    let compilation = compile::text("program.p4", source, &Settings::default());
    let Verdict::Compiled(program) = &compilation.verdict else { panic!("{}", compilation.messages) };
    (serde_json::to_string(&p4_bmv2::json::program(program)).unwrap(), compilation.messages)
}

/// The frame that a compiled program sends for a frame.
pub fn send(json: &str, frame: &[u8]) -> Vec<u8> {
    let mut simulator = Simulator::new(Arc::new(Program::from_json(json).unwrap()), SwitchConfig::default());
    let sent = simulator.send(0, frame, 1_000);
    assert_eq!(sent.len(), 1);
    sent[0].data.to_vec()
}

/// The frame that a program, which must compile, sends for a frame; and the compiler's messages.
pub fn run(parts: &Parts, frame: &[u8]) -> (Vec<u8>, String) {
    let (json, messages) = compiled(&parts.source());
    (send(&json, frame), messages)
}
