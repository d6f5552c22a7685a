//! Expressions: places, values, scalars.

use crate::calls::effects::later_effects;
use crate::expressions::constant_folding as fold;
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, Place, Value};
use crate::storage::stack_element::last_index;
use num_bigint::BigInt;
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};
use p4_ir::ops::{AnyStack, Op};
use p4_syntax::Kind;
use p4_types::typed::{self, ExprKind as Typed, Type};
use std::rc::Rc;

/// The longest chain of comparisons with an index, which chooses one of so many values. Of more values one is chosen by
/// halves: the expressions of a chain are nested, and switches load no JSON that is nested very deep.
pub const LONGEST_CHAIN: usize = 512;

/// How many different numbers an index can be that are not negative.
pub fn numbers_of(index: &Expr) -> usize {
    let bits = index.ty.width() - u32::from(index.ty.is_signed());
    1usize.checked_shl(bits).unwrap_or(usize::MAX)
}

impl Lowerer<'_> {
    /// The place an expression denotes, if it denotes one.
    pub fn place(&mut self, expr: &typed::Expr) -> Option<Place> {
        match &expr.kind {
            Typed::Var(var) => match self.bindings.variables.get(var) {
                Some(Binding::Place(place)) => Some(place.clone()),
                Some(Binding::Value(Value::Place(place))) => Some(place.clone()),
                Some(Binding::Value(_)) => None,
                None => Some(self.storage.local_place(*var)),
            },
            Typed::Field { base, field } => {
                let place = self.place(base)?;
                Some(self.field_of(&place, &base.ty, *field))
            }
            Typed::Index { base, index } => {
                let place = self.place(base)?;
                let index = self.scalar(index);
                Some(self.element_of(&place, index))
            }
            Typed::StackNext(base) => Some(match self.place(base)? {
                Place::Stack(stack) => Place::StackNext(stack),
                Place::UnionStack(stack) => Place::UnionStackNext(stack),
                _ => Place::Nowhere,
            }),
            Typed::StackLast(base) => Some(match self.place(base)? {
                Place::Stack(stack) => Place::StackLast(stack),
                Place::UnionStack(stack) => Place::UnionStackLast(stack),
                _ => Place::Nowhere,
            }),
            Typed::Slice { base, high, low } => {
                let place = self.place(base)?;
                Some(Place::Slice(Box::new(place), *high, *low))
            }
            Typed::PlusSlice { base, low, width } => {
                let place = self.place(base)?;
                let low = self.scalar(low);
                Some(Place::PlusSlice(Box::new(place), Box::new(low), *width))
            }
            // An l-value keeps its place through conversions that change no bits.
            Typed::Cast(base) if self.same_representation(&base.ty, &expr.ty) => self.place(base),
            _ => None,
        }
    }

    fn same_representation(&self, a: &Type, b: &Type) -> bool {
        match (self.storage.scalar_type(a), self.storage.scalar_type(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// Field number `field` of a place of type `ty`.
    pub fn field_of(&mut self, place: &Place, ty: &Type, field: usize) -> Place {
        let ty = self.typed.strip_new_types(ty);
        match place {
            Place::Struct(fields) => fields.get(field).cloned().unwrap_or(Place::Nowhere),
            Place::Header(header) => match ty {
                Type::Header(id) => {
                    let places = self.storage.header_places(id, *header);
                    places.get(field).cloned().unwrap_or(Place::Nowhere)
                }
                _ => Place::Nowhere,
            },
            Place::Union(union) => {
                let members = &self.storage.program.unions[union.index()].members;
                members.get(field).map_or(Place::Nowhere, |m| Place::Header(*m))
            }
            Place::Element(index, elements) => {
                let fields: Vec<Place> = elements.iter().map(|e| self.field_of(e, &ty, field)).collect();
                Place::Element(index.clone(), fields.into())
            }
            Place::StackLast(stack) => {
                let first = self.storage.program.stacks[stack.index()].elements.first().copied();
                match first.map(|h| self.field_of(&Place::Header(h), &ty, field)) {
                    Some(Place::Field(field, ty)) => Place::StackLastField(*stack, field.field, ty),
                    _ => self.field_of(&self.storage.as_element(place), &ty, field),
                }
            }
            Place::StackNext(_) | Place::UnionStackNextMember(..) => {
                self.field_of(&self.storage.as_element(place), &ty, field)
            }
            Place::UnionStackNext(stack) => Place::UnionStackNextMember(*stack, field as u32),
            Place::UnionStackLast(stack) => Place::UnionStackLastMember(*stack, field as u32),
            Place::UnionStackLastMember(stack, member) => {
                let first = self.storage.program.union_stacks[stack.index()].elements.first().copied();
                let header = first.and_then(|u| {
                    let members = &self.storage.program.unions[u.index()].members;
                    members.get(*member as usize).copied()
                });
                match header.map(|h| self.field_of(&Place::Header(h), &ty, field)) {
                    Some(Place::Field(field, ty)) => Place::UnionStackLastField(*stack, *member, field.field, ty),
                    _ => self.field_of(&self.storage.as_element(place), &ty, field),
                }
            }
            _ => Place::Nowhere,
        }
    }

    /// The elements of a stack.
    pub fn elements(&self, place: &Place) -> Vec<Place> {
        let storage = &self.storage.program;
        match place {
            Place::Stack(stack) => {
                let elements = storage.stacks[stack.index()].elements.iter();
                elements.map(|h| Place::Header(*h)).collect()
            }
            Place::UnionStack(stack) => {
                let elements = storage.union_stacks[stack.index()].elements.iter();
                elements.map(|u| Place::Union(*u)).collect()
            }
            Place::Struct(parts) => parts.to_vec(),
            _ => vec![],
        }
    }

    /// An element of a stack.
    fn element_of(&mut self, place: &Place, index: Expr) -> Place {
        let elements = self.elements(place);
        match index.as_const() {
            Some(number) => {
                let index = usize::try_from(number).unwrap_or(usize::MAX);
                elements.get(index).cloned().unwrap_or(Place::Nowhere)
            }
            None => Place::Element(Box::new(index), elements.into()),
        }
    }

    /// The value that a place holds.
    pub fn read(&mut self, place: &Place) -> Value {
        match place {
            Place::Field(field, ty) => Value::Scalar(Expr::field(*field, *ty)),
            Place::StackLastField(stack, field, ty) => {
                Value::Scalar(Expr { kind: ExprKind::StackLast(*stack, *field), ty: *ty })
            }
            Place::UnionStackLastField(stack, member, field, ty) => {
                Value::Scalar(Expr { kind: ExprKind::UnionStackLast(*stack, *member, *field), ty: *ty })
            }
            Place::Struct(parts) => Value::Struct(parts.iter().map(|p| self.read(p)).collect()),
            Place::Slice(base, high, low) => match self.read(base) {
                Value::Scalar(expr) => Value::Scalar(fold::slice(expr, *high, *low)),
                _ => Value::Nothing,
            },
            Place::PlusSlice(base, low, width) => match self.read(base) {
                Value::Scalar(expr) => Value::Scalar(fold::plus_slice(expr, (**low).clone(), *width)),
                _ => Value::Nothing,
            },
            Place::Element(index, elements) => self.read_element(index, elements),
            Place::Nowhere => Value::Nothing,
            other => Value::Place(other.clone()),
        }
    }

    /// A scalar of an element known at run time is chosen by comparing the index; beyond the end
    /// it is that of the last element.
    fn read_element(&mut self, index: &Expr, elements: &Rc<[Place]>) -> Value {
        match elements.first() {
            Some(Place::Struct(parts)) => {
                let columns: Vec<Value> = (0..parts.len())
                    .map(|column| {
                        let places: Rc<[Place]> = elements
                            .iter()
                            .map(|e| match e {
                                Place::Struct(parts) => parts[column].clone(),
                                _ => Place::Nowhere,
                            })
                            .collect();
                        self.read_element(index, &places)
                    })
                    .collect();
                Value::Struct(columns.into())
            }
            Some(Place::Field(..)) => {
                let values = elements.iter().map(|element| match self.read(element) {
                    Value::Scalar(value) => Some(value),
                    _ => None,
                });
                let values: Option<Vec<Expr>> = values.collect();
                values.and_then(|values| self.by_index(index, values)).map_or(Value::Nothing, Value::Scalar)
            }
            Some(_) => Value::Place(Place::Element(Box::new(index.clone()), elements.clone())),
            None => Value::Nothing,
        }
    }

    /// The value with that index; beyond the end the last one. None if there are none.
    pub fn by_index(&self, index: &Expr, mut values: Vec<Expr>) -> Option<Expr> {
        if values.len() > LONGEST_CHAIN {
            values.truncate(numbers_of(index));
            return self.by_halves(index, 0, &values);
        }
        let last = values.pop()?;
        let choose = |chosen, (number, value)| fold::ternary(self.index_is(index, number), value, chosen);
        Some(values.into_iter().enumerate().rev().fold(last, choose))
    }

    /// The value with that index, of values that have the indices from `first` on.
    fn by_halves(&self, index: &Expr, first: usize, values: &[Expr]) -> Option<Expr> {
        if values.len() <= 1 {
            return values.first().cloned();
        }
        let (low, high) = values.split_at(values.len() / 2);
        let middle = first + low.len();
        let is_low = fold::binary(BinaryOp::Lt, index.clone(), Expr::constant(middle, index.ty), Ty::Bool);
        Some(fold::ternary(is_low, self.by_halves(index, first, low)?, self.by_halves(index, middle, high)?))
    }

    /// `index == number`.
    pub fn index_is(&self, index: &Expr, number: usize) -> Expr {
        let number = Expr::constant(BigInt::from(number), index.ty);
        fold::equal(index.clone(), number)
    }

    /// The value of an expression; code for its side effects is emitted.
    pub fn value(&mut self, expr: &typed::Expr) -> Value {
        if let Typed::Var(var) = &expr.kind
            && let Some(Binding::Value(value)) = self.bindings.variables.get(var)
        {
            return value.clone();
        }
        if let Typed::Slice { base, high, low } = &expr.kind {
            let base = self.scalar(base);
            return Value::Scalar(fold::slice(base, *high, *low));
        }
        if let Typed::PlusSlice { base, low, width } = &expr.kind {
            let (base, low) = self.pair(base, low);
            return match (base, low) {
                (Value::Scalar(base), Value::Scalar(low)) => Value::Scalar(fold::plus_slice(base, low, *width)),
                _ => Value::Nothing,
            };
        }
        // Finding the place may emit code (for an index), so it is done once.
        let may_have_place = matches!(
            expr.kind,
            Typed::Var(_) | Typed::Field { .. } | Typed::Index { .. } | Typed::StackNext(_) | Typed::StackLast(_)
        );
        if may_have_place && let Some(place) = self.place(expr) {
            if let Typed::Field { base, .. } = &expr.kind
                && is_field_of_next(base)
            {
                let message = "a field of 'next' has no value unless one was assigned";
                self.messages.warning_of(Kind::UninitializedUse, expr.span, message);
                let place = self.settled(&place);
                return self.read(&place);
            }
            return self.read(&place);
        }
        if let Typed::Field { base, field } = &expr.kind {
            return self.field_value(base, *field);
        }
        if let Typed::Index { base, index } = &expr.kind {
            return self.element_value(base, index);
        }
        match &expr.kind {
            Typed::Literal(literal) => self.literal(literal, &expr.ty),
            Typed::Struct(parts) => {
                let types: Vec<&Type> = parts.iter().map(|p| &p.ty).collect();
                let values = self.values(parts, &types);
                match self.typed.strip_new_types(&expr.ty) {
                    Type::Header(_) => Value::Header(values.into()),
                    _ => Value::Struct(values.into()),
                }
            }
            Typed::List(parts) => {
                let types: Vec<&Type> = parts.iter().map(|p| &p.ty).collect();
                let values = self.values(parts, &types);
                match self.typed.strip_new_types(&expr.ty) {
                    Type::Stack(..) => Value::Stack(values.into()),
                    _ => Value::Struct(values.into()),
                }
            }
            Typed::Invalid => Value::Invalid,
            Typed::Call(call) => self.call(call),
            Typed::Binary(op, left, right) if matches!(op, typed::BinaryOp::Equal | typed::BinaryOp::NotEqual) => {
                let values = self.pair(left, right);
                let equal = self.equal_values(&values.0, &values.1, &left.ty, expr.span);
                Value::Scalar(match op {
                    typed::BinaryOp::Equal => equal,
                    _ => fold::not(equal),
                })
            }
            Typed::Ternary { condition, yes, no } => self.ternary(condition, yes, no, &expr.ty),
            Typed::Cast(base) => {
                let value = self.value(base);
                match (value, self.storage.scalar_type(&expr.ty)) {
                    (Value::Scalar(value), Some(ty)) => Value::Scalar(fold::unary(UnaryOp::Cast, value, ty)),
                    (value, _) => value,
                }
            }
            _ => Value::Scalar(self.operation(expr)),
        }
    }

    fn field_value(&mut self, base: &typed::Expr, field: usize) -> Value {
        match self.value(base) {
            Value::Struct(parts) | Value::Header(parts) => parts.get(field).cloned().unwrap_or(Value::Nothing),
            Value::Place(place) => {
                let place = self.field_of(&place, &base.ty, field);
                self.read(&place)
            }
            _ => Value::Nothing,
        }
    }

    fn element_value(&mut self, base: &typed::Expr, index: &typed::Expr) -> Value {
        let parts = match self.value(base) {
            Value::Struct(parts) | Value::Stack(parts) => parts,
            Value::Place(place) => {
                let index = self.scalar(index);
                let place = self.element_of(&place, index);
                return self.read(&place);
            }
            _ => return Value::Nothing,
        };
        let index = self.scalar(index);
        match index.as_const().map(usize::try_from) {
            Some(Ok(number)) => parts.get(number).cloned().unwrap_or(Value::Nothing),
            _ => {
                self.error_of(Kind::Expected, base.span, "the index into this list must be known at compile time");
                Value::Nothing
            }
        }
    }

    /// Values of expressions, evaluated from left to right: a value that a later expression may
    /// change is saved.
    pub fn values(&mut self, exprs: &[typed::Expr], types: &[&Type]) -> Vec<Value> {
        let later = later_effects(exprs.iter().map(typed::Expr::has_effects));
        let mut values = Vec::with_capacity(exprs.len());
        for ((expr, ty), may_change) in exprs.iter().zip(types).zip(later) {
            let value = self.value(expr);
            values.push(if may_change { self.snapshot(value, ty) } else { value });
        }
        values
    }

    fn pair(&mut self, left: &typed::Expr, right: &typed::Expr) -> (Value, Value) {
        let mut value = self.value(left);
        if right.has_effects() {
            value = self.snapshot(value, &left.ty);
        }
        let right = self.value(right);
        (value, right)
    }

    /// A copy of a value that nothing can change any more.
    pub fn snapshot(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Scalar(expr) => Value::Scalar(self.save(expr)),
            Value::Struct(parts) => {
                let types = self.part_types(ty, parts.len());
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, ty)| self.snapshot(part.clone(), &ty));
                Value::Struct(parts.collect::<Vec<_>>().into())
            }
            Value::Stack(parts) => {
                let types = self.part_types(ty, parts.len());
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, ty)| self.snapshot(part.clone(), &ty));
                Value::Stack(parts.collect::<Vec<_>>().into())
            }
            Value::Header(parts) => {
                let types = self.part_types(ty, parts.len());
                let parts = parts.iter().zip(types);
                let parts = parts.map(|(part, ty)| self.snapshot(part.clone(), &ty));
                Value::Header(parts.collect::<Vec<_>>().into())
            }
            Value::Place(place) => {
                let copy = self.storage.allocate("tmp", ty);
                self.assign(&copy, &Value::Place(place), ty, p4_syntax::Span::default());
                Value::Place(copy)
            }
            other => other,
        }
    }

    /// The types of the parts of a structure, tuple or header.
    pub fn part_types(&self, ty: &Type, count: usize) -> Vec<Type> {
        match self.typed.strip_new_types(ty) {
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                self.typed[id].fields.iter().map(|f| f.ty.clone()).collect()
            }
            Type::Tuple(parts) => parts.to_vec(),
            Type::List(element) | Type::Stack(element, _) => vec![(*element).clone(); count],
            _ => vec![Type::Unknown; count],
        }
    }

    fn literal(&mut self, literal: &typed::Value, ty: &Type) -> Value {
        match literal {
            typed::Value::Bool(value) => Value::Scalar(Expr::bool(*value)),
            typed::Value::Int(number) => {
                let ty = self.storage.scalar_type(ty).unwrap_or_else(|| integer_type(number));
                Value::Scalar(fold::constant(number.clone(), ty))
            }
            typed::Value::Error(id) => Value::Scalar(Expr::constant(BigInt::from(id.0), Ty::bit(32))),
            typed::Value::Enum(position) => Value::Scalar(Expr::constant(BigInt::from(*position), Ty::bit(32))),
            typed::Value::String(text) => Value::Text(text.clone()),
            typed::Value::MatchKind(_) => Value::Nothing,
        }
    }

    fn ternary(&mut self, condition: &typed::Expr, yes: &typed::Expr, no: &typed::Expr, ty: &Type) -> Value {
        let condition = self.scalar(condition);
        if let Some(known) = condition.as_bool() {
            return self.value(if known { yes } else { no });
        }
        if self.storage.scalar_type(ty).is_some() && !yes.has_effects() && !no.has_effects() {
            let yes = self.scalar(yes);
            let no = self.scalar(no);
            return Value::Scalar(fold::ternary(condition, yes, no));
        }
        let result = match self.storage.scalar_type(ty) {
            Some(scalar) => Place::Field(self.storage.temporary(scalar), scalar),
            None => self.storage.allocate("tmp", ty),
        };
        self.branch(
            condition,
            |this| {
                let value = this.value(yes);
                this.assign(&result, &value, ty, yes.span);
            },
            |this| {
                let value = this.value(no);
                this.assign(&result, &value, ty, no.span);
            },
        );
        self.read(&result)
    }

    /// The value of an expression of a simple type.
    pub fn scalar(&mut self, expr: &typed::Expr) -> Expr {
        match self.value(expr) {
            Value::Scalar(expr) => expr,
            _ => {
                if !self.messages.has_errors() {
                    self.error(expr.span, "BMv2 has no way to compute this value here");
                }
                Expr::constant(0, self.storage.scalar_type(&expr.ty).unwrap_or(Ty::bit(1)))
            }
        }
    }

    /// Operators and the remaining expressions.
    fn operation(&mut self, expr: &typed::Expr) -> Expr {
        let ty = self.storage.scalar_type(&expr.ty);
        match &expr.kind {
            Typed::Unary(op, operand) => {
                let operand = self.scalar(operand);
                let ty = ty.unwrap_or(operand.ty);
                let op = match op {
                    typed::UnaryOp::Not => UnaryOp::Not,
                    typed::UnaryOp::BitNot => UnaryOp::BitNot,
                    typed::UnaryOp::Negate => UnaryOp::Neg,
                };
                fold::unary(op, operand, ty)
            }
            Typed::Binary(op @ (typed::BinaryOp::And | typed::BinaryOp::Or), left, right) => {
                self.short_circuit(*op, left, right)
            }
            Typed::Binary(op, left, right) => {
                let mut l = self.scalar(left);
                if right.has_effects() {
                    l = self.save(l);
                }
                let r = self.scalar(right);
                let ty = ty.unwrap_or(l.ty);
                fold::binary(binary_op(*op), l, r, ty)
            }
            Typed::StackLastIndex(base) => match self.place(base) {
                Some(Place::Stack(stack)) => last_index(AnyStack::Headers(stack)),
                Some(Place::UnionStack(stack)) => last_index(AnyStack::Unions(stack)),
                _ => {
                    self.error(expr.span, "BMv2 has no 'lastIndex' of this stack");
                    Expr::constant(0, Ty::bit(32))
                }
            },
            Typed::TableHit(table) => self.table_result(*table, true),
            Typed::TableMiss(table) => self.table_result(*table, false),
            _ => {
                if !self.messages.has_errors() {
                    self.error(expr.span, "this expression cannot be used here");
                }
                Expr::constant(0, ty.unwrap_or(Ty::bit(1)))
            }
        }
    }

    fn short_circuit(&mut self, op: typed::BinaryOp, left: &typed::Expr, right: &typed::Expr) -> Expr {
        let is_and = op == typed::BinaryOp::And;
        let l = self.scalar(left);
        if l.as_bool() == Some(!is_and) {
            return Expr::bool(!is_and);
        }
        if !right.has_effects() {
            let r = self.scalar(right);
            return if is_and { fold::and(l, r) } else { fold::or(l, r) };
        }
        let result = self.storage.temporary(Ty::Bool);
        self.emit(Op::Assign(result, l));
        let value = Expr::field(result, Ty::Bool);
        let go_on = if is_and { value.clone() } else { fold::not(value.clone()) };
        self.branch(
            go_on,
            |this| {
                let r = this.scalar(right);
                this.emit(Op::Assign(result, r));
            },
            |_| {},
        );
        value
    }
}

/// Is it `next` of a stack, or a part of it?
fn is_field_of_next(base: &typed::Expr) -> bool {
    match &base.kind {
        Typed::StackNext(_) => true,
        Typed::Field { base, .. } => is_field_of_next(base),
        _ => false,
    }
}

/// A type for a number of type `int`, with the width that the number needs.
pub fn integer_type(number: &BigInt) -> Ty {
    let negative = number.sign() == num_bigint::Sign::Minus;
    let bits = u32::try_from(number.bits()).unwrap_or(u32::MAX - 1).max(1);
    Ty::Bits { width: bits + u32::from(negative), signed: negative }
}

/// The operator of the intermediate representation.
pub fn binary_op(op: typed::BinaryOp) -> BinaryOp {
    match op {
        typed::BinaryOp::Add => BinaryOp::Add,
        typed::BinaryOp::Sub => BinaryOp::Sub,
        typed::BinaryOp::SaturatingAdd => BinaryOp::SatAdd,
        typed::BinaryOp::SaturatingSub => BinaryOp::SatSub,
        typed::BinaryOp::Mul => BinaryOp::Mul,
        typed::BinaryOp::Div => BinaryOp::Div,
        typed::BinaryOp::Mod => BinaryOp::Mod,
        typed::BinaryOp::ShiftLeft => BinaryOp::Shl,
        typed::BinaryOp::ShiftRight => BinaryOp::Shr,
        typed::BinaryOp::BitAnd => BinaryOp::BitAnd,
        typed::BinaryOp::BitOr => BinaryOp::BitOr,
        typed::BinaryOp::BitXor => BinaryOp::BitXor,
        typed::BinaryOp::Concat => BinaryOp::Concat,
        typed::BinaryOp::And => BinaryOp::And,
        typed::BinaryOp::Or => BinaryOp::Or,
        typed::BinaryOp::Equal => BinaryOp::Eq,
        typed::BinaryOp::NotEqual => BinaryOp::Ne,
        typed::BinaryOp::Less => BinaryOp::Lt,
        typed::BinaryOp::LessEqual => BinaryOp::Le,
        typed::BinaryOp::Greater => BinaryOp::Gt,
        typed::BinaryOp::GreaterEqual => BinaryOp::Ge,
    }
}
