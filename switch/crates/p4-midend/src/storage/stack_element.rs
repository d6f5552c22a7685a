//! `next` and `last` of stacks, for all that BMv2 cannot do with them by name.
//!
//! BMv2 extracts to `next` and reads single fields of `last`. All other operations of a parser on them are done on an
//! element whose index BMv2 tells while it parses. Where there is no such element, parsing ends with
//! `StackOutOfBounds`.

use crate::expressions::constant_folding as fold;
use crate::lowerer::Lowerer;
use crate::storage::allocation::Storage;
use crate::storage::place::Place;
use p4_ir::expr::{Expr, ExprKind as IrKind, Ty};
use p4_ir::ops::{AnyStack, Op};
use p4_types::typed::{self, Callee, ExprKind, Local, ParserId, Transition, VarId};

/// The type of an index.
const INDEX: Ty = Ty::Bits { width: 32, signed: false };

/// The index of the element that is extracted next.
fn next_index(stack: AnyStack) -> Expr {
    Expr { kind: IrKind::StackNextIndex(stack), ty: INDEX }
}

/// The index of the element that was extracted last.
pub fn last_index(stack: AnyStack) -> Expr {
    Expr { kind: IrKind::StackLastIndex(stack), ty: INDEX }
}

impl Storage<'_> {
    /// `next`, `last` and places in them as an element whose index is known at run time; all other places as they are.
    pub fn as_element(&self, place: &Place) -> Place {
        let storage = &self.program;
        let headers = |stack: p4_ir::storage::StackId| storage.stacks[stack.index()].elements.iter();
        let unions = |stack: p4_ir::storage::UnionStackId| storage.union_stacks[stack.index()].elements.iter();
        let member = |stack, member: u32| {
            let member = move |union: &p4_ir::storage::UnionId| {
                storage.unions[union.index()].members.get(member as usize).copied()
            };
            unions(stack).filter_map(member)
        };
        let field = |header, field, ty| Place::Field(p4_ir::storage::FieldRef { header, field }, ty);
        let (index, elements): (_, Vec<Place>) = match place {
            Place::StackNext(stack) => {
                (next_index(AnyStack::Headers(*stack)), headers(*stack).map(|h| Place::Header(*h)).collect())
            }
            Place::StackLast(stack) => {
                (last_index(AnyStack::Headers(*stack)), headers(*stack).map(|h| Place::Header(*h)).collect())
            }
            Place::StackLastField(stack, number, ty) => {
                let fields = headers(*stack).map(|h| field(*h, *number, *ty));
                (last_index(AnyStack::Headers(*stack)), fields.collect())
            }
            Place::UnionStackNext(stack) => {
                (next_index(AnyStack::Unions(*stack)), unions(*stack).map(|u| Place::Union(*u)).collect())
            }
            Place::UnionStackLast(stack) => {
                (last_index(AnyStack::Unions(*stack)), unions(*stack).map(|u| Place::Union(*u)).collect())
            }
            Place::UnionStackNextMember(stack, number) => {
                (next_index(AnyStack::Unions(*stack)), member(*stack, *number).map(Place::Header).collect())
            }
            Place::UnionStackLastMember(stack, number) => {
                (last_index(AnyStack::Unions(*stack)), member(*stack, *number).map(Place::Header).collect())
            }
            Place::UnionStackLastField(stack, number, in_member, ty) => {
                let fields = member(*stack, *number).map(|h| field(h, *in_member, *ty));
                (last_index(AnyStack::Unions(*stack)), fields.collect())
            }
            other => return other.clone(),
        };
        Place::Element(Box::new(index), elements.into())
    }
}

impl Lowerer<'_> {
    /// The index of an element as a value that does not change any more. For that of `next` and `last`, parsing goes on
    /// only if there is such an element.
    pub fn settled_index(&mut self, index: &Expr, count: usize) -> Expr {
        let there_is = match index.kind {
            IrKind::StackNextIndex(_) => {
                let count = Expr::constant(count, INDEX);
                Some(fold::binary(p4_ir::expr::BinaryOp::Lt, index.clone(), count, Ty::Bool))
            }
            IrKind::StackLastIndex(stack) => Some(fold::not(fold::equal(next_index(stack), Expr::constant(0, INDEX)))),
            _ => None,
        };
        if let Some(condition) = there_is {
            let names = &self.typed.errors;
            let error = names.iter().position(|error| &*error.name == "StackOutOfBounds").unwrap_or_default();
            self.emit(Op::Verify(condition, Expr::constant(error, Ty::bit(32))));
        }
        self.save(index.clone())
    }

    /// Does a parser do nothing with a parameter but extract to it, itself or in a parser within?
    pub fn only_extracts(&self, parser: ParserId, param: VarId) -> bool {
        let is_it = |value: &typed::Expr| matches!(value.kind, ExprKind::Var(var) if var == param);
        let (mut uses, mut extracts) = (0, 0);
        let mut count = |part: &typed::Expr| {
            uses += usize::from(is_it(part));
            if let ExprKind::Call(call) = &part.kind
                && self.extracts(&call.callee)
            {
                extracts += call.args.iter().filter_map(|arg| arg.value.as_ref()).filter(|value| is_it(value)).count();
            }
        };
        let declared = &self.typed[parser];
        for local in &declared.locals {
            if let Local::Variable(_, Some(value)) = local {
                value.walk(&mut count);
            }
        }
        for state in &declared.states {
            let statements = state.body.iter();
            statements.for_each(|one| one.each(&mut |one| one.expressions(&mut |value| value.walk(&mut count))));
            if let Transition::Select { keys, .. } = &state.transition {
                keys.iter().for_each(|key| key.walk(&mut count));
            }
        }
        uses == extracts
    }

    /// Does a call extract to its argument, or may it in a parser within?
    fn extracts(&self, callee: &Callee) -> bool {
        match callee {
            Callee::Method { object, method } => &*self.method_name(*object, *method) == "extract",
            callee => matches!(callee, Callee::Apply(_)),
        }
    }
}
