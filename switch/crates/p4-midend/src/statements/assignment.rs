//! Assignment, comparison and branches.

use crate::code::enclosing::Stage;
use crate::code::structured::Code;
use crate::expressions::constant_folding as fold;
use crate::expressions::expression::{LONGEST_CHAIN, numbers_of};
use crate::lowerer::Lowerer;
use crate::storage::place::{Place, Value};
use num_bigint::BigInt;
use num_traits::One;
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};
use p4_ir::ops::{AnyStack, Op};
use p4_ir::storage::{FieldRef, HeaderId};
use p4_syntax::Span;
use p4_types::typed::Type;
use std::collections::HashSet;
use std::rc::Rc;

impl Lowerer<'_> {
    /// Emits a decision; a known condition selects one side.
    pub fn branch(&mut self, condition: Expr, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        match condition.as_bool() {
            Some(true) => return then(self),
            Some(false) => return otherwise(self),
            None => {}
        }
        match self.enclosing.stage {
            Stage::Deparser => return self.deparser_branch(&condition, then, otherwise),
            Stage::VerifyChecksum | Stage::ComputeChecksum => {
                return self.checksum_branch(&condition, then, otherwise);
            }
            Stage::Parser | Stage::Ingress | Stage::Egress => {}
        }
        let (then, ()) = self.capture(then);
        let (otherwise, ()) = self.capture(otherwise);
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        let (condition, then, otherwise) =
            if then.is_empty() { (fold::not(condition), otherwise, then) } else { (condition, then, otherwise) };
        let source = self.here();
        self.emitter.push(Code::If { condition, then, otherwise, source });
    }

    /// `place = value`, both of type `ty`.
    pub fn assign(&mut self, place: &Place, value: &Value, ty: &Type, span: Span) {
        let mut moves = vec![];
        let value = &self.without_overlap(place, value, ty);
        self.moves(place, value, ty, span, &mut moves);
        // A later part may read a field that an earlier part overwrites.
        let mut written = Written::default();
        for op in &mut moves {
            match op {
                Op::Assign(field, source) => {
                    if self.changes(&written, source) {
                        let saved = self.save(source.clone());
                        *source = saved;
                    }
                    written.fields.insert(*field);
                }
                other => written.others.push(other.clone()),
            }
        }
        for op in moves {
            let useless = matches!(&op, Op::Assign(dst, src) if src.as_field() == Some(*dst));
            if !useless {
                self.emit(op);
            }
        }
    }

    /// The operations that assign, part by part.
    fn moves(&mut self, place: &Place, value: &Value, ty: &Type, span: Span, out: &mut Vec<Op>) {
        let ty = &self.typed.strip_new_types(ty);
        match (place, value) {
            (Place::Nowhere, _) | (_, Value::Nothing) => {}
            (Place::Field(field, field_ty), Value::Scalar(expr)) => {
                let expr = fold::unary(UnaryOp::Cast, expr.clone(), *field_ty);
                out.push(Op::Assign(*field, expr));
            }
            (Place::Varbit(dst), Value::Place(Place::Varbit(src))) => {
                out.push(Op::AssignVarbit(*dst, *src));
            }
            (Place::Struct(parts), Value::Struct(values)) => {
                let types = self.part_types(ty, parts.len());
                for ((part, value), ty) in parts.iter().zip(values.iter()).zip(types) {
                    self.moves(part, value, &ty, span, out);
                }
            }
            (Place::Header(dst), Value::Place(Place::Header(src))) => {
                if dst != src {
                    out.push(Op::AssignHeader(*dst, *src));
                }
                // If it is valid they are invalid already.
                out.extend(self.storage.other_members(*dst).into_iter().map(Op::SetInvalid));
            }
            (Place::Header(dst), Value::Header(values)) => {
                out.push(Op::SetValid(*dst));
                if let Type::Header(id) = ty {
                    let places = self.storage.header_places(*id, *dst);
                    let types = self.part_types(ty, places.len());
                    for ((part, value), ty) in places.iter().zip(values.iter()).zip(types) {
                        self.moves(part, value, &ty, span, out);
                    }
                }
            }
            (Place::Header(dst), Value::Invalid) => out.extend(self.storage.invalidation(*dst)),
            (Place::Union(dst), Value::Place(Place::Union(src))) => {
                if dst != src {
                    out.push(Op::AssignUnion(*dst, *src));
                }
            }
            (Place::Union(dst), Value::Invalid) => {
                let members = self.storage.program.unions[dst.index()].members.clone();
                out.extend(members.into_iter().map(Op::SetInvalid));
            }
            (Place::Stack(dst), Value::Place(Place::Stack(src))) => {
                out.push(Op::AssignStack(AnyStack::Headers(*dst), AnyStack::Headers(*src)))
            }
            (Place::UnionStack(dst), Value::Place(Place::UnionStack(src))) => {
                out.push(Op::AssignStack(AnyStack::Unions(*dst), AnyStack::Unions(*src)))
            }
            (Place::Stack(_) | Place::UnionStack(_), Value::Stack(values)) => {
                let elements = self.elements(place);
                let types = self.part_types(ty, elements.len());
                for ((element, value), ty) in elements.iter().zip(values.iter()).zip(types) {
                    self.moves(element, value, &ty, span, out);
                }
            }
            _ => {
                self.flush(out);
                self.assign_indirectly(place, value, ty, span);
            }
        }
    }

    fn flush(&mut self, moves: &mut Vec<Op>) {
        for op in moves.drain(..) {
            self.emit(op);
        }
    }

    /// Assignments that need more than one operation: bits of a place, elements known at run time.
    fn assign_indirectly(&mut self, place: &Place, value: &Value, ty: &Type, span: Span) {
        match (place, value) {
            (Place::Slice(base, high, low), Value::Scalar(expr)) => {
                if let Value::Scalar(old) = self.read(base) {
                    let new = insert_bits(old, expr.clone(), *high, *low);
                    self.assign(base, &Value::Scalar(new), ty, span);
                }
            }
            (Place::PlusSlice(base, low, width), Value::Scalar(bits)) => {
                if let Value::Scalar(old) = self.read(base) {
                    let new = insert_bits_at(old, bits.clone(), (**low).clone(), *width);
                    self.assign(base, &Value::Scalar(new), ty, span);
                }
            }
            (Place::Element(index, elements), _) => {
                let index = self.settled_index(index, elements.len());
                self.for_element(&index, elements.len(), |this, number| {
                    this.assign(&elements[number].clone(), value, ty, span);
                });
            }
            (_, Value::Place(Place::Element(index, elements))) => {
                let index = self.settled_index(index, elements.len());
                let elements = elements.clone();
                self.for_element(&index, elements.len(), |this, number| {
                    let value = this.read(&elements[number]);
                    this.assign(place, &value, ty, span);
                });
            }
            _ => {
                let element = self.storage.as_element(place);
                if let Place::Element(..) = element {
                    return self.assign(&element, value, ty, span);
                }
                if let Value::Place(value) = value
                    && let value @ Place::Element(..) = self.storage.as_element(value)
                {
                    return self.assign(place, &Value::Place(value), ty, span);
                }
                self.error(span, "BMv2 has no way to make this assignment");
            }
        }
    }

    /// `if (index == 0) … else if (index == 1) …`; nothing happens beyond the end.
    pub fn for_element(&mut self, index: &Expr, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        for number in 0..count {
            let here = self.index_is(index, number);
            self.branch(here, |this| each(this, number), |_| {});
        }
    }

    /// Is a header (or union) valid?
    pub fn validity(&mut self, value: &Value, span: Span) -> Expr {
        match value {
            Value::Header(_) => Expr::bool(true),
            Value::Invalid => Expr::bool(false),
            Value::Place(Place::Header(header)) => Expr { kind: ExprKind::Valid(*header), ty: Ty::Bool },
            Value::Place(Place::Union(union)) => Expr { kind: ExprKind::ValidUnion(*union), ty: Ty::Bool },
            Value::Place(Place::Element(index, elements)) => {
                let valid = elements.iter().map(|element| self.validity(&Value::Place(element.clone()), span));
                let mut valid: Vec<Expr> = valid.collect();
                valid.push(Expr::bool(false));
                self.by_index(index, valid).unwrap_or(Expr::bool(false))
            }
            _ => {
                if let Value::Place(place) = value
                    && let element @ Place::Element(..) = self.storage.as_element(place)
                {
                    return self.validity(&Value::Place(element), span);
                }
                self.error(span, "BMv2 cannot tell whether this header is valid");
                Expr::bool(false)
            }
        }
    }

    /// The parts of a structure or the fields of a header.
    fn parts(&mut self, value: &Value, ty: &Type) -> Vec<Value> {
        match value {
            Value::Struct(parts) | Value::Header(parts) | Value::Stack(parts) => parts.to_vec(),
            Value::Place(place @ (Place::Header(_) | Place::Union(_))) => {
                let count = self.part_types(ty, 0).len();
                (0..count)
                    .map(|i| {
                        let field = self.field_of(place, ty, i);
                        self.read(&field)
                    })
                    .collect()
            }
            Value::Place(place @ (Place::Stack(_) | Place::UnionStack(_))) => {
                let elements = self.elements(place);
                elements.iter().map(|e| self.read(e)).collect()
            }
            _ => vec![],
        }
    }

    /// `a == b` for any type.
    pub fn equal_values(&mut self, a: &Value, b: &Value, ty: &Type, span: Span) -> Expr {
        if let (Value::Scalar(a), Value::Scalar(b)) = (a, b) {
            return fold::equal(a.clone(), b.clone());
        }
        if let Some((index, elements)) = self.chosen_at_run_time(a) {
            return self.equal_element(&index, &elements, b, ty, span);
        }
        if let Some((index, elements)) = self.chosen_at_run_time(b) {
            return self.equal_element(&index, &elements, a, ty, span);
        }
        let ty = &self.typed.strip_new_types(ty);
        if let (Value::Place(Place::Varbit(a)), Value::Place(Place::Varbit(b))) = (a, b) {
            // BMv2 compares the bits as numbers.
            let number = |this: &Self, field: FieldRef| {
                let width = this.storage.program.field(field).width.max_bits();
                Expr::field(field, Ty::bit(width))
            };
            return fold::equal(number(self, *a), number(self, *b));
        }
        match ty {
            Type::Struct(_) | Type::Tuple(_) | Type::List(_) | Type::Stack(..) | Type::Union(_) => {
                self.equal_parts(a, b, ty, span)
            }
            Type::Header(_) => {
                let (valid_a, valid_b) = (self.validity(a, span), self.validity(b, span));
                let invalid = fold::and(fold::not(valid_a.clone()), fold::not(valid_b.clone()));
                if invalid.as_bool() == Some(true) {
                    return invalid;
                }
                let valid = fold::and(valid_a, valid_b);
                if valid.as_bool() == Some(false) {
                    return invalid;
                }
                let same = self.equal_parts(a, b, ty, span);
                fold::or(invalid, fold::and(valid, same))
            }
            _ => {
                self.error(span, "BMv2 cannot compare values of this type");
                Expr::bool(false)
            }
        }
    }

    /// The index and the elements, if a value is one of several that only the run time tells.
    fn chosen_at_run_time(&self, value: &Value) -> Option<(Expr, Rc<[Place]>)> {
        let Value::Place(place) = value else { return None };
        match self.storage.as_element(place) {
            Place::Element(index, elements) => Some((*index, elements)),
            _ => None,
        }
    }

    /// Is the element with this index equal to `other`? Beyond the end there is an invalid one.
    fn equal_element(&mut self, index: &Expr, elements: &[Place], other: &Value, ty: &Type, span: Span) -> Expr {
        let numbers = numbers_of(index);
        if elements.len() > LONGEST_CHAIN {
            return self.equal_element_of_many(index, elements, other, ty, span);
        }
        let mut result = match self.typed.strip_new_types(ty) {
            Type::Header(_) | Type::Union(_) => {
                let here = (0..elements.len().min(numbers)).map(|number| self.index_is(index, number));
                let is_any = here.reduce(fold::or).unwrap_or(Expr::bool(false));
                let covered = !index.ty.is_signed() && numbers <= elements.len();
                let beyond = if covered { Expr::bool(false) } else { fold::not(is_any) };
                fold::and(beyond, fold::not(self.validity(other, span)))
            }
            _ => Expr::bool(false),
        };
        for (number, element) in elements.iter().enumerate().take(numbers).rev() {
            let element = self.read(element);
            let equal = self.equal_values(&element, other, ty, span);
            result = fold::or(fold::and(self.index_is(index, number), equal), result);
        }
        result
    }

    fn equal_element_of_many(
        &mut self,
        index: &Expr,
        elements: &[Place],
        other: &Value,
        ty: &Type,
        span: Span,
    ) -> Expr {
        let mut equal = vec![];
        for element in elements {
            let element = self.read(element);
            equal.push(self.equal_values(&element, other, ty, span));
        }
        equal.push(match self.typed.strip_new_types(ty) {
            Type::Header(_) | Type::Union(_) => fold::not(self.validity(other, span)),
            _ => Expr::bool(false),
        });
        self.by_index(index, equal).unwrap_or(Expr::bool(false))
    }

    fn equal_parts(&mut self, a: &Value, b: &Value, ty: &Type, span: Span) -> Expr {
        let (a, b) = (self.parts(a, ty), self.parts(b, ty));
        let types = self.part_types(ty, a.len());
        let mut result = Expr::bool(true);
        for ((a, b), ty) in a.iter().zip(&b).zip(types) {
            let equal = self.equal_values(a, b, &ty, span);
            result = fold::and(result, equal);
        }
        result
    }
}

/// `old` with bits `high..=low` replaced.
fn insert_bits(old: Expr, bits: Expr, high: u32, low: u32) -> Expr {
    let ty = old.ty;
    let unsigned = Ty::bit(ty.width());
    let ones = (BigInt::one() << (high - low + 1)) - 1;
    let all = (BigInt::one() << ty.width()) - 1;
    let keep = fold::constant(all ^ (&ones << low), unsigned);
    let old = fold::unary(UnaryOp::Cast, old, unsigned);
    let kept = fold::binary(BinaryOp::BitAnd, old, keep, unsigned);
    let bits = fold::unary(UnaryOp::Cast, bits, Ty::bit(high - low + 1));
    let bits = fold::unary(UnaryOp::Cast, bits, unsigned);
    let amount = Expr::constant(low, Ty::bit(32));
    let shifted = fold::binary(BinaryOp::Shl, bits, amount, unsigned);
    let joined = fold::binary(BinaryOp::BitOr, kept, shifted, unsigned);
    fold::unary(UnaryOp::Cast, joined, ty)
}

/// `old` with `width` bits from bit `low` on replaced, as far as it has them.
fn insert_bits_at(old: Expr, bits: Expr, low: Expr, width: u32) -> Expr {
    let ty = old.ty;
    let unsigned = Ty::bit(ty.width());
    let ones = fold::constant((BigInt::one() << width) - 1, unsigned);
    let hole = fold::binary(BinaryOp::Shl, ones, low.clone(), unsigned);
    let old = fold::unary(UnaryOp::Cast, old, unsigned);
    let kept = fold::binary(BinaryOp::BitAnd, old, fold::unary(UnaryOp::BitNot, hole, unsigned), unsigned);
    let bits = fold::unary(UnaryOp::Cast, bits, Ty::bit(width));
    let bits = fold::unary(UnaryOp::Cast, bits, unsigned);
    let shifted = fold::binary(BinaryOp::Shl, bits, low, unsigned);
    let joined = fold::binary(BinaryOp::BitOr, kept, shifted, unsigned);
    fold::unary(UnaryOp::Cast, joined, ty)
}

/// The writes of earlier operations.
#[derive(Default)]
struct Written {
    /// The fields written by operations that assign a value.
    fields: HashSet<FieldRef>,
    /// All other operations.
    others: Vec<Op>,
}

/// The changes that operations make.
impl Lowerer<'_> {
    /// Do operations change what `expr` reads?
    fn changes(&self, written: &Written, expr: &Expr) -> bool {
        let mut changed = false;
        expr.walk(&mut |part| changed |= part.as_field().is_some_and(|field| written.fields.contains(&field)));
        changed || written.others.iter().any(|op| self.op_changes(op, expr))
    }

    /// Does `op`, which is not [`Op::Assign`], change what `expr` reads?
    fn op_changes(&self, op: &Op, expr: &Expr) -> bool {
        let mut changed = false;
        expr.walk(&mut |part| {
            changed |= match (&part.kind, op) {
                (ExprKind::Field(field), Op::AssignHeader(dst, _)) if field.header == *dst => true,
                // A header's fields change with its validity, but only where another header takes its place.
                (ExprKind::Field(field), Op::AssignHeader(dst, _) | Op::SetValid(dst)) => {
                    self.storage.other_members(*dst).contains(&field.header)
                }
                (ExprKind::Valid(header), _) => self.changes_validity(op, *header),
                (ExprKind::ValidUnion(union), _) => {
                    let members = &self.storage.program.unions[union.index()].members;
                    members.iter().any(|member| self.changes_validity(op, *member))
                }
                (ExprKind::Field(_), Op::AssignStack(..) | Op::AssignUnion(..)) => true,
                _ => false,
            };
        });
        changed
    }

    fn changes_validity(&self, op: &Op, header: HeaderId) -> bool {
        match op {
            Op::AssignHeader(dst, _) | Op::SetValid(dst) | Op::SetInvalid(dst) => {
                *dst == header || self.storage.other_members(*dst).contains(&header)
            }
            Op::AssignStack(..) | Op::AssignUnion(..) => true,
            _ => false,
        }
    }
}
