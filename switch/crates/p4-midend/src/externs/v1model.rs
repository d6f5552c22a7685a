//! Extern functions and methods of v1model and the core library.

use crate::calls::effects::later_effects;
use crate::code::enclosing::Stage;
use crate::lowerer::Lowerer;
use crate::parsers::parser::flatten;
use crate::storage::place::{ExternObject, ObjectRef, Place, Value};
use num_traits::ToPrimitive;
use p4_ir::control::CalculationInput;
use p4_ir::expr::{Expr, Ty};
use p4_ir::ops::{CloneKind, FieldListId, LearnListId, Op};
use p4_ir::storage::{FieldRef, FieldWidth};
use p4_syntax::Kind;
use p4_types::typed::{self, Call, ExternFunctionId, Object, Type};
use std::rc::Rc;

/// The algorithms of `hash` that BMv2 has.
const HASH_ALGORITHMS: [&str; 8] =
    ["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16"];

impl Lowerer<'_> {
    /// A call of an extern function.
    pub fn extern_function(&mut self, id: ExternFunctionId, call: &Call) -> Value {
        let name = self.typed[id].name.clone();
        self.visible.calls_extern_functions |= self.enclosing.stage != Stage::Parser;
        match &*name {
            "verify" => self.verify(call),
            "mark_to_drop" => self.mark_to_drop(call),
            "hash" => self.hash(call),
            "random" => self.random(call),
            "truncate" => {
                let values = self.scalar_args(call);
                if let [length] = &values[..] {
                    self.emit(Op::Truncate(length.clone()));
                }
            }
            "assert" | "assume" => {
                let values = self.scalar_args(call);
                if let [condition] = &values[..] {
                    let condition = condition.clone();
                    self.emit(match &*name {
                        "assert" => Op::Assert(condition),
                        _ => Op::Assume(condition),
                    });
                }
            }
            // They are for p4testgen alone; the switch only evaluates their arguments.
            "testgen_assert" | "testgen_assume" => {
                self.scalar_args(call);
            }
            "static_assert" => return Value::Scalar(Expr::bool(true)),
            "log_msg" => self.log_message(call),
            "digest" => self.digest(call),
            "clone" | "clone_preserving_field_list" | "clone3" => self.clone_packet(call, &name),
            "resubmit" | "resubmit_preserving_field_list" => {
                if self.enclosing.stage != Stage::Ingress {
                    self.error(call.span, "a packet can be resubmitted in ingress only");
                }
                if let Some(list) = self.list_argument(call, 0, &name) {
                    self.emit(Op::Resubmit(list));
                }
            }
            "recirculate" | "recirculate_preserving_field_list" => {
                if self.enclosing.stage != Stage::Egress {
                    self.error(call.span, "a packet can be recirculated in egress only");
                }
                if let Some(list) = self.list_argument(call, 0, &name) {
                    self.emit(Op::Recirculate(list));
                }
            }
            "verify_checksum" => self.checksum_call(call, true, false),
            "verify_checksum_with_payload" => self.checksum_call(call, true, true),
            "update_checksum" => self.checksum_call(call, false, false),
            "update_checksum_with_payload" => self.checksum_call(call, false, true),
            other => self.unknown_function(other, call),
        }
        Value::Nothing
    }

    /// An argument of a call.
    pub fn arg<'c>(&self, call: &'c Call, position: usize) -> Option<&'c typed::Expr> {
        call.args.get(position)?.value.as_ref()
    }

    /// All arguments as simple values.
    pub fn scalar_args(&mut self, call: &Call) -> Vec<Expr> {
        let exprs: Vec<typed::Expr> = call.args.iter().filter_map(|a| a.value.clone()).collect();
        self.scalars(&exprs)
    }

    /// Simple values, evaluated from left to right.
    fn scalars(&mut self, exprs: &[typed::Expr]) -> Vec<Expr> {
        let later = later_effects(exprs.iter().map(typed::Expr::has_effects));
        let mut values = vec![];
        for (expr, may_change) in exprs.iter().zip(later) {
            let value = self.scalar(expr);
            values.push(if may_change { self.save(value) } else { value });
        }
        values
    }

    /// Runs `make` with a field for an `out` argument, and carries its value to where it belongs
    /// if that is not a field.
    fn with_destination(&mut self, target: &typed::Expr, make: impl FnOnce(&mut Self, FieldRef)) {
        let place = self.place(target).map(|place| self.stable(place));
        match place {
            Some(Place::Field(field, _)) => make(self, field),
            Some(place) => {
                let ty = self.storage.scalar_type(&target.ty).unwrap_or(Ty::bit(32));
                let field = self.storage.temporary(ty);
                make(self, field);
                let value = Value::Scalar(Expr::field(field, ty));
                self.assign(&place, &value, &target.ty, target.span);
            }
            None => self.error_of(Kind::Expected, target.span, "the result needs a place"),
        }
    }

    fn verify(&mut self, call: &Call) {
        let values = self.scalar_args(call);
        if let [condition, error] = &values[..] {
            self.emit(Op::Verify(condition.clone(), error.clone()));
        }
    }

    fn mark_to_drop(&mut self, call: &Call) {
        let place = self.arg(call, 0).and_then(|arg| self.place(arg));
        let real = self.storage.program.standard_metadata;
        match place {
            None => self.emit(Op::MarkToDrop),
            Some(Place::Struct(parts)) => {
                let is_real = |p: &Place| matches!(p, Place::Field(f, _) if Some(f.header) == real);
                if parts.iter().all(is_real) {
                    self.emit(Op::MarkToDrop);
                    return;
                }
                // A copy of standard metadata: set the fields that the primitive would set.
                let names: Vec<Rc<str>> = match self.arg(call, 0).map(|a| &a.ty) {
                    Some(Type::Struct(id)) => self.typed[*id].fields.iter().map(|f| f.name.clone()).collect(),
                    _ => vec![],
                };
                for (name, part) in names.iter().zip(parts.iter()) {
                    let value = match &**name {
                        "egress_spec" => 511,
                        "mcast_grp" => 0,
                        _ => continue,
                    };
                    if let Place::Field(field, ty) = part {
                        self.emit(Op::Assign(*field, Expr::constant(value, *ty)));
                    }
                }
            }
            Some(_) => self.error_of(Kind::Expected, call.span, "standard metadata are expected here"),
        }
    }

    fn hash(&mut self, call: &Call) {
        let args: Vec<typed::Expr> = call.args.iter().filter_map(|a| a.value.clone()).collect();
        let [target, algorithm, base, data, max] = &args[..] else {
            return;
        };
        let Some(name) = self.hash_algorithm(algorithm) else {
            return;
        };
        if !HASH_ALGORITHMS.contains(&&*name) {
            let message = format!("BMv2 has no hash algorithm '{name}'");
            self.error(algorithm.span, message);
        }
        self.with_destination(target, |this, dst| {
            let mut low = this.scalar(base);
            if data.has_effects() || max.has_effects() {
                low = this.save(low);
            }
            let mut value = this.value(data);
            if max.has_effects() {
                value = this.snapshot(value, &data.ty);
            }
            let mut input = vec![];
            this.calculation_input(&value, data.span, true, &mut input);
            this.hash_invalid_too(&mut input);
            let max = this.scalar(max);
            let source = this.here();
            let calculation = this.add_calculation(name, input, source);
            this.emit(Op::Hash { dst, base: low, calculation, max });
        });
    }

    /// `Checksum16.get`: the result of `hash` with `csum16`.
    fn checksum16(&mut self, call: &Call) -> Value {
        let Some(data) = self.arg(call, 0).cloned() else { return Value::Nothing };
        let value = self.value(&data);
        let mut input = vec![];
        self.calculation_input(&value, data.span, true, &mut input);
        self.hash_invalid_too(&mut input);
        let source = self.here();
        let calculation = self.add_calculation("csum16".into(), input, source);
        let dst = self.storage.temporary(Ty::bit(16));
        let (base, max) = (Expr::constant(0, Ty::bit(16)), Expr::constant(1 << 16, Ty::bit(17)));
        self.emit(Op::Hash { dst, base, calculation, max });
        Value::Scalar(Expr::field(dst, Ty::bit(16)))
    }

    /// A calculation leaves out the fields of headers that are not valid; `hash` includes their values.
    fn hash_invalid_too(&mut self, input: &mut [CalculationInput]) {
        for part in input {
            let CalculationInput::Field(field) = part else { continue };
            let storage = &self.storage.program;
            if storage.headers[field.header.index()].metadata {
                continue;
            }
            if let FieldWidth::Bits(bits) = storage.field(*field).width {
                let copy = self.save(Expr::field(*field, Ty::bit(bits)));
                *field = copy.as_field().unwrap_or(*field);
            }
        }
    }

    fn random(&mut self, call: &Call) {
        let args: Vec<typed::Expr> = call.args.iter().filter_map(|a| a.value.clone()).collect();
        let [target, low, high] = &args[..] else {
            return;
        };
        let bounds = [low.clone(), high.clone()];
        self.with_destination(target, |this, dst| {
            if let [low, high] = &this.scalars(&bounds)[..] {
                this.emit(Op::Random { dst, low: low.clone(), high: high.clone() });
            }
        });
    }

    fn log_message(&mut self, call: &Call) {
        let text = match self.arg(call, 0).cloned().map(|arg| self.value(&arg)) {
            Some(Value::Text(text)) => text.to_string(),
            _ => String::new(),
        };
        let mut values = vec![];
        if let Some(data) = self.arg(call, 1).cloned() {
            let value = self.value(&data);
            self.flatten_all(&value, &data.ty, &mut values);
        }
        self.emit(Op::LogMessage(text, values));
    }

    /// The simple values within a value, those of headers included.
    fn flatten_all(&mut self, value: &Value, ty: &Type, out: &mut Vec<Expr>) {
        match value {
            Value::Struct(parts) | Value::Header(parts) => {
                let types = self.part_types(ty, parts.len());
                for (part, ty) in parts.iter().zip(types) {
                    self.flatten_all(part, &ty, out);
                }
            }
            Value::Place(place @ Place::Header(_)) => {
                let types = self.part_types(ty, 0);
                for (position, part_ty) in types.iter().enumerate() {
                    let field = self.field_of(place, ty, position);
                    let value = self.read(&field);
                    self.flatten_all(&value, part_ty, out);
                }
            }
            other => flatten(other, out),
        }
    }

    fn digest(&mut self, call: &Call) {
        let (Some(receiver), Some(data)) = (self.arg(call, 0), self.arg(call, 1)) else {
            return;
        };
        let receiver = self.scalar(receiver);
        let ty = call.type_args.first().unwrap_or(&data.ty).clone();
        let name = match &ty {
            Type::Struct(id) | Type::Header(id) => {
                let declared = &self.typed[*id];
                crate::control_plane::names::control_plane_name(&declared.annotations, &declared.name)
            }
            _ => match self.visible.digests.iter().find(|(_, known)| *known == ty) {
                Some((name, _)) => name.clone(),
                None => format!("digest_{}", self.visible.digests.len()),
            },
        };
        let value = self.value(data);
        let mut values = vec![];
        self.flatten_all(&value, &ty, &mut values);
        let known = self.ir.learn_lists.iter().position(|(list, _)| *list == name);
        let index = known.unwrap_or_else(|| {
            // The switch reads the fields at the end of the pipeline: they must keep the values.
            let fields = values.iter().map(|v| self.storage.new_scalar(&format!("digest.{name}"), v.ty));
            let fields = fields.collect();
            self.ir.learn_lists.push((name.clone(), fields));
            self.ir.learn_lists.len() - 1
        });
        if !self.visible.digests.iter().any(|(known, _)| *known == name) {
            self.visible.digests.push((name, ty));
        }
        let fields = self.ir.learn_lists[index].1.clone();
        for (field, value) in fields.into_iter().zip(values) {
            self.emit(Op::Assign(field, value));
        }
        self.emit(Op::Digest { receiver, list: LearnListId::from_index(index) });
    }

    fn clone_packet(&mut self, call: &Call, name: &str) {
        let (Some(kind_arg), Some(session)) = (self.arg(call, 0), self.arg(call, 1)) else {
            return;
        };
        let kind = self.value(kind_arg);
        let (kind, stage) = match self.enum_member(&kind, &kind_arg.ty).as_deref() {
            Some("I2E") => (CloneKind::IngressToEgress, Stage::Ingress),
            Some("E2E") => (CloneKind::EgressToEgress, Stage::Egress),
            _ => {
                self.error_of(Kind::Expected, kind_arg.span, "the kind of clone must be known at compile time");
                return;
            }
        };
        if stage != self.enclosing.stage {
            self.error(call.span, "clones of kind I2E are made in ingress, those of kind E2E in egress");
        }
        let session = self.scalar(session);
        let fields = match name {
            "clone" => Some(self.named_list("fl")),
            _ => self.list_argument(call, 2, name),
        };
        if let Some(fields) = fields {
            self.emit(Op::Clone { kind, session, fields });
        }
    }

    // Field lists --------------------------------------------------------------------------

    /// Field lists from the `@field_list(…)` annotations of the user metadata.
    pub fn field_lists(&mut self, ty: &Type, place: &Place) {
        let Type::Struct(id) = self.typed.strip_new_types(ty) else {
            return;
        };
        let typed = self.typed;
        for (position, field) in typed[id].fields.iter().enumerate() {
            let part = self.field_of(place, ty, position);
            let Some(annotation) = typed::find_annotation(&field.annotations, "field_list") else {
                self.field_lists(&field.ty, &part);
                continue;
            };
            let mut fields = vec![];
            leaves(&part, &mut fields);
            for number in list_numbers(annotation) {
                let list = self.named_list(&format!("field_list{number}"));
                self.ir.field_lists[list.index()].1.extend(&fields);
            }
        }
    }

    fn named_list(&mut self, name: &str) -> FieldListId {
        let known = self.ir.field_lists.iter().position(|(list, _)| list == name);
        FieldListId::from_index(known.unwrap_or_else(|| {
            self.ir.field_lists.push((name.to_owned(), vec![]));
            self.ir.field_lists.len() - 1
        }))
    }

    /// The list that an argument names by number, or (in the old externs) spells out.
    fn list_argument(&mut self, call: &Call, position: usize, name: &str) -> Option<FieldListId> {
        let arg = self.arg(call, position)?.clone();
        if name.ends_with("_preserving_field_list") {
            let number = self.scalar(&arg);
            let Some(number) = number.as_const().and_then(ToPrimitive::to_u32) else {
                self.error_of(Kind::Expected, arg.span, "the number of the field list must be known at compile time");
                return None;
            };
            let list = format!("field_list{number}");
            if !self.ir.field_lists.iter().any(|(known, _)| *known == list) {
                let message = format!("no metadata field carries @field_list({number})");
                self.messages.warning_of(Kind::Invalid, arg.span, message);
            }
            return Some(self.named_list(&list));
        }
        let value = self.value(&arg);
        let mut values = vec![];
        self.flatten_all(&value, &arg.ty, &mut values);
        let fields: Vec<FieldRef> = values.iter().filter_map(Expr::as_field).collect();
        let list = self.named_list(&format!("fl_{}", self.ir.field_lists.len()));
        self.ir.field_lists[list.index()].1 = fields;
        Some(list)
    }

    // Methods ------------------------------------------------------------------------------

    /// The name of a method.
    pub fn method_name(&self, object: Object, method: usize) -> Rc<str> {
        let ty = match object {
            Object::Instance(id) => &self.typed[id].ty,
            Object::Parameter(var) => &self.typed[var].ty,
        };
        match ty {
            Type::Extern(id, _) => self.typed[*id].methods.get(method).map_or("".into(), |m| m.name.clone()),
            _ => "".into(),
        }
    }

    /// A call of a method of an extern object.
    pub fn method(&mut self, object: Object, method: usize, call: &Call) -> Value {
        let name = self.method_name(object, method);
        match self.resolve(object) {
            Some(ObjectRef::Packet) => self.packet_method(&name, call),
            Some(ObjectRef::Extern(object)) if &*object.kind == "Checksum16" && &*name == "get" => {
                self.checksum16(call)
            }
            Some(ObjectRef::Extern(object)) => {
                self.object_method(&object, &name, call);
                Value::Nothing
            }
            _ => {
                self.error(call.span, "this object is not known here");
                Value::Nothing
            }
        }
    }

    fn object_method(&mut self, object: &Rc<ExternObject>, method: &str, call: &Call) {
        let args: Vec<typed::Expr> = call.args.iter().filter_map(|a| a.value.clone()).collect();
        let name = object.name.clone();
        match (&*object.kind, method, &args[..]) {
            // The declaration of such a register has a message already about the type that it cannot hold.
            ("register", "read" | "write", _) if self.register_width(object).is_none() => {}
            ("register", "read", [target, index]) => {
                self.with_destination(target, |this, dst| {
                    let index = this.scalar(index);
                    this.emit(Op::RegisterRead { dst, register: name, index });
                });
            }
            ("register", "write", [index, value]) => {
                if let [index, value] = &self.scalars(&[index.clone(), value.clone()])[..] {
                    let (index, value) = (index.clone(), value.clone());
                    self.emit(Op::RegisterWrite { register: name, index, value });
                }
            }
            ("counter", "count", [index]) => {
                let index = self.scalar(index);
                self.emit(Op::Count { counter: name, index });
            }
            ("meter", "execute_meter", [index, target]) => {
                let index = self.scalar(index);
                self.with_destination(target, |this, dst| {
                    this.emit(Op::ExecuteMeter { meter: name, index, dst });
                });
            }
            // The table counts by itself.
            ("direct_counter", "count", []) => {}
            ("direct_meter", "read", [target]) => self.read_direct_meter(name, target),
            (_, method, _) => self.unknown_method(object, method, call),
        }
    }

    /// The table writes the colour to a field of the meter's own, and every read copies from there. An entry that is
    /// hit writes it before its action's arguments are read. It does so whether the action reads the colour or not.
    fn read_direct_meter(&mut self, name: String, target: &typed::Expr) {
        let Some(place) = self.place(target) else {
            return self.error_of(Kind::Expected, target.span, "the colour needs a place");
        };
        let known = self.direct_meters.destination(&name);
        let source = known.unwrap_or_else(|| {
            let ty = self.storage.scalar_type(&target.ty).unwrap_or(Ty::bit(8));
            self.storage.new_scalar("meter_color", ty)
        });
        self.direct_meters.set_destination(name, source);
        let width = self.storage.program.field(source).width.max_bits();
        let value = Value::Scalar(Expr::field(source, Ty::bit(width)));
        self.assign(&place, &value, &target.ty, target.span);
    }
}

/// The fields within a place.
fn leaves(place: &Place, out: &mut Vec<FieldRef>) {
    match place {
        Place::Field(field, _) | Place::Varbit(field) => out.push(*field),
        Place::Struct(parts) => {
            for part in parts.iter() {
                leaves(part, out);
            }
        }
        _ => {}
    }
}

/// The numbers of `@field_list(1, 2)`.
fn list_numbers(annotation: &typed::Annotation) -> Vec<u32> {
    match &annotation.body {
        typed::AnnotationBody::Values(values) => values
            .iter()
            .filter_map(|value| match value {
                typed::Value::Int(number) => number.to_u32(),
                _ => None,
            })
            .collect(),
        typed::AnnotationBody::Tokens(tokens) => {
            tokens.split(',').filter_map(|part| part.trim().parse().ok()).collect()
        }
        _ => vec![],
    }
}
