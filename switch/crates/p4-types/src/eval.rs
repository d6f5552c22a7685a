//! Folding of expressions: a value known at compile time becomes a literal.

mod arithmetic;

use crate::typed::{BinaryOp, Direction, Expr, ExprKind, Program, Type, UnaryOp, Value, VarId, VariableKind};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

pub use arithmetic::{fits, wrap};

/// Is it a literal, or a structure or list of literals?
pub fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Invalid => true,
        ExprKind::Struct(items) | ExprKind::List(items) => items.iter().all(is_constant),
        _ => false,
    }
}

/// Is it known once the constructor parameters are?
pub fn is_known(program: &Program, expr: &Expr) -> bool {
    let known = |part: &Expr| is_known(program, part);
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Invalid | ExprKind::Object(_) | ExprKind::Invalidated => true,
        ExprKind::Var(id) => match program[*id].kind {
            VariableKind::ConstructorParameter | VariableKind::Constant(_) => true,
            // Its argument is known wherever it is called.
            VariableKind::Parameter(Direction::None) => matches!(expr.ty, Type::Integer),
            _ => false,
        },
        ExprKind::Struct(items) | ExprKind::List(items) => items.iter().all(known),
        ExprKind::Field { base, .. }
        | ExprKind::Slice { base, .. }
        | ExprKind::Unary(_, base)
        | ExprKind::Cast(base) => known(base),
        ExprKind::Index { base, index } => known(base) && known(index),
        ExprKind::Binary(_, left, right) => known(left) && known(right),
        ExprKind::Ternary { condition, yes, no } => known(condition) && known(yes) && known(no),
        // Extern functions may make objects and values for constructors.
        ExprKind::Call(call) => {
            matches!(call.callee, crate::typed::Callee::ExternFunction(_))
                && call.args.iter().all(|arg| arg.value.as_ref().is_none_or(known))
        }
        _ => false,
    }
}

/// The value of an expression: a literal, or a structure or list of literals.
///
/// `environment` gives the values of constructor parameters. `None` if it is not known at compile time.
pub fn evaluate(program: &Program, expr: &Expr, environment: &dyn Fn(VarId) -> Option<Expr>) -> Option<Expr> {
    let inner = |part: &Expr| evaluate(program, part, environment);
    let boxed = |part: &Expr| inner(part).map(Box::new);
    let kind = match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Invalid | ExprKind::Object(_) => {
            return Some(expr.clone());
        }
        ExprKind::Var(id) => {
            let value = environment(*id)?;
            return Some(Expr { ty: expr.ty.clone(), ..value });
        }
        ExprKind::Struct(items) => ExprKind::Struct(items.iter().map(inner).collect::<Option<_>>()?),
        ExprKind::List(items) => ExprKind::List(items.iter().map(inner).collect::<Option<_>>()?),
        ExprKind::Field { base, field } => ExprKind::Field { base: boxed(base)?, field: *field },
        ExprKind::Index { base, index } => ExprKind::Index { base: boxed(base)?, index: boxed(index)? },
        ExprKind::Slice { base, high, low } => ExprKind::Slice { base: boxed(base)?, high: *high, low: *low },
        ExprKind::PlusSlice { base, low, width } => {
            ExprKind::PlusSlice { base: boxed(base)?, low: boxed(low)?, width: *width }
        }
        ExprKind::Unary(op, operand) => ExprKind::Unary(*op, boxed(operand)?),
        ExprKind::Cast(operand) => ExprKind::Cast(boxed(operand)?),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left)?, boxed(right)?),
        ExprKind::Ternary { condition, yes, no } => {
            let condition = inner(condition)?;
            let ExprKind::Literal(Value::Bool(which)) = condition.kind else {
                return None;
            };
            return inner(if which { yes } else { no });
        }
        _ => return None,
    };
    let folded = fold(program, Expr { kind, ty: expr.ty.clone(), span: expr.span });
    is_constant(&folded).then_some(folded)
}

fn literal(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}

fn integer(expr: &Expr) -> Option<&BigInt> {
    match literal(expr)? {
        Value::Int(number) => Some(number),
        _ => None,
    }
}

/// Folds the topmost node if its parts are known; otherwise gives the expression back.
///
/// Division by zero and the like are left as they are: the checker has reported them.
pub fn fold(program: &Program, expr: Expr) -> Expr {
    match fold_kind(program, &expr) {
        Some(kind) => Expr { kind, ..expr },
        None => expr,
    }
}

fn fold_kind(program: &Program, expr: &Expr) -> Option<ExprKind> {
    let value = match &expr.kind {
        ExprKind::Unary(op, operand) => fold_unary(program, *op, operand, &expr.ty)?,
        ExprKind::Binary(op, left, right) => {
            return fold_binary(program, *op, left, right, &expr.ty);
        }
        ExprKind::Ternary { condition, yes, no } => {
            let Value::Bool(which) = literal(condition)? else {
                return None;
            };
            let chosen = if *which { yes } else { no };
            return is_constant(chosen).then(|| chosen.kind.clone());
        }
        ExprKind::Cast(operand) => {
            if is_constant(operand) && operand.ty == expr.ty {
                return Some(operand.kind.clone());
            }
            fold_cast(program, literal(operand)?, &operand.ty, &expr.ty)?
        }
        ExprKind::Slice { base, high, low } => {
            let number = integer(base)?;
            let width = high.checked_sub(*low)? + 1;
            Value::Int(wrap(&(number >> *low), &Type::Bit(width)))
        }
        ExprKind::Field { base, field } => return element(base, *field),
        ExprKind::Index { base, index } => return element(base, integer(index)?.to_usize()?),
        _ => return None,
    };
    Some(ExprKind::Literal(value))
}

fn element(base: &Expr, position: usize) -> Option<ExprKind> {
    match &base.kind {
        ExprKind::Struct(items) | ExprKind::List(items) => {
            items.get(position).filter(|item| is_constant(item)).map(|item| item.kind.clone())
        }
        _ => None,
    }
}

fn fold_unary(program: &Program, op: UnaryOp, operand: &Expr, ty: &Type) -> Option<Value> {
    let ty = program.representation(ty);
    Some(match (op, literal(operand)?) {
        (UnaryOp::Not, Value::Bool(value)) => Value::Bool(!value),
        (UnaryOp::BitNot, Value::Int(number)) => Value::Int(wrap(&!number.clone(), &ty)),
        (UnaryOp::Negate, Value::Int(number)) => Value::Int(wrap(&-number.clone(), &ty)),
        _ => return None,
    })
}

fn fold_cast(program: &Program, value: &Value, from: &Type, to: &Type) -> Option<Value> {
    let from = program.representation(from);
    let to = program.representation(to);
    Some(match (value, &to) {
        (Value::Int(number), Type::Bool) => Value::Bool(!number.is_zero()),
        (Value::Bool(value), Type::Bit(_) | Type::Int(_)) => Value::Int(i32::from(*value).into()),
        (Value::Int(number), Type::Bit(_) | Type::Int(_) | Type::Integer) => Value::Int(wrap(number, &to)),
        _ if from == to => value.clone(),
        _ => return None,
    })
}

fn fold_binary(program: &Program, op: BinaryOp, left: &Expr, right: &Expr, ty: &Type) -> Option<ExprKind> {
    match (op, literal(left)) {
        (BinaryOp::And, Some(Value::Bool(false))) | (BinaryOp::Or, Some(Value::Bool(true))) => {
            return Some(left.kind.clone());
        }
        (BinaryOp::And, Some(Value::Bool(true))) | (BinaryOp::Or, Some(Value::Bool(false))) => {
            return is_constant(right).then(|| right.kind.clone());
        }
        _ => {}
    }
    let (left_value, right_value) = (literal(left)?, literal(right)?);
    let value = match op {
        BinaryOp::Equal => Value::Bool(left_value == right_value),
        BinaryOp::NotEqual => Value::Bool(left_value != right_value),
        _ => match (left_value, right_value) {
            (Value::Int(a), Value::Int(b)) => {
                let operand = program.representation(&left.ty);
                let other = program.representation(&right.ty);
                arithmetic::binary(op, a, b, &operand, &other, &program.representation(ty))?
            }
            (Value::String(a), Value::String(b)) if op == BinaryOp::Concat => Value::String(format!("{a}{b}").into()),
            _ => return None,
        },
    };
    Some(ExprKind::Literal(value))
}

/// 2^n − 1
pub(crate) fn ones(n: u32) -> BigInt {
    (BigInt::one() << n) - 1
}
