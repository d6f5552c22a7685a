//! The deparser: an order of headers.

use crate::blocks::context::ContextKind;
use crate::code::structured::Code;
use crate::lowerer::Lowerer;
use crate::storage::place::{Place, Value};
use p4_ir::expr::{Expr, ExprKind};
use p4_ir::ops::Op;
use p4_syntax::Kind;
use p4_types::typed;

impl Lowerer<'_> {
    /// Lowers the deparser.
    pub fn deparser_block(&mut self, context: usize, arguments: &[Option<&Place>]) {
        let ContextKind::Control(control) = self.contexts[context].kind else {
            return;
        };
        let typed = self.typed;
        self.bind_block(&typed[control].params, arguments);
        let (code, ()) = self.capture(|this| this.control_body(context, control));
        for piece in code {
            match piece {
                Code::Op(stmt) => self.ir.deparser_ops.push(stmt),
                Code::Block(_, _) | Code::Leave(_) => {}
                _ => {
                    let span = typed[control].span;
                    self.error_of(
                        Kind::Unsupported,
                        span,
                        "BMv2's deparser can only emit headers, one after the other",
                    );
                }
            }
        }
    }

    /// `packet.emit(value)`
    pub fn emit_headers(&mut self, expr: &typed::Expr) {
        match self.place(expr) {
            Some(place) => self.emit_place(&place, expr.span),
            None => {
                let value = self.value(expr);
                self.emit_value(&value, expr.span);
            }
        }
    }

    /// Emits the headers of a parameter that stands for a structure of them.
    fn emit_value(&mut self, value: &Value, span: p4_syntax::Span) {
        match value {
            Value::Place(place) => self.emit_place(place, span),
            Value::Struct(parts) | Value::Stack(parts) => {
                for part in parts.iter() {
                    self.emit_value(part, span);
                }
            }
            _ => self.error_of(Kind::Unsupported, span, "BMv2 can only emit headers that have a place"),
        }
    }

    fn emit_place(&mut self, place: &Place, span: p4_syntax::Span) {
        match place {
            Place::Header(header) => self.ir.deparser.push(*header),
            Place::Struct(parts) => {
                for part in parts.iter() {
                    self.emit_place(part, span);
                }
            }
            Place::Union(union) => {
                let members = self.storage.program.unions[union.index()].members.clone();
                self.ir.deparser.extend(members);
            }
            Place::Stack(_) | Place::UnionStack(_) => {
                for element in self.elements(place) {
                    self.emit_place(&element, span);
                }
            }
            _ => self.error_of(
                Kind::Unsupported,
                span,
                "only headers, stacks, unions and structures of them are emitted",
            ),
        }
    }

    /// A decision in the deparser. The only one BMv2 can express is the one that changes nothing:
    /// whether the header that is emitted is valid.
    pub fn deparser_branch(
        &mut self,
        condition: &Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let before = self.ir.deparser.len();
        self.enclosing.branches += 1;
        let (code, ()) = self.capture(then);
        let emitted = self.ir.deparser[before..].to_vec();
        let after = self.ir.deparser.len();
        let (other, ()) = self.capture(otherwise);
        self.enclosing.branches -= 1;
        let redundant = match condition.kind {
            ExprKind::Valid(header) => emitted.iter().all(|h| *h == header),
            _ => false,
        };
        let empty = |code: &[Code]| {
            code.iter().all(|piece| matches!(piece, Code::Op(stmt) if matches!(stmt.op, Op::SetInvalid(_))))
        };
        let nothing_else = self.ir.deparser.len() == after && empty(&code) && empty(&other);
        if !redundant || !nothing_else {
            let span = self.emitter.span();
            self.error_of(
                Kind::Unsupported,
                span,
                "BMv2 cannot decide anything in the deparser; make the header valid or invalid in egress instead",
            );
        }
    }
}
