//! The element of a register array that a step accesses: its index, followed through the variables that it is copied to.

use crate::flow::{Flow, Step};
use crate::places::{Place, accesses, expression_reads};
use p4_ir::Program;
use p4_ir::expr::{Expr, ExprKind};
use p4_ir::ops::Op;
use p4_ir::storage::FieldRef;
use std::collections::HashMap;

/// A longer expression is not followed.
const MAX_PARTS: usize = 16;

/// So many copies are kept in mind at a time.
const MAX_COPIES: usize = 256;

/// An element of a register array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// The index as an expression, and the application whose data it comes from.
    index: String,
    /// The places in the index.
    pub places: Vec<Place>,
}

/// The expressions that variables are copies of.
type Copies = HashMap<FieldRef, Expr>;

/// The element that each step with a register accesses. `order` is that of [`Flow::in_order`].
pub fn elements(program: &Program, flow: &Flow<'_>, order: &[usize]) -> HashMap<usize, Element> {
    let mut found = HashMap::new();
    if program.registers.is_empty() {
        return found;
    }
    let mut arriving: HashMap<usize, Copies> = HashMap::new();
    for &index in order {
        let node = &flow.nodes[index];
        let mut copies = arriving.remove(&index).unwrap_or_default();
        if let Step::Operation(stmt) = node.step {
            if let Op::RegisterRead { index: element, .. } | Op::RegisterWrite { index: element, .. } = &stmt.op {
                found.insert(index, self::element(program, &followed(element, &copies), node.owner));
            }
            let copy = match &stmt.op {
                Op::Assign(target, value) => Some((*target, followed(value, &copies))),
                _ => None,
            };
            let writes = accesses(program, &stmt.op).writes;
            let reads_any = |value: &Expr| reads(program, value).iter().any(|place| writes.contains(place));
            copies.retain(|target, value| !writes.contains(&Place::Field(*target)) && !reads_any(value));
            if let Some((target, value)) = copy
                && copies.len() < MAX_COPIES
                && parts(&value) <= MAX_PARTS
                && !reads_any(&value)
                && !has_entry_data(&value)
            {
                copies.insert(target, value);
            }
        }
        for next in &node.next {
            match arriving.get_mut(next) {
                // Only variables that are the same copy on all ways.
                Some(there) => there.retain(|target, value| {
                    copies.get(target).is_some_and(|other| format!("{other:?}") == format!("{value:?}"))
                }),
                None => {
                    arriving.insert(*next, copies.clone());
                }
            }
        }
    }
    found
}

fn element(program: &Program, index: &Expr, owner: Option<usize>) -> Element {
    // Data of one table's entry are not those of another's.
    let owner = owner.filter(|_| has_entry_data(index));
    Element { index: format!("{owner:?} {index:?}"), places: reads(program, index) }
}

fn has_entry_data(value: &Expr) -> bool {
    let mut found = false;
    value.walk(&mut |part| found |= matches!(part.kind, ExprKind::ActionParam(_)));
    found
}

fn reads(program: &Program, value: &Expr) -> Vec<Place> {
    let mut places = Vec::new();
    expression_reads(program, value, &mut places);
    places
}

fn parts(value: &Expr) -> usize {
    let mut parts = 0;
    value.walk(&mut |_| parts += 1);
    parts
}

/// An expression with the values of the copies in the place of its variables.
fn followed(value: &Expr, copies: &Copies) -> Expr {
    let again = |part: &Expr| Box::new(followed(part, copies));
    let kind = match &value.kind {
        ExprKind::Field(field) => match copies.get(field) {
            Some(copy) => return copy.clone(),
            None => value.kind.clone(),
        },
        ExprKind::Unary(op, part) => ExprKind::Unary(*op, again(part)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, again(left), again(right)),
        ExprKind::Slice { base, high, low } => ExprKind::Slice { base: again(base), high: *high, low: *low },
        ExprKind::Ternary(condition, yes, no) => ExprKind::Ternary(again(condition), again(yes), again(no)),
        other => other.clone(),
    };
    Expr { kind, ty: value.ty }
}
