//! Checksum controls and the inputs of calculations.

use crate::blocks::context::ContextKind;
use crate::code::enclosing::Stage;
use crate::code::structured::Code;
use crate::expressions::constant_folding as fold;
use crate::lowerer::Lowerer;
use crate::storage::place::{Place, Value};
use num_bigint::BigInt;
use p4_ir::control::{Calculation, CalculationInput, Checksum};
use p4_ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use p4_ir::ops::{CalculationId, Op};
use p4_syntax::{Kind, Span};
use p4_types::typed::{self, Call};

impl Lowerer<'_> {
    /// Lowers a checksum control.
    pub fn checksum_block(&mut self, context: usize, arguments: &[Option<&Place>]) {
        let ContextKind::Control(control) = self.contexts[context].kind else {
            return;
        };
        let typed = self.typed;
        self.bind_block(&typed[control].params, arguments);
        let (code, ()) = self.capture(|this| this.control_body(context, control));
        let harmless = |piece: &Code| match piece {
            Code::Op(stmt) => matches!(stmt.op, Op::SetInvalid(_)),
            Code::Leave(_) => true,
            _ => false,
        };
        if !code.iter().all(harmless) {
            self.error(
                typed[control].span,
                "on BMv2 a checksum control can only call verify_checksum or update_checksum",
            );
        }
    }

    /// A decision in a checksum control becomes part of the checksums' conditions.
    pub fn checksum_branch(
        &mut self,
        condition: &Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        self.enclosing.conditions.push(condition.clone());
        then(self);
        self.enclosing.conditions.pop();
        self.enclosing.conditions.push(fold::not(condition.clone()));
        otherwise(self);
        self.enclosing.conditions.pop();
    }

    /// `verify_checksum(condition, data, checksum, algorithm)` and its relatives.
    pub fn checksum_call(&mut self, call: &Call, verify: bool, with_payload: bool) {
        let right_stage = match self.enclosing.stage {
            Stage::VerifyChecksum => verify,
            Stage::ComputeChecksum => !verify,
            _ => false,
        };
        if !right_stage {
            let place = if verify { "the verify" } else { "the compute" };
            self.error_of(Kind::Unsupported, call.span, format!("this is possible in {place} checksum control only"));
            return;
        }
        let args: Vec<&typed::Expr> = call.args.iter().filter_map(|a| a.value.as_ref()).collect();
        let [condition, data, target, algorithm] = args[..] else {
            return;
        };
        let mut condition = self.scalar(condition);
        for outer in self.enclosing.conditions.clone() {
            condition = fold::and(outer, condition);
        }
        if condition.as_bool() == Some(false) {
            return;
        }
        let Some(algorithm) = self.hash_algorithm(algorithm) else {
            return;
        };
        let data_value = self.value(data);
        let mut input = vec![];
        self.calculation_input(&data_value, data.span, false, &mut input);
        if with_payload {
            input.push(CalculationInput::Payload);
        }
        let Some(Place::Field(field, _)) = self.place(target) else {
            self.error(target.span, "the checksum must be a field of a header or of metadata");
            return;
        };
        let source = self.source(call.span);
        let calculation = self.add_calculation(algorithm, input, source.clone());
        let name = format!("cksum{}", number_suffix(self.ir.checksums.len()));
        self.ir.checksums.push(Checksum { name, target: field, calculation, verify, condition, source });
    }

    /// Adds a calculation.
    pub fn add_calculation(
        &mut self,
        algorithm: String,
        input: Vec<CalculationInput>,
        source: p4_ir::Source,
    ) -> CalculationId {
        let name = format!("calc{}", number_suffix(self.ir.calculations.len()));
        self.ir.calculations.push(Calculation { name, algorithm, input, source });
        CalculationId::from_index(self.ir.calculations.len() - 1)
    }

    /// The name of a hash algorithm given as a known value.
    pub fn hash_algorithm(&mut self, expr: &typed::Expr) -> Option<String> {
        let value = self.value(expr);
        let name = self.enum_member(&value, &expr.ty);
        if name.is_none() {
            self.error_of(Kind::Expected, expr.span, "the algorithm must be known at compile time");
        }
        name.map(|name| name.to_string())
    }

    /// Collects the parts of a value that is hashed. Values that must be computed first are saved in temporaries if
    /// `may_compute`.
    pub fn calculation_input(&mut self, value: &Value, span: Span, may_compute: bool, out: &mut Vec<CalculationInput>) {
        match value {
            Value::Struct(parts) | Value::Header(parts) => {
                for part in parts.iter() {
                    self.calculation_input(part, span, may_compute, out);
                }
            }
            Value::Scalar(expr) => match &expr.kind {
                ExprKind::Field(field) => out.push(CalculationInput::Field(*field)),
                // bit<0>: nothing to hash.
                _ if expr.ty.width() == 0 => {}
                ExprKind::Const(number) => {
                    let bits = expr.ty.width();
                    let number = fold::wrap(number.clone(), p4_ir::expr::Ty::bit(bits));
                    out.push(CalculationInput::Const(number, bits));
                }
                ExprKind::Bool(value) => {
                    out.push(CalculationInput::Const(BigInt::from(u8::from(*value)), 1));
                }
                // The parts of a concatenation are hashed one after the other.
                ExprKind::Binary(BinaryOp::Concat, left, right) => {
                    for part in [left, right] {
                        let part = Value::Scalar((**part).clone());
                        self.calculation_input(&part, span, may_compute, out);
                    }
                }
                ExprKind::Unary(UnaryOp::Cast, inner)
                    if !inner.ty.is_signed() && inner.ty.width() <= expr.ty.width() =>
                {
                    let bits = expr.ty.width() - inner.ty.width();
                    if bits > 0 {
                        out.push(CalculationInput::Const(BigInt::ZERO, bits));
                    }
                    let inner = Value::Scalar((**inner).clone());
                    self.calculation_input(&inner, span, may_compute, out);
                }
                _ if may_compute => {
                    let saved = self.save(expr.clone());
                    if let Some(field) = saved.as_field() {
                        out.push(CalculationInput::Field(field));
                    }
                }
                _ => self.error_of(
                    Kind::Unsupported,
                    span,
                    "BMv2 computes checksums over fields and constants only; compute other values in a control before",
                ),
            },
            Value::Place(Place::Header(header)) => out.push(CalculationInput::Header(*header)),
            Value::Place(Place::Varbit(field)) => out.push(CalculationInput::Field(*field)),
            Value::Place(place @ (Place::Stack(_) | Place::UnionStack(_))) => {
                for element in self.elements(place) {
                    let element = self.read(&element);
                    self.calculation_input(&element, span, may_compute, out);
                }
            }
            Value::Place(Place::Union(union)) => {
                let members = self.storage.program.unions[union.index()].members.clone();
                out.extend(members.into_iter().map(CalculationInput::Header));
            }
            _ => self.error_of(Kind::Unsupported, span, "BMv2 cannot hash a value of this type"),
        }
    }
}

/// Nothing for the first, `_0`, `_1`, … for the others.
fn number_suffix(count: usize) -> String {
    match count {
        0 => String::new(),
        other => format!("_{}", other - 1),
    }
}
