//! From structured code to the graph of parser states.
//!
//! BMv2's states do straight operations and then select; so every decision, loop or inlined
//! parser ends a state and begins others.

use crate::code::structured::{BlockLabel, Code, MachineTransition, StateMachine};
use crate::control_plane::names::Taken;
use num_bigint::BigInt;
use p4_ir::Source;
use p4_ir::expr::{Expr, Ty};
use p4_ir::ops::Op;
use p4_ir::parser::{Case, Matcher, Parser, State, StateId, Target, Transition};
use p4_ir::storage::{Field, FieldWidth, Storage};
use p4_types::typed::NextState;
use std::collections::HashMap;

/// The continuation after a piece of code.
#[derive(Clone)]
enum After {
    Target(Target),
    Transition(Transition),
}

struct Builder<'a> {
    storage: &'a mut Storage,
    states: Vec<State>,
    /// The state of the source that each state is a part of; its name is the beginning of theirs.
    origins: Vec<String>,
    names: Taken,
    targets: HashMap<BlockLabel, Target>,
}

/// Builds the parser of the program; `storage` gets its variables.
pub fn build(storage: &mut Storage, code: &[Code]) -> Parser {
    let mut builder =
        Builder { storage, states: vec![], origins: vec![], names: Taken::default(), targets: HashMap::new() };
    match code {
        [Code::Parse(machine)] => {
            builder.machine(machine, Target::Accept);
        }
        _ => {
            let start = builder.new_state("start", None);
            builder.fill(start, code, After::Target(Target::Accept));
        }
    }
    Parser { states: builder.states, source: None }
}

impl Builder<'_> {
    fn new_state(&mut self, base: &str, source: Source) -> StateId {
        let name = self.names.unique(base);
        self.origins.push(base.to_owned());
        self.states.push(State { name, ops: vec![], transition: Transition::Direct(Target::Accept), source });
        StateId::from_index(self.states.len() - 1)
    }

    /// A further state for a part of the same source state as `state`.
    fn new_part(&mut self, state: StateId) -> StateId {
        let origin = self.origins[state.index()].clone();
        let source = self.states[state.index()].source.clone();
        self.new_state(&origin, source)
    }

    /// Gives the states of a machine places in the graph; returns its first state.
    fn machine(&mut self, machine: &StateMachine, accept: Target) -> Target {
        // The first state comes first: it is the parser's if this is the outermost machine.
        let mut ids = vec![StateId(0); machine.states.len()];
        let order = std::iter::once(machine.start).chain((0..machine.states.len()).filter(|i| *i != machine.start));
        for index in order {
            if let Some(state) = machine.states.get(index) {
                ids[index] = self.new_state(&state.name, state.source.clone());
            }
        }
        let target = |next: NextState| match next {
            NextState::Accept => accept,
            NextState::Reject => Target::Reject,
            NextState::State(index) => Target::State(ids[index]),
        };
        for (state, id) in machine.states.iter().zip(&ids) {
            let transition = match &state.transition {
                MachineTransition::Direct(next) => Transition::Direct(target(*next)),
                MachineTransition::Select { keys, cases } => Transition::Select {
                    keys: keys.clone(),
                    cases: cases
                        .iter()
                        .map(|(matcher, next)| Case { matcher: matcher.clone(), target: target(*next) })
                        .collect(),
                },
            };
            self.fill(*id, &state.code, After::Transition(transition));
        }
        ids.get(machine.start).map_or(accept, |id| Target::State(*id))
    }

    /// Where to go for `code` followed by `next`.
    fn target_of(&mut self, code: &[Code], next: Target, near: StateId) -> Target {
        if code.is_empty() {
            return next;
        }
        let state = self.new_part(near);
        self.fill(state, code, After::Target(next));
        Target::State(state)
    }

    fn end(&mut self, state: StateId, transition: Transition) {
        self.states[state.index()].transition = transition;
    }

    fn fill(&mut self, mut state: StateId, code: &[Code], after: After) {
        // Pieces that end a state, with the state before and the target after.
        let mut ends = vec![];
        let mut is_ended = false;
        for (position, piece) in code.iter().enumerate() {
            if let Code::Op(stmt) = piece {
                self.states[state.index()].ops.push(stmt.clone());
            } else if let (After::Target(target), true) = (&after, position + 1 == code.len()) {
                ends.push((state, piece, *target));
                is_ended = true;
            } else {
                let follow = self.new_part(state);
                ends.push((state, piece, Target::State(follow)));
                state = follow;
            }
        }
        match after {
            _ if is_ended => {}
            After::Target(target) => self.end(state, Transition::Direct(target)),
            After::Transition(transition) => self.end(state, transition),
        }
        for (before, piece, next) in ends.into_iter().rev() {
            self.control(before, piece, next);
        }
    }

    /// A piece that is not an operation, at the end of a state.
    fn control(&mut self, state: StateId, piece: &Code, next: Target) {
        match piece {
            Code::If { condition, then, otherwise, source } => {
                let then = self.target_of(then, next, state);
                let otherwise = self.target_of(otherwise, next, state);
                let key = match condition.as_field() {
                    Some(_) => condition.clone(),
                    None => {
                        let variable = self.condition_variable();
                        let assign = Op::Assign(variable, condition.clone());
                        self.states[state.index()].ops.push(assign.at(source.clone()));
                        Expr::field(variable, Ty::Bool)
                    }
                };
                let one = BigInt::from(1);
                let cases = vec![
                    Case { matcher: Matcher::Masked(vec![(one.clone(), one)]), target: then },
                    Case { matcher: Matcher::Any, target: otherwise },
                ];
                let keys = vec![key];
                self.end(state, Transition::Select { keys, cases });
            }
            Code::Block(label, body) => {
                self.targets.insert(*label, next);
                self.fill(state, body, After::Target(next));
            }
            Code::Loop(label, body) => {
                self.targets.insert(*label, next);
                let again = self.new_part(state);
                self.fill(again, body, After::Target(Target::State(again)));
                self.end(state, Transition::Direct(Target::State(again)));
            }
            Code::Leave(label) => {
                let target = self.targets.get(label).copied().unwrap_or(next);
                self.end(state, Transition::Direct(target));
            }
            Code::Parse(machine) => {
                let start = self.machine(machine, next);
                self.end(state, Transition::Direct(start));
            }
            Code::Op(_) | Code::Exit(_) | Code::Apply { .. } => {
                self.end(state, Transition::Direct(next));
            }
        }
    }

    fn condition_variable(&mut self) -> p4_ir::storage::FieldRef {
        let scalars = self.storage.scalars.unwrap_or_default();
        let fields = &self.storage.type_of(scalars).fields;
        let name = "parser_condition";
        // A condition is used at once, so one variable does for all.
        if let Some(position) = fields.iter().position(|f| f.name == name) {
            return p4_ir::storage::FieldRef { header: scalars, field: position as u32 };
        }
        self.storage.add_field(scalars, Field { name: name.to_owned(), width: FieldWidth::Bits(1), signed: false })
    }
}
