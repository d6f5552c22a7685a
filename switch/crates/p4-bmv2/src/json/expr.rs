//! Expressions and typed values.
//!
//! BMv2 has two kinds of values, data (numbers without bounds) and booleans; booleans are kept in
//! one-bit fields and are converted by `d2b` and `b2d`.

use num_bigint::{BigInt, Sign};
use num_traits::One;
use p4_ir::Program;
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};
use p4_ir::ops::AnyStack;
use p4_ir::storage::{FieldRef, HeaderId, StackId, UnionId};
use serde_json::{Value, json};

/// Shift amounts of at most this many bits are shifted without looking: 2^8 bits are harmless.
const PLAIN_SHIFT_BITS: u32 = 8;

/// The program, with the names that expressions refer to.
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
}

/// A number as BMv2 writes it: hexadecimal, at least `bytes` bytes.
pub fn hex(value: &BigInt, bytes: usize) -> String {
    let sign = if value.sign() == Sign::Minus { "-" } else { "" };
    format!("{sign}0x{:0>width$}", value.magnitude().to_str_radix(16), width = bytes * 2)
}

/// The number of bytes that hold `bits` bits.
pub fn bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// `{"type": "hexstr", …}`.
pub fn hexstr(value: &BigInt, bits: u32) -> Value {
    json!({"type": "hexstr", "value": hex(value, bytes(bits))})
}

/// 2^bits − 1.
pub fn ones(bits: u32) -> BigInt {
    (BigInt::one() << bits) - 1
}

/// An object of values that are moved: [`json!`] copies the values that are put into it, with all that is nested in them.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// An expression object.
fn operation(op: &str, left: Value, right: Value) -> Value {
    let value = object([("op", op.into()), ("left", left), ("right", right)]);
    object([("type", "expression".into()), ("value", value)])
}

impl<'a> Names<'a> {
    /// For a program.
    pub fn new(program: &'a Program) -> Self {
        Self { program }
    }

    /// The name of a header instance.
    pub fn header(&self, header: HeaderId) -> &'a str {
        &self.program.storage.headers[header.index()].name
    }

    /// `[header, field]`.
    pub fn field_pair(&self, field: FieldRef) -> Value {
        let (header, name) = self.program.storage.field_name(field);
        json!([header, name])
    }

    /// `{"type": "field", …}`.
    pub fn field(&self, field: FieldRef) -> Value {
        json!({"type": "field", "value": self.field_pair(field)})
    }

    /// `{"type": "header", …}`.
    pub fn header_value(&self, header: HeaderId) -> Value {
        json!({"type": "header", "value": self.header(header)})
    }

    /// `{"type": "header_union", …}`.
    pub fn union_value(&self, union: UnionId) -> Value {
        json!({"type": "header_union", "value": self.program.storage.unions[union.index()].name})
    }

    /// `{"type": "header_stack", …}` or `{"type": "header_union_stack", …}`.
    pub fn stack_value(&self, stack: AnyStack) -> Value {
        let storage = &self.program.storage;
        match stack {
            AnyStack::Headers(id) => {
                json!({"type": "header_stack", "value": storage.stacks[id.index()].name})
            }
            AnyStack::Unions(id) => {
                json!({"type": "header_union_stack", "value": storage.union_stacks[id.index()].name})
            }
        }
    }

    /// `{"type": "stack_field", …}`.
    fn stack_field(&self, stack: StackId, field: u32) -> Value {
        let stack = &self.program.storage.stacks[stack.index()];
        let fields = &self.program.storage.header_types[stack.header_type.index()].fields;
        json!({"type": "stack_field", "value": [stack.name, fields[field as usize].name]})
    }

    /// An expression as part of another one, or as a condition.
    pub fn expr(&self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Const(value) => hexstr(value, expr.ty.width()),
            ExprKind::Bool(value) => json!({"type": "bool", "value": value}),
            ExprKind::Field(field) => to_bool(self.field(*field), expr.ty),
            ExprKind::ActionParam(index) => to_bool(action_data(*index, expr.ty), expr.ty),
            ExprKind::StackLast(stack, field) => to_bool(self.stack_field(*stack, *field), expr.ty),
            ExprKind::UnionStackLast(stack, member, field) => {
                let storage = &self.program.storage;
                let stack = &storage.union_stacks[stack.index()];
                let union_type = &storage.union_types[stack.union_type.index()];
                let (name, header_type) = &union_type.members[*member as usize];
                let fields = &storage.header_types[header_type.index()].fields;
                let field = &fields[*field as usize].name;
                json!({"type": "union_stack_field", "value": [stack.name, name, field]})
            }
            ExprKind::StackLastIndex(stack) => operation("last_stack_index", Value::Null, self.stack_value(*stack)),
            ExprKind::StackNextIndex(stack) => operation("size_stack", Value::Null, self.stack_value(*stack)),
            ExprKind::Lookahead { offset } => {
                json!({"type": "lookahead", "value": [offset, expr.ty.width()]})
            }
            ExprKind::Valid(header) => {
                to_bool(json!({"type": "field", "value": [self.header(*header), "$valid$"]}), Ty::Bool)
            }
            ExprKind::ValidUnion(union) => operation("valid_union", Value::Null, self.union_value(*union)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.ty),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.ty),
            ExprKind::Slice { base, high, low } => {
                let mut value = self.expr(base);
                if *low > 0 {
                    value = operation(">>", value, hexstr(&BigInt::from(*low), 8));
                }
                let width = high - low + 1;
                if *high + 1 < base.ty.width() || base.ty.is_signed() {
                    value = operation("&", value, hexstr(&ones(width), base.ty.width()));
                }
                value
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let (then, otherwise, condition) = (self.expr(then), self.expr(otherwise), self.expr(condition));
                let value = object([("op", "?".into()), ("left", then), ("right", otherwise), ("cond", condition)]);
                object([("type", "expression".into()), ("value", value)])
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, ty: Ty) -> Value {
        let value = self.expr(operand);
        match op {
            UnaryOp::Neg => clamp(operation("-", hexstr(&BigInt::ZERO, 8), value), ty),
            UnaryOp::BitNot => clamp(operation("~", Value::Null, value), ty),
            UnaryOp::Not => operation("not", Value::Null, value),
            UnaryOp::Cast => match (operand.ty, ty) {
                (Ty::Bool, Ty::Bool) => value,
                (Ty::Bool, _) => operation("b2d", Value::Null, value),
                (_, Ty::Bool) => operation("d2b", Value::Null, value),
                (from, to) => {
                    let fits = match (from.is_signed(), to.is_signed()) {
                        (false, false) | (true, true) => to.width() >= from.width(),
                        (false, true) => to.width() > from.width(),
                        (true, false) => false,
                    };
                    if fits { value } else { clamp(value, to) }
                }
            },
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, ty: Ty) -> Value {
        let (l, r) = (self.expr(left), self.expr(right));
        let plain = |name: &str, l, r| operation(name, l, r);
        match op {
            BinaryOp::Add => clamp(plain("+", l, r), ty),
            BinaryOp::Sub => clamp(plain("-", l, r), ty),
            BinaryOp::Mul => clamp(plain("*", l, r), ty),
            BinaryOp::Div => plain("/", l, r),
            BinaryOp::Mod => plain("%", l, r),
            BinaryOp::SatAdd | BinaryOp::SatSub => {
                let sum = plain(if op == BinaryOp::SatAdd { "+" } else { "-" }, l, r);
                let cast = if ty.is_signed() { "sat_cast" } else { "usat_cast" };
                plain(cast, sum, hexstr(&BigInt::from(ty.width()), 8))
            }
            BinaryOp::Shl => {
                let shifted = clamp(plain("<<", l, r.clone()), ty);
                bounded_shift(shifted, r, right, ty)
            }
            BinaryOp::Shr => {
                // Shifting out everything leaves the sign of a negative number.
                let shifted = plain(">>", l, r.clone());
                if ty.is_signed() { clamp(shifted, ty) } else { bounded_shift(shifted, r, right, ty) }
            }
            BinaryOp::BitAnd => plain("&", l, r),
            BinaryOp::BitOr => plain("|", l, r),
            BinaryOp::BitXor => plain("^", l, r),
            BinaryOp::Concat => {
                let high = plain("<<", l, hexstr(&BigInt::from(right.ty.width()), 8));
                let high =
                    if left.ty.is_signed() { plain("&", high, hexstr(&ones(ty.width()), ty.width())) } else { high };
                let low = if right.ty.is_signed() {
                    plain("&", r, hexstr(&ones(right.ty.width()), right.ty.width()))
                } else {
                    r
                };
                let joined = plain("|", high, low);
                if ty.is_signed() { clamp(joined, ty) } else { joined }
            }
            BinaryOp::Eq => plain("==", l, r),
            BinaryOp::Ne => plain("!=", l, r),
            BinaryOp::Lt => plain("<", l, r),
            BinaryOp::Le => plain("<=", l, r),
            BinaryOp::Gt => plain(">", l, r),
            BinaryOp::Ge => plain(">=", l, r),
            BinaryOp::And => plain("and", l, r),
            BinaryOp::Or => plain("or", l, r),
        }
    }

    /// An expression as data (booleans converted) within an expression.
    pub fn data_expr(&self, expr: &Expr) -> Value {
        match (&expr.kind, expr.ty) {
            (ExprKind::Bool(value), _) => hexstr(&BigInt::from(u8::from(*value)), 8),
            (ExprKind::Field(field), _) => self.field(*field),
            (ExprKind::ActionParam(index), ty) => action_data(*index, ty),
            (_, Ty::Bool) => operation("b2d", Value::Null, self.expr(expr)),
            _ => self.expr(expr),
        }
    }

    /// An expression as a parameter of a primitive, as data: anything that is not a plain value
    /// stands in one more `expression` object. BMv2 has two names for an action's datum, one of them for expressions alone.
    pub fn param(&self, expr: &Expr) -> Value {
        if let ExprKind::ActionParam(index) = expr.kind {
            return json!({"type": "runtime_data", "value": index});
        }
        let value = self.data_expr(expr);
        match value["type"].as_str() {
            Some("expression" | "stack_field") => json!({"type": "expression", "value": value}),
            Some("local") => json!({"type": "runtime_data", "value": value["value"]}),
            _ => value,
        }
    }
}

/// `d2b` round a value if it is to be a boolean.
fn to_bool(value: Value, ty: Ty) -> Value {
    match ty {
        Ty::Bool => operation("d2b", Value::Null, value),
        Ty::Bits { .. } => value,
    }
}

/// An action's datum: the control plane gives bits, in two's complement for an `int<W>`.
fn action_data(index: u32, ty: Ty) -> Value {
    let bits = json!({"type": "local", "value": index});
    if ty.is_signed() { clamp(bits, ty) } else { bits }
}

/// Brings a number back into its type.
fn clamp(value: Value, ty: Ty) -> Value {
    match ty {
        Ty::Bits { width, signed: false } => operation("&", value, hexstr(&ones(width), width)),
        Ty::Bits { width, signed: true } => operation("two_comp_mod", value, hexstr(&BigInt::from(width), 8)),
        Ty::Bool => value,
    }
}

/// A shift that yields 0 if the amount is at least the width. Without the check BMv2 would build a
/// number of 2^32 bits for a large amount.
fn bounded_shift(shifted: Value, amount: Value, amount_expr: &Expr, ty: Ty) -> Value {
    if amount_expr.ty.width() <= PLAIN_SHIFT_BITS || amount_expr.as_const().is_some() {
        return shifted;
    }
    let limit = hexstr(&BigInt::from(ty.width()), amount_expr.ty.width());
    json!({
        "type": "expression",
        "value": {
            "op": "?",
            "left": shifted,
            "right": hexstr(&BigInt::ZERO, ty.width()),
            "cond": operation("<", amount, limit),
        },
    })
}
