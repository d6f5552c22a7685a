//! States of parsers that cannot be reached.

use super::annotations::{is_silenced, may_be_unused};
use super::report;
use crate::typed::{NextState, Parser, Program, State, Transition};
use p4_syntax::{Diagnostics, Kind};

/// Warns about states that no way from `start` leads to.
pub(super) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    for parser in program.parsers.iter().filter(|parser| !is_silenced(&parser.annotations, Kind::Unused)) {
        let reached = reached(parser);
        for (state, reached) in parser.states.iter().zip(reached) {
            if !reached && !may_be_unused(&state.annotations) {
                let message = format!("state '{}' is never reached", state.name);
                report(diagnostics, Kind::Unused, state.span, message);
            }
        }
    }
}

/// For each state, whether `select` and `transition` lead there.
fn reached(parser: &Parser) -> Vec<bool> {
    let mut reached = vec![false; parser.states.len()];
    let mut open = vec![parser.start];
    while let Some(position) = open.pop() {
        if let Some(seen) = reached.get_mut(position)
            && !std::mem::replace(seen, true)
        {
            open.extend(following(&parser.states[position]));
        }
    }
    reached
}

/// The states that follow a state, `accept` and `reject` apart.
pub(super) fn following(state: &State) -> Vec<usize> {
    let next: Vec<NextState> = match &state.transition {
        Transition::Direct(next) => vec![*next],
        Transition::Select { cases, .. } => cases.iter().map(|case| case.next).collect(),
    };
    let position = |next: NextState| match next {
        NextState::State(position) => Some(position),
        NextState::Accept | NextState::Reject => None,
    };
    next.into_iter().filter_map(position).collect()
}
