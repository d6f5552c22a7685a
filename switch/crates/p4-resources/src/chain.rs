//! The longest chain of tables in which each table needs a result of the one before it.
//!
//! Every place (a field, or a header's validity) carries the table that decided its value last, if one did, with the length
//! of the longest chain that ends there. Statements between tables pass that on to the places that they write: from the
//! places that they read, and from the conditions that they stand under.

use crate::flow::{Flow, Step, flow};
use crate::place;
use crate::places::{Place, accesses, expression_reads, key_place};
use crate::postdominators::control_dependences;
use p4_ir::Program;
use p4_ir::control::{Action, Pipeline, TableId};
use p4_ir::ops::{Label, Op};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The longest chain of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// `ingress` or `egress`.
    pub pipeline: &'static str,
    /// Number of its members: so many steps the tables take one after the other, at least.
    pub length: usize,
    /// Its tables, in order.
    pub members: Vec<Member>,
}

/// A table of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Control-plane name.
    pub table: String,
    /// Its dependency on the one before it; the first has none.
    pub needs: Option<Dependency>,
    /// Its declaration, `file:line`.
    pub source: String,
}

/// Why a table comes after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// The reader of the field. `match`: its key; `action`: one of its actions; `condition`: a condition under which it is applied.
    pub kind: &'static str,
    /// The field through which they depend on each other.
    pub field: String,
}

/// The application of a table that decided a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    /// Length of the longest chain that ends with it.
    length: usize,
    /// Position in [`Walk::applications`].
    application: usize,
    /// Where the value was read, once it has been.
    through: Option<Place>,
}

/// The later one of two.
fn later(one: Option<Origin>, other: Option<Origin>) -> Option<Origin> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.length > one.length { other } else { one }),
        (one, other) => one.or(other),
    }
}

type Origins = HashMap<Place, Origin>;

/// The origins that a decision passes on to everything that it decides.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    /// To the values that are written: the table that decided them.
    values: Option<Origin>,
    /// To tables: the origin that has to be known a step earlier. A table that is applied or not by the result of another
    /// one can be looked up beside it. So it is not that other one, but the origin that the other one needs.
    tables: Option<Origin>,
}

struct Application {
    table: TableId,
    needs: Option<(&'static str, Origin)>,
    length: usize,
}

struct Walk<'p> {
    program: &'p Program,
    applications: Vec<Application>,
    /// The places that the actions of a table read and have not written themselves.
    exposed: HashMap<TableId, Vec<Place>>,
}

/// The longest chain of a pipeline.
pub fn longest(program: &Program, name: &'static str, pipeline: &Pipeline) -> Chain {
    let flow = flow(program, pipeline);
    let mut walk = Walk { program, applications: Vec::new(), exposed: HashMap::new() };
    walk.all(&flow);
    let members = walk.members();
    Chain { pipeline: name, length: members.len(), members }
}

impl<'p> Walk<'p> {
    fn all(&mut self, flow: &Flow<'p>) {
        let order = flow.in_order();
        let decisions = control_dependences(flow, &order);
        let mut decided = vec![Decided::default(); flow.nodes.len()];
        let mut application_of: HashMap<usize, usize> = HashMap::new();
        let mut arriving: HashMap<usize, Origins> = HashMap::from([(flow.start, Origins::new())]);
        for &index in &order {
            let node = &flow.nodes[index];
            let mut origins = arriving.remove(&index).unwrap_or_default();
            let under = decisions[index].iter().fold(Decided::default(), |sum, decision| {
                let part = decided[*decision];
                Decided { values: later(sum.values, part.values), tables: later(sum.tables, part.tables) }
            });
            let owner = node.owner.and_then(|owner| application_of.get(&owner)).copied();
            match node.step {
                Step::Join => {}
                Step::Decision(condition) => {
                    let mut reads = Vec::new();
                    expression_reads(self.program, condition, &mut reads);
                    let read = latest(&origins, &reads);
                    decided[index] = match node.owner {
                        // A decision in an action belongs to its table.
                        Some(owner) => decided[owner],
                        None => Decided { values: later(under.values, read), tables: later(under.tables, read) },
                    };
                }
                Step::Match(table) => {
                    let application = self.apply(table, &origins, under.tables);
                    application_of.insert(index, application);
                    let applied = &self.applications[application];
                    decided[index] = Decided {
                        values: Some(Origin { length: applied.length, application, through: None }),
                        tables: applied.needs.map(|(_, origin)| origin),
                    };
                }
                Step::Operation(stmt) => {
                    let found = accesses(self.program, &stmt.op);
                    let origin = match owner {
                        Some(application) => {
                            Some(Origin { length: self.applications[application].length, application, through: None })
                        }
                        None => later(under.values, latest(&origins, &found.reads)),
                    };
                    for place in found.writes {
                        match origin {
                            Some(origin) => origins.insert(place, Origin { through: None, ..origin }),
                            None => origins.remove(&place),
                        };
                    }
                }
            }
            pass_on(&mut arriving, &node.next, origins);
        }
    }

    /// Applies a table: finds its dependency on an earlier one.
    fn apply(&mut self, table: TableId, origins: &Origins, condition: Option<Origin>) -> usize {
        let program = self.program;
        let declared = &program.tables[table.index()];
        let keys: Vec<Place> = declared.keys.iter().map(|key| key_place(key.target)).collect();
        let exposed = self.exposed.entry(table).or_insert_with(|| {
            let actions = declared.actions.iter().map(|id| &program.actions[id.index()]);
            let mut reads: Vec<Place> = actions.flat_map(|action| exposed_reads(program, action)).collect();
            if let Some(profile) = &declared.profile {
                reads.extend(selector_reads(program, profile));
            }
            reads
        });
        let candidates =
            [("match", latest(origins, &keys)), ("action", latest(origins, exposed)), ("condition", condition)];
        let mut needs: Option<(&'static str, Origin)> = None;
        for (kind, origin) in candidates {
            if let Some(origin) = origin
                && needs.is_none_or(|(_, known)| origin.length > known.length)
            {
                needs = Some((kind, origin));
            }
        }
        let length = needs.map_or(0, |(_, origin)| origin.length) + 1;
        self.applications.push(Application { table, needs, length });
        self.applications.len() - 1
    }

    fn members(&self) -> Vec<Member> {
        let mut members = Vec::new();
        // Of several with the same length, the one whose table is declared first.
        let declared = |index: &usize| {
            let source = &self.program.tables[self.applications[*index].table.index()].source;
            source.as_ref().map(|source| (source.file.clone(), source.line, source.column))
        };
        let rank = |index: &usize| (self.applications[*index].length, Reverse(declared(index)));
        let last = (0..self.applications.len()).max_by_key(rank);
        let mut next = last;
        while let Some(application) = next.map(|index| &self.applications[index]) {
            let table = &self.program.tables[application.table.index()];
            let needs = application.needs.map(|(kind, origin)| {
                let field = origin.through.map_or_else(String::new, |place| place.name(self.program));
                Dependency { kind, field }
            });
            members.push(Member { table: table.name.clone(), needs, source: place(&table.source) });
            next = application.needs.map(|(_, origin)| origin.application);
        }
        members.reverse();
        members
    }
}

/// The origin of those places that the longest chain leads to.
fn latest(origins: &Origins, places: &[Place]) -> Option<Origin> {
    let found = places.iter().map(|place| {
        let origin = origins.get(place)?;
        Some(Origin { through: Some(*place), ..*origin })
    });
    found.fold(None, later)
}

/// Brings the origins to the steps that follow, where several ways meet the later ones.
fn pass_on(arriving: &mut HashMap<usize, Origins>, next: &[usize], origins: Origins) {
    let Some((last, others)) = next.split_last() else { return };
    for step in others {
        meet(arriving.entry(*step).or_default(), origins.clone());
    }
    match arriving.get_mut(last) {
        Some(there) => meet(there, origins),
        None => {
            arriving.insert(*last, origins);
        }
    }
}

fn meet(there: &mut Origins, coming: Origins) {
    for (place, origin) in coming {
        there
            .entry(place)
            .and_modify(|known| *known = later(Some(*known), Some(origin)).unwrap_or(origin))
            .or_insert(origin);
    }
}

/// The places that an action reads before it has written them on all ways.
fn exposed_reads(program: &Program, action: &Action) -> Vec<Place> {
    let mut exposed = Vec::new();
    // Written on all ways to here; none while nothing comes here.
    let mut written: Option<HashSet<Place>> = Some(HashSet::new());
    let mut at_labels: HashMap<Label, HashSet<Place>> = HashMap::new();
    for stmt in &action.body {
        if let Op::Label(label) = stmt.op {
            written = match (written, at_labels.remove(&label)) {
                (Some(one), Some(other)) => Some(one.intersection(&other).copied().collect()),
                (one, other) => one.or(other),
            };
            continue;
        }
        let Some(known) = &mut written else { continue };
        let found = accesses(program, &stmt.op);
        exposed.extend(found.reads.into_iter().filter(|place| !known.contains(place)));
        known.extend(found.writes);
        match stmt.op {
            Op::JumpUnless(_, label) => jump(&mut at_labels, label, known),
            Op::Jump(label) => {
                jump(&mut at_labels, label, known);
                written = None;
            }
            Op::Exit => written = None,
            _ => {}
        }
    }
    exposed
}

/// Brings the written places to a label. Where several ways meet there, the places stay that all of them have written.
fn jump(at_labels: &mut HashMap<Label, HashSet<Place>>, label: Label, written: &HashSet<Place>) {
    let there = at_labels.entry(label).or_insert_with(|| written.clone());
    there.retain(|place| written.contains(place));
}

/// The places that the selector of an action profile reads.
fn selector_reads(program: &Program, profile: &str) -> Vec<Place> {
    let profiles = program.ingress.profiles.iter().chain(&program.egress.profiles);
    let inputs = profiles.filter(|known| known.name == profile).filter_map(|known| known.selector.as_ref());
    let mut reads = Vec::new();
    for input in inputs.flat_map(|(_, inputs)| inputs) {
        expression_reads(program, input, &mut reads);
    }
    reads
}
