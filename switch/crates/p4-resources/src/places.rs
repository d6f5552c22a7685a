//! The places that operations read and write.

use p4_ir::Program;
use p4_ir::control::{CalculationInput, KeyTarget};
use p4_ir::expr::{Expr, ExprKind};
use p4_ir::ops::{AnyStack, ExternArg, ExtractTarget, Op};
use p4_ir::storage::{FieldRef, HeaderId};

/// A part of the state that can carry a value from one table to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A field.
    Field(FieldRef),
    /// The validity of a header.
    Valid(HeaderId),
}

impl Place {
    /// As people know it; variables and user metadata without the name of the instance that holds them.
    pub fn name(self, program: &Program) -> String {
        match self {
            Self::Field(field) => match program.storage.field_name(field) {
                (_, name) if Some(field.header) == program.storage.scalars => name.to_owned(),
                (header, name) => format!("{header}.{name}"),
            },
            Self::Valid(header) => format!("{}.isValid()", program.storage.headers[header.index()].name),
        }
    }
}

/// The places that an operation reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Before it writes.
    pub reads: Vec<Place>,
    /// All of them, whatever was there.
    pub writes: Vec<Place>,
}

/// Adds the places that an expression reads.
pub fn expression_reads(program: &Program, expr: &Expr, reads: &mut Vec<Place>) {
    expr.walk(&mut |part| match part.kind {
        ExprKind::Field(field) => reads.push(Place::Field(field)),
        ExprKind::Valid(header) => reads.push(Place::Valid(header)),
        ExprKind::ValidUnion(union) => {
            let members = &program.storage.unions[union.index()].members;
            reads.extend(members.iter().map(|member| Place::Valid(*member)));
        }
        _ => {}
    });
}

/// The place that a key reads.
pub fn key_place(target: KeyTarget) -> Place {
    match target {
        KeyTarget::Field(field) => Place::Field(field),
        KeyTarget::Valid(header) => Place::Valid(header),
    }
}

/// The places that an operation reads and writes.
pub fn accesses(program: &Program, op: &Op) -> Accesses {
    let mut reader = Reader { program, found: Accesses::default() };
    reader.operation(op);
    reader.found
}

struct Reader<'a> {
    program: &'a Program,
    found: Accesses,
}

impl Reader<'_> {
    fn operation(&mut self, op: &Op) {
        match op {
            Op::Assign(target, value) => self.compute(*target, &[value]),
            Op::AssignVarbit(target, from) => {
                self.found.reads.push(Place::Field(*from));
                self.write(*target);
            }
            Op::AssignHeader(target, from) => self.copy(&[*target], &[*from]),
            Op::AssignUnion(target, from) => {
                let members =
                    |union: &p4_ir::storage::UnionId| self.program.storage.unions[union.index()].members.clone();
                let (target, from) = (members(target), members(from));
                self.copy(&target, &from);
            }
            Op::AssignStack(target, from) => {
                let (target, from) = (self.elements(*target), self.elements(*from));
                self.copy(&target, &from);
            }
            Op::SetValid(header) | Op::SetInvalid(header) => self.found.writes.push(Place::Valid(*header)),
            Op::PushFront(stack, _) | Op::PopFront(stack, _) => {
                let elements = self.elements(*stack);
                self.copy(&elements, &elements);
            }
            Op::RegisterRead { dst, index, .. } | Op::ExecuteMeter { dst, index, .. } => self.compute(*dst, &[index]),
            Op::RegisterWrite { index, value, .. } => self.read(&[index, value]),
            Op::Random { dst, low, high } => self.compute(*dst, &[low, high]),
            Op::Hash { dst, base, calculation, max } => {
                for input in &self.program.calculations[calculation.index()].input {
                    match input {
                        CalculationInput::Field(field) => self.found.reads.push(Place::Field(*field)),
                        CalculationInput::Header(header) => self.copy(&[], &[*header]),
                        CalculationInput::Const(..) | CalculationInput::Payload => {}
                    }
                }
                self.compute(*dst, &[base, max]);
            }
            Op::Count { index: value, .. }
            | Op::Truncate(value)
            | Op::Assert(value)
            | Op::Assume(value)
            | Op::Advance(value)
            | Op::JumpUnless(value, _) => self.read(&[value]),
            Op::MarkToDrop => self.mark_to_drop(),
            Op::Digest { receiver, list } => {
                self.read(&[receiver]);
                let fields = &self.program.learn_lists[list.index()].1;
                self.found.reads.extend(fields.iter().map(|field| Place::Field(*field)));
            }
            Op::Clone { session, fields, .. } => {
                self.read(&[session]);
                self.list(fields.index());
            }
            Op::Resubmit(fields) | Op::Recirculate(fields) => self.list(fields.index()),
            Op::LogMessage(_, values) => self.read(&values.iter().collect::<Vec<_>>()),
            Op::ExternMethod { args, .. } | Op::ExternFunction(_, args) => {
                for arg in args {
                    match arg {
                        ExternArg::Value(value) => self.read(&[value]),
                        ExternArg::Field(field) => {
                            self.found.reads.push(Place::Field(*field));
                            self.write(*field);
                        }
                        ExternArg::Header(header) => self.copy(&[*header], &[*header]),
                        ExternArg::Text(_) => {}
                    }
                }
            }
            Op::Extract { target, varbit_bits } => {
                varbit_bits.iter().for_each(|bits| self.read(&[bits]));
                if let ExtractTarget::Header(header) = target {
                    self.copy(&[*header], &[]);
                }
            }
            Op::Verify(condition, error) => self.read(&[condition, error]),
            Op::Exit | Op::Label(_) | Op::Jump(_) => {}
        }
    }

    fn read(&mut self, values: &[&Expr]) {
        for value in values {
            expression_reads(self.program, value, &mut self.found.reads);
        }
    }

    fn write(&mut self, field: FieldRef) {
        self.found.writes.push(Place::Field(field));
    }

    fn compute(&mut self, target: FieldRef, from: &[&Expr]) {
        self.read(from);
        self.write(target);
    }

    /// Headers with all fields and their validity.
    fn copy(&mut self, targets: &[HeaderId], from: &[HeaderId]) {
        let storage = &self.program.storage;
        let whole = |header: &HeaderId| {
            let fields = u32::try_from(storage.type_of(*header).fields.len()).unwrap_or(u32::MAX);
            let header = *header;
            let fields = (0..fields).map(move |field| Place::Field(FieldRef { header, field }));
            fields.chain([Place::Valid(header)])
        };
        self.found.reads.extend(from.iter().flat_map(whole));
        self.found.writes.extend(targets.iter().flat_map(whole));
    }

    fn elements(&self, stack: AnyStack) -> Vec<HeaderId> {
        let storage = &self.program.storage;
        match stack {
            AnyStack::Headers(id) => storage.stacks[id.index()].elements.clone(),
            AnyStack::Unions(id) => {
                let unions = &storage.union_stacks[id.index()].elements;
                unions.iter().flat_map(|union| storage.unions[union.index()].members.clone()).collect()
            }
        }
    }

    fn list(&mut self, index: usize) {
        let fields = &self.program.field_lists[index].1;
        self.found.reads.extend(fields.iter().map(|field| Place::Field(*field)));
    }

    /// It sets the port and the multicast group.
    fn mark_to_drop(&mut self) {
        let Some(header) = self.program.storage.standard_metadata else { return };
        for (index, field) in self.program.storage.type_of(header).fields.iter().enumerate() {
            if matches!(field.name.as_str(), "egress_spec" | "mcast_grp") {
                self.write(FieldRef { header, field: u32::try_from(index).unwrap_or(u32::MAX) });
            }
        }
    }
}
