//! Simple variables and `out` parameters that are read before anything is written to them.

use super::accesses;
use super::annotations::{is_silenced, silenced_actions};
use super::flow::{Flow, Point};
use super::states::following;
use super::writes::Writes;
use crate::typed::{ActionId, Annotation, Control, Local, Parser, Program, State, Transition, VarId};
use p4_syntax::{Diagnostics, Kind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Warns about variables that are read where no way there gives them a value.
pub(super) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    let flow = Flow::new(program, diagnostics, written_by_methods(program));
    let mut check = Check { program, flow, empty_in_actions: HashMap::new() };
    for function in program.functions.iter().filter(|function| !silenced(&function.annotations)) {
        let mut point = Point::start(check.flow.empty_parameters(&function.params));
        check.flow.block(&function.body, &mut point);
    }
    for control in program.controls.iter().filter(|control| !silenced(&control.annotations)) {
        check.control(control);
    }
    check.actions();
    for parser in program.parsers.iter().filter(|parser| !silenced(&parser.annotations)) {
        check.parser(parser);
    }
}

fn silenced(annotations: &[Annotation]) -> bool {
    is_silenced(annotations, Kind::UninitializedUse)
}

/// The variables that the program's own methods write: nobody knows when these methods are called.
fn written_by_methods(program: &Program) -> HashSet<VarId> {
    let mut writes = Writes::new(program);
    let methods = program.instances.iter().flat_map(|instance| &instance.methods);
    methods.flat_map(|(_, id)| writes.of_accesses(&accesses::of_block(program, &program[*id].body))).collect()
}

struct Check<'a> {
    program: &'a Program,
    flow: Flow<'a>,
    /// For actions of controls: the control's variables that have no value in them.
    empty_in_actions: HashMap<ActionId, BTreeSet<VarId>>,
}

impl Check<'_> {
    fn control(&mut self, control: &Control) {
        let mut point = Point::start(self.flow.empty_parameters(&control.params));
        self.locals(&control.locals, &mut point);
        let beginning = point.clone();
        self.flow.block(&control.body, &mut point);
        let empty = self.never_written(control, beginning);
        for local in &control.locals {
            if let Local::Action(id) = local {
                self.empty_in_actions.insert(*id, empty.clone());
            }
        }
    }

    fn locals(&mut self, locals: &[Local], point: &mut Point) {
        for local in locals {
            if let Local::Variable(id, value) = local {
                self.flow.declare(*id, value.as_ref(), point);
            }
        }
    }

    /// An action may run at any time. So only variables that nothing ever writes certainly have no value in it.
    fn never_written(&mut self, control: &Control, beginning: Point) -> BTreeSet<VarId> {
        let mut empty = beginning.into_empty();
        let mut written = self.flow.writes.of_accesses(&accesses::of_block(self.program, &control.body));
        for local in &control.locals {
            match local {
                Local::Action(id) => written.extend_from_slice(&self.flow.writes.of_action(*id)),
                Local::Table(id) => written.extend(self.flow.writes.of_table(*id)),
                _ => {}
            }
        }
        for id in written {
            empty.remove(&id);
        }
        empty
    }

    fn actions(&mut self) {
        let silenced = silenced_actions(self.program, Kind::UninitializedUse);
        for (position, action) in self.program.actions.iter().enumerate() {
            let id = ActionId::from_index(position);
            if silenced.contains(&id) {
                continue;
            }
            let mut empty = self.flow.empty_parameters(&action.params);
            empty.extend(self.empty_in_actions.remove(&id).unwrap_or_default());
            self.flow.block(&action.body, &mut Point::start(empty));
        }
    }

    /// The states of a parser form a graph with cycles. The set of variables without value at the beginning of each
    /// state shrinks until it holds on all ways.
    fn parser(&mut self, parser: &Parser) {
        let mut start = Point::start(self.flow.empty_parameters(&parser.params));
        self.locals(&parser.locals, &mut start);
        let mut beginnings = vec![Point::default(); parser.states.len()];
        let Some(first) = beginnings.get_mut(parser.start) else { return };
        *first = start;
        let mut open = vec![parser.start];
        self.flow.is_silent = true;
        while let Some(position) = open.pop() {
            let state = &parser.states[position];
            let mut point = beginnings[position].clone();
            self.state(state, &mut point);
            open.extend(following(state).into_iter().filter(|next| beginnings[*next].join(&point)));
        }
        for (state, mut point) in parser.states.iter().zip(beginnings) {
            self.flow.is_silent = silenced(&state.annotations);
            self.state(state, &mut point);
        }
        self.flow.is_silent = false;
    }

    fn state(&mut self, state: &State, point: &mut Point) {
        self.flow.statements(&state.body, point);
        if let Transition::Select { keys, .. } = &state.transition {
            for key in keys {
                self.flow.expr(key, point);
            }
        }
    }
}
