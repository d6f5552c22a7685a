//! Externs that v1model does not have: passed on to the target with `--emit-externs`, else refused.

use crate::lowerer::Lowerer;
use crate::storage::place::{ExternObject, Place, Value};
use p4_ir::ops::{ExternArg, Op};
use p4_syntax::{Kind, Span};
use p4_types::typed::{Call, Direction, Type};

impl Lowerer<'_> {
    /// A call of an extern function that v1model does not have.
    pub fn unknown_function(&mut self, name: &str, call: &Call) {
        if self.refuse_unknown(call, &format!("extern function '{name}'")) {
            return;
        }
        let args = self.unknown_args(call);
        self.emit(Op::ExternFunction(name.to_owned(), args));
    }

    /// A call of a method that v1model does not have.
    pub fn unknown_method(&mut self, object: &ExternObject, method: &str, call: &Call) {
        let what = format!("method '{method}' of extern '{}'", object.kind);
        if self.refuse_unknown(call, &what) {
            return;
        }
        let args = self.unknown_args(call);
        self.emit(Op::ExternMethod {
            kind: object.kind.to_string(),
            method: method.to_owned(),
            object: object.name.clone(),
            args,
        });
    }

    fn refuse_unknown(&mut self, call: &Call, what: &str) -> bool {
        if self.settings.emit_externs {
            if call.result != Type::Void {
                let message = format!("{what} returns a value, which BMv2's primitives cannot");
                self.error(call.span, message);
            }
            return false;
        }
        let help = "a switch that has it can be compiled for with --emit-externs";
        self.messages.error_with_help(Kind::Unsupported, call.span, format!("BMv2 has no {what}"), help);
        true
    }

    /// Arguments as the target sees them; structures are taken apart.
    fn unknown_args(&mut self, call: &Call) -> Vec<ExternArg> {
        let mut out = vec![];
        for arg in &call.args {
            let Some(expr) = &arg.value else {
                continue;
            };
            let written = matches!(arg.direction, Direction::Out | Direction::InOut);
            let value = match self.place(expr) {
                Some(Place::Field(field, _)) if written => {
                    out.push(ExternArg::Field(field));
                    continue;
                }
                Some(place) if written && !matches!(place, Place::Struct(_) | Place::Header(_)) => {
                    self.error_of(Kind::Expected, expr.span, "this argument must be a field");
                    continue;
                }
                Some(place) => self.read(&place),
                None => self.value(expr),
            };
            self.unknown_value(&value, expr.span, &mut out);
        }
        out
    }

    fn unknown_value(&mut self, value: &Value, span: Span, out: &mut Vec<ExternArg>) {
        match value {
            Value::Scalar(expr) => out.push(ExternArg::Value(expr.clone())),
            Value::Text(text) => out.push(ExternArg::Text(text.to_string())),
            Value::Place(Place::Header(header)) => out.push(ExternArg::Header(*header)),
            Value::Place(Place::Varbit(field)) => out.push(ExternArg::Field(*field)),
            Value::Struct(parts) | Value::Header(parts) => {
                for part in parts.iter() {
                    self.unknown_value(part, span, out);
                }
            }
            _ => self.error_of(Kind::Unsupported, span, "an extern on BMv2 cannot take a value of this type"),
        }
    }
}
