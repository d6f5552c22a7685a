//! Lowered expressions against plain big-number arithmetic, on random expressions and values.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::ast::{BinOp, Bool, Data};
use super::builder::value_for;
use super::lower::{big, lower_bool};
use crate::code::expr::CmpOp;
use crate::code::ops::Value;
use crate::exec::env::Env;
use crate::layout::Layout;
use crate::phv::two_comp_mod;
use crate::phv::{FieldLoc, big_to_limbs, load_big};
use crate::state::Random;

const WIDTHS: [u32; 12] = [1, 7, 8, 16, 31, 32, 33, 48, 63, 64, 128, 200];

/// Fields of all widths, unsigned and signed, and their slots.
fn fields() -> (Vec<FieldLoc>, usize) {
    let mut slot = 0;
    let mut all = Vec::new();
    for signed in [false, true] {
        for width in WIDTHS {
            let width = if signed { width.max(2) } else { width };
            all.push(FieldLoc { slot, width, signed, varbit: false });
            slot += all.last().map_or(0, FieldLoc::slots);
        }
    }
    (all, slot as usize)
}

fn number(random: &mut Random, bits: u32) -> BigInt {
    let value = match random.between(0, 5) {
        0 => BigInt::zero(),
        1 => (BigInt::one() << bits) - 1,
        2 => BigInt::one() << (bits - 1),
        3 => BigInt::from(random.between(0, 9)),
        _ => (0..4).fold(BigInt::zero(), |v, _| v << 64 | BigInt::from(random.next())) % (BigInt::one() << bits),
    };
    value % (BigInt::one() << bits)
}

fn data(random: &mut Random, depth: u32, fields: &[FieldLoc]) -> Data {
    let sub = |random: &mut Random| Box::new(data(random, depth.saturating_sub(1), fields));
    if depth == 0 || random.between(0, 9) == 0 {
        return match random.between(0, 2) {
            0 => {
                let value = number(random, 70);
                Data::Const(if random.between(0, 3) == 0 { -value } else { value })
            }
            _ => Data::Field(fields[random.between(0, fields.len() as u64 - 1) as usize]),
        };
    }
    let width = WIDTHS[random.between(0, WIDTHS.len() as u64 - 1) as usize];
    let constant = |value: BigInt| Box::new(Data::Const(value));
    match random.between(0, 15) {
        0 | 1 => Data::Bin(BinOp::Add, sub(random), sub(random)),
        2 | 3 => Data::Bin(BinOp::Sub, sub(random), sub(random)),
        4 => Data::Bin(BinOp::Mul, sub(random), sub(random)),
        5 => Data::Bin(BinOp::And, sub(random), constant((BigInt::one() << width) - 1)),
        6 => Data::Bin([BinOp::And, BinOp::Or, BinOp::Xor][random.between(0, 2) as usize], sub(random), sub(random)),
        7 => Data::Bin(BinOp::Shl, sub(random), constant(BigInt::from(random.between(0, 70)))),
        8 => Data::Bin(BinOp::Shr, sub(random), constant(BigInt::from(random.between(0, 70)))),
        9 => {
            let amount = Data::Bin(BinOp::And, sub(random), constant(BigInt::from(127)));
            let op = [BinOp::Shl, BinOp::Shr][random.between(0, 1) as usize];
            Data::Bin(op, sub(random), Box::new(amount))
        }
        10 => Data::Not(sub(random)),
        11 => Data::TwoCompMod(sub(random), width),
        12 => Data::USatCast(sub(random), width),
        13 => Data::SatCast(sub(random), width.max(2)),
        14 => Data::Ternary(Box::new(boolean(random, depth - 1, fields)), sub(random), sub(random)),
        _ => {
            // Divisions are only defined for numbers that are not negative, by ones that are positive.
            let cut =
                |d: Box<Data>| Box::new(Data::Bin(BinOp::And, d, Box::new(Data::Const((BigInt::one() << width) - 1))));
            let op = [BinOp::Div, BinOp::Mod][random.between(0, 1) as usize];
            let divisor = Data::Bin(BinOp::Or, cut(sub(random)), constant(BigInt::one()));
            Data::Bin(op, cut(sub(random)), Box::new(divisor))
        }
    }
}

fn boolean(random: &mut Random, depth: u32, fields: &[FieldLoc]) -> Bool {
    let depth = depth.saturating_sub(1);
    let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
    let (a, b) = (Box::new(data(random, depth, fields)), Box::new(data(random, depth, fields)));
    match random.between(0, 4) {
        0 => Bool::FromData(a),
        1 => Bool::Not(Box::new(Bool::Cmp(CmpOp::Lt, a, b))),
        2 => Bool::Differ(Box::new(Bool::FromData(a)), Box::new(Bool::FromData(b))),
        _ => Bool::Cmp(ops[random.between(0, 5) as usize], a, b),
    }
}

/// The value of the expression by its definition.
fn meaning(data: &Data, phv: &[u64]) -> BigInt {
    let of = |d: &Data| meaning(d, phv);
    let bounds = |width: u32| (-(BigInt::one() << (width - 1)), (BigInt::one() << (width - 1)) - 1);
    match data {
        Data::Const(value) => value.clone(),
        Data::Field(loc) => load_big(phv, loc),
        Data::Not(a) => !of(a),
        Data::TwoCompMod(a, width) => two_comp_mod(of(a), *width),
        Data::USatCast(a, width) => of(a).clamp(BigInt::zero(), (BigInt::one() << *width) - 1),
        Data::SatCast(a, width) => of(a).clamp(bounds(*width).0, bounds(*width).1),
        Data::Ternary(c, a, b) => {
            if truth(c, phv) {
                of(a)
            } else {
                of(b)
            }
        }
        Data::Bin(op, a, b) => {
            let (a, b) = (of(a), of(b));
            match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                BinOp::Mul => a * b,
                BinOp::Div => a / b,
                BinOp::Mod => a % b,
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Shl => a << b.to_u64().unwrap_or(0),
                BinOp::Shr => a >> b.to_u64().unwrap_or(0),
            }
        }
        other => panic!("not generated: {other:?}"),
    }
}

fn truth(cond: &Bool, phv: &[u64]) -> bool {
    match cond {
        Bool::FromData(a) => !meaning(a, phv).is_zero(),
        Bool::Not(a) => !truth(a, phv),
        Bool::Differ(a, b) => truth(a, phv) != truth(b, phv),
        Bool::Cmp(op, a, b) => {
            let (a, b) = (meaning(a, phv), meaning(b, phv));
            match op {
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
                CmpOp::Lt => a < b,
                CmpOp::Le => a <= b,
                CmpOp::Gt => a > b,
                CmpOp::Ge => a >= b,
            }
        }
        other => panic!("not generated: {other:?}"),
    }
}

fn cut(value: &BigInt, width: u32) -> BigInt {
    let modulus = BigInt::one() << width;
    let rest = value % &modulus;
    if rest.sign() == Sign::Minus { rest + modulus } else { rest }
}

#[test]
fn lowering_keeps_the_meaning() {
    let (fields, slots) = fields();
    let mut random = Random::new(1);
    let layout = Layout::default();
    for round in 0..4_000 {
        let expression = data(&mut random, 1 + round % 5, &fields);
        let condition = boolean(&mut random, 1 + round % 4, &fields);
        let lowered: Vec<(u32, Value)> = WIDTHS.iter().map(|w| (*w, value_for(&expression, *w))).collect();
        let whole = big(&expression);
        let decision = lower_bool(&condition);
        for _ in 0..3 {
            let mut phv = vec![0; slots];
            for loc in &fields {
                let value = number(&mut random, loc.width);
                let start = loc.slot as usize;
                big_to_limbs(&value, loc.width, &mut phv[start..start + loc.limbs()]);
            }
            let env = Env { phv: &phv, data: &[], layout: &layout, registers: &[] };
            let exact = meaning(&expression, &phv);
            assert_eq!(whole.eval(&env), exact, "{expression:?}");
            for (width, value) in &lowered {
                let got = match value {
                    Value::Word(n) => BigInt::from(n.eval(&env)),
                    Value::Double(n) => BigInt::from(n.eval(&env)),
                    Value::Big(b) => b.eval(&env),
                };
                assert_eq!(cut(&got, *width), cut(&exact, *width), "{width} bits of {expression:?}");
            }
            assert_eq!(decision.eval(&env), truth(&condition, &phv), "{condition:?}");
        }
    }
}

#[test]
fn ordinary_arithmetic_needs_no_big_numbers() {
    let field = |slot, width| Box::new(Data::Field(FieldLoc { slot, width, signed: false, varbit: false }));
    let sum = Data::Bin(BinOp::Add, field(0, 64), field(1, 64));
    assert!(matches!(value_for(&sum, 64), Value::Word(_)));
    let cut = Data::Bin(BinOp::And, Box::new(sum), Box::new(Data::Const(BigInt::from(u64::MAX))));
    let text = format!("{:?}", lower_bool(&Bool::Cmp(CmpOp::Gt, Box::new(cut), field(2, 64))));
    assert!(text.starts_with("Unsigned64"), "{text}");
    let difference = Data::Bin(BinOp::Sub, field(0, 32), field(1, 32));
    let text =
        format!("{:?}", lower_bool(&Bool::Cmp(CmpOp::Lt, Box::new(difference), Box::new(Data::Const(BigInt::zero())))));
    assert!(text.starts_with("Signed64"), "{text}");
}

#[test]
fn two_complement() {
    assert_eq!(two_comp_mod(BigInt::from(257), 8), BigInt::from(1));
    assert_eq!(two_comp_mod(BigInt::from(-129), 8), BigInt::from(127));
    assert!(two_comp_mod(BigInt::from(128), 8).is_negative());
}
