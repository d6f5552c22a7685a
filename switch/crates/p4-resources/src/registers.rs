//! Register arrays, and how often one packet accesses them on its way through ingress and egress.

use crate::flow::{Flow, Step, flow};
use crate::indexes::{Element, elements};
use crate::places::accesses;
use crate::{pipelines, place};
use p4_ir::Program;
use p4_ir::ops::{Op, Stmt};
use serde::Serialize;
use std::collections::HashMap;
use std::rc::Rc;

/// All register arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Registers {
    /// Each of them, in the order of their declarations.
    pub arrays: Vec<Register>,
    /// Bits of all of them together.
    pub memory_bits: u64,
    /// Reads and writes of all of them on the way of a packet that has most.
    pub operations_on_a_path: usize,
}

/// A register array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Control-plane name.
    pub name: String,
    /// Number of elements.
    pub elements: u64,
    /// Width of an element in bits.
    pub bits: u32,
    /// Places in the program, calls inlined, where it is read.
    pub reads: usize,
    /// ... and where it is written.
    pub writes: usize,
    /// Accesses on the way of a packet that has most. A read and the next write of the same element are one.
    pub accesses: usize,
    /// Those accesses in order, `file:line` each.
    pub path: Vec<String>,
    /// True if there are several: a pipeline in hardware has one for a packet.
    pub is_accessed_twice: bool,
    /// Its declaration, `file:line`.
    pub source: String,
}

/// The register arrays of a program.
pub fn registers(program: &Program) -> Registers {
    let flows: Vec<Flow<'_>> = pipelines(program).iter().map(|(_, pipeline)| flow(program, pipeline)).collect();
    let orders: Vec<Vec<usize>> = flows.iter().map(Flow::in_order).collect();
    let passes = flows.iter().zip(&orders);
    let passes: Vec<Pass<'_, '_>> =
        passes.map(|(flow, order)| Pass { program, flow, order, elements: elements(program, flow, order) }).collect();
    let arrays: Vec<Register> = program.registers.iter().map(|register| array(&passes, register)).collect();
    Registers {
        memory_bits: arrays.iter().map(|array| array.elements.saturating_mul(array.bits.into())).sum(),
        operations_on_a_path: passes.iter().map(Pass::operations).sum(),
        arrays,
    }
}

fn array(passes: &[Pass<'_, '_>], register: &p4_ir::control::Register) -> Register {
    let mut states = States::from([(None, Accesses::default())]);
    for pass in passes {
        states = pass.accesses(&register.name, states);
    }
    let most = states.into_values().max_by_key(|accesses| accesses.count).unwrap_or_default();
    let count = |is_write: bool| passes.iter().map(|pass| pass.uses(&register.name, is_write)).sum();
    Register {
        name: register.name.clone(),
        elements: register.size,
        bits: register.width,
        reads: count(false),
        writes: count(true),
        accesses: most.count,
        path: most.places(),
        is_accessed_twice: most.count > 1,
        source: place(&register.source),
    }
}

/// The accesses of a packet so far.
#[derive(Clone, Debug, Default)]
struct Accesses {
    count: usize,
    last: Option<Rc<Access>>,
}

#[derive(Debug)]
struct Access {
    place: String,
    before: Option<Rc<Access>>,
}

impl Accesses {
    fn and(&self, stmt: &Stmt) -> Self {
        let access = Access { place: place(&stmt.source), before: self.last.clone() };
        Self { count: self.count + 1, last: Some(Rc::new(access)) }
    }

    fn places(&self) -> Vec<String> {
        let mut places = Vec::new();
        let mut next = self.last.as_ref();
        while let Some(access) = next {
            places.push(access.place.clone());
            next = access.before.as_ref();
        }
        places.reverse();
        places
    }
}

/// For each element that was read and may be written with the same access, or none, the most accesses of a packet that comes so.
type States = HashMap<Option<Element>, Accesses>;

/// A pipeline on a packet's way.
struct Pass<'f, 'p> {
    program: &'p Program,
    flow: &'f Flow<'p>,
    order: &'f [usize],
    /// The element that each step accesses.
    elements: HashMap<usize, Element>,
}

impl Pass<'_, '_> {
    fn statements(&self) -> impl Iterator<Item = &Stmt> {
        self.order.iter().filter_map(|node| match self.flow.nodes[*node].step {
            Step::Operation(stmt) => Some(stmt),
            _ => None,
        })
    }

    /// How often it reads or writes a register array.
    fn uses(&self, name: &str, is_write: bool) -> usize {
        let wanted = |stmt: &&Stmt| match &stmt.op {
            Op::RegisterRead { register, .. } => !is_write && register == name,
            Op::RegisterWrite { register, .. } => is_write && register == name,
            _ => false,
        };
        self.statements().filter(wanted).count()
    }

    /// Most reads and writes of registers on one way.
    fn operations(&self) -> usize {
        let mut most = vec![0; self.flow.nodes.len()];
        for &index in self.order.iter() {
            let node = &self.flow.nodes[index];
            let is_operation = matches!(node.step, Step::Operation(stmt)
                if matches!(stmt.op, Op::RegisterRead { .. } | Op::RegisterWrite { .. }));
            let here = most[index] + usize::from(is_operation);
            most[index] = here;
            for &next in &node.next {
                most[next] = most[next].max(here);
            }
        }
        most[self.flow.end]
    }

    /// Follows the accesses to one register array through the pipeline.
    fn accesses(&self, name: &str, states: States) -> States {
        let mut arriving: HashMap<usize, States> = HashMap::from([(self.flow.start, states)]);
        for &index in self.order.iter() {
            let node = &self.flow.nodes[index];
            let mut states = arriving.remove(&index).unwrap_or_default();
            if index == self.flow.end {
                return states;
            }
            if let Step::Operation(stmt) = node.step {
                states = self.operation(name, index, stmt, states);
            }
            for &next in &node.next {
                let there = arriving.entry(next).or_default();
                for (open, accesses) in &states {
                    add(there, open.clone(), accesses.clone());
                }
            }
        }
        States::new()
    }

    fn operation(&self, name: &str, node: usize, stmt: &Stmt, states: States) -> States {
        let is_write = match &stmt.op {
            Op::RegisterRead { register, .. } if register == name => false,
            Op::RegisterWrite { register, .. } if register == name => true,
            _ => {
                if states.keys().all(Option::is_none) {
                    return states;
                }
                return self.after_writing(stmt, states);
            }
        };
        let element = self.elements.get(&node);
        let mut after = States::new();
        for (open, accesses) in states {
            if is_write {
                let is_same = open.is_some() && open.as_ref() == element;
                add(&mut after, None, if is_same { accesses } else { accesses.and(stmt) });
            } else {
                add(&mut after, element.cloned(), accesses.and(stmt));
            }
        }
        self.after_writing(stmt, after)
    }

    /// An index of which something is written is not that of the same element any more.
    fn after_writing(&self, stmt: &Stmt, states: States) -> States {
        let writes = accesses(self.program, &stmt.op).writes;
        let mut after = States::new();
        for (open, accesses) in states {
            let open = open.filter(|open| !open.places.iter().any(|place| writes.contains(place)));
            add(&mut after, open, accesses);
        }
        after
    }
}

fn add(states: &mut States, open: Option<Element>, accesses: Accesses) {
    let known = states.entry(open).or_insert_with(|| accesses.clone());
    if accesses.count > known.count {
        *known = accesses;
    }
}
