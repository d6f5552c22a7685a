//! Methods of packets: `extract`, `lookahead`, `advance`, `length`, `emit`.

use crate::lowerer::Lowerer;
use crate::storage::place::{Place, Value};
use p4_ir::expr::{Expr, ExprKind, Ty};
use p4_ir::ops::{ExtractTarget, Op};
use p4_ir::storage::FieldRef;
use p4_syntax::Kind;
use p4_types::typed::{Call, Type};

impl Lowerer<'_> {
    /// A call of a method of the packet.
    pub fn packet_method(&mut self, name: &str, call: &Call) -> Value {
        match name {
            "extract" => self.extract(call),
            "emit" => {
                if let Some(arg) = self.arg(call, 0).cloned() {
                    self.emit_headers(&arg);
                }
            }
            "advance" => {
                let values = self.scalar_args(call);
                if let [bits] = &values[..] {
                    self.emit(Op::Advance(bits.clone()));
                }
            }
            "lookahead" => {
                let ty = call.type_args.first().unwrap_or(&call.result).clone();
                let mut offset = 0;
                return self.lookahead(&ty, &mut offset);
            }
            "length" => {
                let standard = self.storage.program.standard_metadata;
                let field = standard.and_then(|header| {
                    let fields = &self.storage.program.type_of(header).fields;
                    let field = fields.iter().position(|f| f.name == "packet_length")? as u32;
                    Some(FieldRef { header, field })
                });
                if let Some(field) = field {
                    return Value::Scalar(Expr::field(field, Ty::bit(32)));
                }
            }
            other => {
                let message = format!("BMv2's packets have no method '{other}'");
                self.error_of(Kind::Unknown, call.span, message);
            }
        }
        Value::Nothing
    }

    fn extract(&mut self, call: &Call) {
        let varbit_bits = self.arg(call, 1).cloned().map(|bits| self.scalar(&bits));
        let place = match self.arg(call, 0) {
            Some(arg) => self.place(&arg.clone()),
            None => None,
        };
        let place = match place {
            Some(place) => place,
            // extract<T>(_)
            None => match call.args.first().map(|a| a.ty.clone()) {
                Some(ty) => self.storage.allocate("skipped", &ty),
                None => return,
            },
        };
        self.extract_to(&place, varbit_bits, call);
    }

    fn extract_to(&mut self, place: &Place, varbit_bits: Option<Expr>, call: &Call) {
        let target = match place {
            Place::Header(header) => ExtractTarget::Header(*header),
            Place::StackNext(stack) => ExtractTarget::StackNext(*stack),
            Place::UnionStackNextMember(stack, member) => ExtractTarget::UnionStackNext(*stack, *member),
            Place::Element(index, elements) => {
                let index = self.save((**index).clone());
                self.for_element(&index, elements.len(), |this, number| {
                    this.extract_to(&elements[number].clone(), varbit_bits.clone(), call);
                });
                return;
            }
            _ => {
                self.error(call.span, "BMv2 can extract to headers and to 'next' of stacks only");
                return;
            }
        };
        self.emit(Op::Extract { target, varbit_bits });
    }

    /// Bits ahead, part by part.
    fn lookahead(&mut self, ty: &Type, offset: &mut u32) -> Value {
        if let Some(scalar) = self.storage.scalar_type(ty) {
            let width = scalar.width();
            let bits = Expr { kind: ExprKind::Lookahead { offset: *offset }, ty: scalar };
            *offset += width;
            let field = self.storage.temporary(scalar);
            self.emit(Op::Assign(field, bits));
            return Value::Scalar(Expr::field(field, scalar));
        }
        let parts = self.part_types(ty, 0);
        let values: Vec<Value> = parts.iter().map(|part| self.lookahead(part, offset)).collect();
        match self.typed.strip_new_types(ty) {
            Type::Header(_) => Value::Header(values.into()),
            _ => Value::Struct(values.into()),
        }
    }
}
