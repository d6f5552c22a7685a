//! A switch with a session of the command line.

#![allow(clippy::unwrap_used)] // a failing test may panic

use std::sync::Arc;

use bmv2_runtime::Session;
use p4c_driver::compile;
use p4sim::Simulator;
use runtime_cli::Outcome;
use v1model::{Program, SwitchConfig};

pub struct Switch {
    pub simulator: Simulator,
    session: Session,
}

impl Switch {
    /// Loaded with a P4 program. Panics with the messages of one that is wrong.
    pub fn new(program: &str) -> Self {
        let json = compile::json("program.p4", program).unwrap_or_else(|messages| panic!("{messages}"));
        let program = Arc::new(Program::from_json(&json).unwrap());
        Self { simulator: Simulator::new(program, SwitchConfig::default()), session: Session::default() }
    }

    /// The answer to a command; outcomes without a text as Rust shows them.
    pub fn run(&mut self, line: &str) -> String {
        match runtime_cli::run(&mut self.session, &mut self.simulator.switch, 0, line) {
            Outcome::Printed(text) => text,
            other => format!("{other:?}"),
        }
    }
}
