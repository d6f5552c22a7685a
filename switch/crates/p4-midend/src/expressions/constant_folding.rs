//! Constant folding and other simplifications while expressions are built.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use p4_ir::expr::{BinaryOp, Expr, ExprKind, Ty, UnaryOp};

/// Brings a number into its type: modulo 2^width, two's complement if signed.
pub fn wrap(value: BigInt, ty: Ty) -> BigInt {
    let modulus = BigInt::one() << ty.width();
    let mut value = ((value % &modulus) + &modulus) % &modulus;
    if ty.is_signed() && value >= (&modulus >> 1) {
        value -= modulus;
    }
    value
}

/// The smallest and greatest number of a type.
fn bounds(ty: Ty) -> (BigInt, BigInt) {
    let one = BigInt::one();
    if ty.is_signed() {
        let half = &one << (ty.width().max(1) - 1);
        (-half.clone(), half - 1)
    } else {
        (BigInt::zero(), (&one << ty.width()) - 1)
    }
}

/// A number, wrapped into its type.
pub fn constant(value: BigInt, ty: Ty) -> Expr {
    Expr::constant(wrap(value, ty), ty)
}

/// A constant's bits as a number that is not negative; booleans count as 0 and 1.
fn bits_of(expr: &Expr) -> Option<BigInt> {
    match &expr.kind {
        ExprKind::Const(value) => Some(wrap(value.clone(), Ty::bit(expr.ty.width()))),
        ExprKind::Bool(value) => Some(BigInt::from(u8::from(*value))),
        _ => None,
    }
}

/// Are both the same constant, or are both known to differ?
fn constants_equal(a: &Expr, b: &Expr) -> Option<bool> {
    match (&a.kind, &b.kind) {
        (ExprKind::Const(a), ExprKind::Const(b)) => Some(a == b),
        (ExprKind::Bool(a), ExprKind::Bool(b)) => Some(a == b),
        _ => None,
    }
}

/// `op operand`, of type `ty`.
pub fn unary(op: UnaryOp, operand: Expr, ty: Ty) -> Expr {
    match (op, &operand.kind) {
        (UnaryOp::Not, ExprKind::Bool(value)) => return Expr::bool(!value),
        (UnaryOp::Not, ExprKind::Unary(UnaryOp::Not, inner)) => return (**inner).clone(),
        (UnaryOp::Neg, ExprKind::Const(value)) => return constant(-value, ty),
        (UnaryOp::BitNot, ExprKind::Const(value)) => return constant(-value - 1, ty),
        (UnaryOp::Cast, _) => {
            if operand.ty == ty {
                return operand;
            }
            if let Some(bits) = bits_of(&operand) {
                return match (ty, &operand.kind) {
                    (Ty::Bool, _) => Expr::bool(!bits.is_zero()),
                    (_, ExprKind::Const(value)) => constant(value.clone(), ty),
                    _ => constant(bits, ty),
                };
            }
        }
        _ => {}
    }
    Expr::unary(op, operand, ty)
}

/// `left op right`, of type `ty`.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Ty) -> Expr {
    if let (ExprKind::Const(l), ExprKind::Const(r)) = (&left.kind, &right.kind)
        && let Some(folded) = numbers(op, l, r, (left.ty, right.ty, ty))
    {
        return folded;
    }
    match op {
        BinaryOp::Eq | BinaryOp::Ne => {
            if let Some(equal) = constants_equal(&left, &right) {
                return Expr::bool(equal == (op == BinaryOp::Eq));
            }
        }
        BinaryOp::And => match (left.as_bool(), right.as_bool()) {
            (Some(true), _) => return right,
            (_, Some(true)) => return left,
            (Some(false), _) | (_, Some(false)) => return Expr::bool(false),
            _ => {}
        },
        BinaryOp::Or => match (left.as_bool(), right.as_bool()) {
            (Some(false), _) => return right,
            (_, Some(false)) => return left,
            (Some(true), _) | (_, Some(true)) => return Expr::bool(true),
            _ => {}
        },
        BinaryOp::Add | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Sub => {
            let zero = |e: &Expr| e.as_const().is_some_and(Zero::is_zero);
            if zero(&right) && left.ty == ty {
                return left;
            }
            let commutes = matches!(op, BinaryOp::Add | BinaryOp::BitOr | BinaryOp::BitXor);
            if commutes && zero(&left) && right.ty == ty {
                return right;
            }
        }
        BinaryOp::Mul => {
            let one = |e: &Expr| e.as_const().is_some_and(One::is_one);
            if one(&right) {
                return left;
            }
            if one(&left) {
                return right;
            }
        }
        _ => {}
    }
    Expr::binary(op, left, right, ty)
}

/// An operation on two known numbers.
fn numbers(op: BinaryOp, l: &BigInt, r: &BigInt, types: (Ty, Ty, Ty)) -> Option<Expr> {
    let (left_ty, right_ty, ty) = types;
    let number = |value: BigInt| Some(constant(value, ty));
    let truth = |value: bool| Some(Expr::bool(value));
    match op {
        BinaryOp::Add => number(l + r),
        BinaryOp::Sub => number(l - r),
        BinaryOp::Mul => number(l * r),
        BinaryOp::Div if r.is_positive() => number(l / r),
        BinaryOp::Mod if r.is_positive() => number(l % r),
        BinaryOp::Div | BinaryOp::Mod => None,
        BinaryOp::SatAdd | BinaryOp::SatSub => {
            let sum = if op == BinaryOp::SatAdd { l + r } else { l - r };
            let (low, high) = bounds(ty);
            number(sum.clamp(low, high))
        }
        BinaryOp::Shl => {
            let amount = r.to_u64().unwrap_or(u64::MAX);
            if amount >= u64::from(ty.width()) { number(BigInt::zero()) } else { number(l << amount) }
        }
        BinaryOp::Shr => {
            let amount = r.to_u64().unwrap_or(u64::MAX);
            let amount = amount.min(u64::from(ty.width()));
            number(l >> amount)
        }
        BinaryOp::BitAnd => number(l & r),
        BinaryOp::BitOr => number(l | r),
        BinaryOp::BitXor => number(l ^ r),
        BinaryOp::Concat => {
            let high = wrap(l.clone(), Ty::bit(left_ty.width()));
            let low = wrap(r.clone(), Ty::bit(right_ty.width()));
            number((high << right_ty.width()) | low)
        }
        BinaryOp::Eq => truth(l == r),
        BinaryOp::Ne => truth(l != r),
        BinaryOp::Lt => truth(l < r),
        BinaryOp::Le => truth(l <= r),
        BinaryOp::Gt => truth(l > r),
        BinaryOp::Ge => truth(l >= r),
        BinaryOp::And | BinaryOp::Or => None,
    }
}

/// `base[low+:width]`.
pub fn plus_slice(base: Expr, low: Expr, width: u32) -> Expr {
    let unsigned = Ty::bit(base.ty.width());
    let base = unary(UnaryOp::Cast, base, unsigned);
    slice(binary(BinaryOp::Shr, base, low, unsigned), width - 1, 0)
}

/// `base[high:low]`.
pub fn slice(base: Expr, high: u32, low: u32) -> Expr {
    let ty = Ty::bit(high - low + 1);
    if let ExprKind::Const(value) = &base.kind {
        let bits = wrap(value.clone(), Ty::bit(base.ty.width()));
        return constant(bits >> low, ty);
    }
    if low == 0 && base.ty == ty {
        return base;
    }
    if let ExprKind::Slice { base: inner, low: inner_low, .. } = base.kind {
        return slice(*inner, high + inner_low, low + inner_low);
    }
    Expr { kind: ExprKind::Slice { base: Box::new(base), high, low }, ty }
}

/// `condition ? then : otherwise`.
pub fn ternary(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition.as_bool() {
        Some(true) => then,
        Some(false) => otherwise,
        None => Expr::ternary(condition, then, otherwise),
    }
}

/// `!condition`.
pub fn not(condition: Expr) -> Expr {
    unary(UnaryOp::Not, condition, Ty::Bool)
}

/// Conjunction.
pub fn and(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::And, left, right, Ty::Bool)
}

/// Disjunction.
pub fn or(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Or, left, right, Ty::Bool)
}

/// Equality.
pub fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Eq, left, right, Ty::Bool)
}
