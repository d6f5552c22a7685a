//! The whole program.

use super::scope::Scope;
use super::types::{COLOURS, KINDS, Type, part};
use super::{Context, Generator, Variable};

impl Generator {
    pub(super) fn program(&mut self) -> String {
        self.choose_types();
        self.choose_divisions();
        let types = self.declare_headers();
        let metadata = self.metadata();
        let typedefs = self.type_names();
        let everything = self.variables.clone();
        let constants = self.constants();
        let mut functions = String::new();
        for _ in 0..self.random.below(4) {
            functions.push_str(&self.function());
        }
        for _ in 0..self.random.below(3) {
            functions.push_str(&self.generic_function());
        }
        let mut parsers = String::new();
        for _ in 0..self.random.below(3) {
            parsers.push_str(&self.sub_parser(&everything));
        }
        let states = self.parser_instantiations() + &self.states();
        self.variables = everything;
        self.variables.push(Variable {
            name: "(std.parser_error == error.NoError)".to_owned(),
            ty: Type::Bool,
            writable: false,
            header: None,
        });
        self.declare("std.ingress_port", &Type::Bit(9), false);
        self.declare("std.instance_type", &Type::Bit(32), false);
        let everything = self.variables.clone();
        let mut controls = String::new();
        for _ in 0..self.random.below(4) {
            controls.push_str(&self.sub_control(&everything));
        }
        let (verify, update) = (self.checksum("verify_checksum"), self.checksum("update_checksum"));
        self.declare("std.checksum_error", &Type::Bit(1), false);
        let ingress = self.ingress();
        let (instances, application) = self.egress(&everything);
        let structure = |ty: &Type| {
            let fields: Vec<String> = ty.fields().iter().map(|(name, ty)| format!("{} {name};", ty.text())).collect();
            format!("struct {} {{ {} }}", ty.text(), fields.join(" "))
        };
        let kinds: Vec<String> = KINDS.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let mut fields = String::new();
        for (name, ty) in &metadata {
            let (lists, ty) = (self.field_lists(name), self.spelled(ty));
            fields.push_str(&format!("{lists}{ty} {name};\n"));
        }
        let (result, values) = result(&metadata);
        let division_macros = self.division_macros();
        let members = std::mem::take(&mut self.members);
        format!(
            "#include <core.p4>
#include <v1model.p4>
{division_macros}error {{ Odd }}
enum Colour {{ {} }}
enum bit<8> Kind {{ {} }}
{}
{}
struct Gen<T> {{ T value; bit<7> extra; }}
{typedefs}{types}header result_t {{ {result} }}
struct headers_t {{
result_t result;
{members}}}
struct meta_t {{
{}}}
{constants}{functions}{parsers}parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{states}}}
{controls}control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ {verify} }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{ingress}}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{instances}apply {{
{application}hdr.result.setValid();
{values}}}
}}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ {update} }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
",
            COLOURS.join(", "),
            kinds.join(", "),
            structure(&Type::Pair),
            structure(&Type::Nest),
            fields,
        )
    }

    fn metadata(&mut self) -> Vec<(String, Type)> {
        let mut fields = vec![];
        for number in 0..2 + self.random.below(5) {
            let ty = self.any_type();
            let name = format!("m{number}");
            self.declare_parts(&format!("meta.{name}"), &ty, true);
            fields.push((name, ty));
        }
        fields.extend(self.turns());
        fields
    }

    /// Declarations of egress, and its statements before the metadata is shown.
    fn egress(&mut self, everything: &[Variable]) -> (String, String) {
        if !self.recirculates && !self.random.one_in(3) {
            return Default::default();
        }
        let outside = self.enter(Scope::of(self.headers.clone(), everything.to_vec()));
        self.declare("std.egress_port", &Type::Bit(9), false);
        self.declare("std.egress_rid", &Type::Bit(16), false);
        self.context = Context { can_exit: true, can_apply: true, can_invalidate: true, ..Context::default() };
        self.budget = 3;
        let instances = self.instantiations(true);
        let application = self.sub_application().unwrap_or_default();
        let statements = self.statements(2) + &self.ways_of_egress();
        self.enter(outside);
        self.note("egress");
        (instances, application + &statements)
    }

    fn ingress(&mut self) -> String {
        self.context = Context::default();
        let mut text = self.instantiations(true) + &self.registers();
        let mut locals = vec![];
        for _ in 0..self.random.below(4) {
            let (ty, name) = (self.any_type(), self.fresh("v"));
            text.push_str(&format!("{} {name} = {};\n", self.spelled(&ty), self.constant(&ty)));
            self.declare(&name, &ty, true);
            locals.push((name, ty));
        }
        self.valid.clear();
        for _ in 0..1 + self.random.below(4) {
            text.push_str(&self.action());
        }
        text.push_str(&self.unused_action());
        for _ in 0..self.random.below(3) {
            text.push_str(&self.table());
        }
        self.context =
            Context { can_exit: true, can_apply: true, can_invalidate: true, result: Some(None), ..Context::default() };
        self.budget = 14;
        text.push_str("apply {\nstd.egress_spec = 1;\n");
        for _ in 0..3 {
            let statements = self.statements(3) + &self.ways_of_ingress();
            text.push_str(&statements);
        }
        text.push_str(&self.digest());
        text.push_str(&self.remaining_applications());
        if self.random.one_in(4) {
            self.note("mark_to_drop");
            let condition = self.expression(&Type::Bool, 3);
            text.push_str(&format!("if ({condition}) {{ mark_to_drop(std); }}\n"));
        }
        // The final values of the locals must be visible from outside.
        for (name, ty) in locals {
            if let Some(target) = self.target(&ty).filter(|target| *target != name) {
                text.push_str(&format!("{target} = {name};\n"));
            }
        }
        text.push_str("}\n");
        text
    }
}

pub(super) fn width_of(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::Bit(width) | Type::Int(width) | Type::New(width) => *width,
        Type::Colour => 2,
        Type::Kind => 8,
        Type::Pair | Type::Nest | Type::Tuple(_) | Type::Generic(_) => {
            ty.fields().iter().map(|(_, ty)| width_of(ty)).sum()
        }
        // None is within metadata.
        Type::Header(_) | Type::Stack(..) | Type::Union | Type::UnionStack(_) | Type::Varbit(_) | Type::Opaque => 0,
    }
}

/// The header that brings the metadata out: its fields, and the statements that fill it.
fn result(metadata: &[(String, Type)]) -> (String, String) {
    let (mut fields, mut values, mut bits) = (String::new(), String::new(), 0);
    let mut add = |path: &str, ty: &Type| {
        let name = path.replace(['.', '['], "_").replace(']', "");
        let width = width_of(ty);
        let value = match ty {
            Type::Bit(_) => format!("meta.{path}"),
            Type::Bool | Type::Int(_) | Type::Kind | Type::New(_) => format!("(bit<{width}>)meta.{path}"),
            _ => format!("(meta.{path} == Colour.Red ? 2w0 : (meta.{path} == Colour.Green ? 2w1 : 2w2))"),
        };
        fields.push_str(&format!("bit<{width}> {name}; "));
        values.push_str(&format!("hdr.result.{name} = {value};\n"));
        bits += width;
    };
    for (name, ty) in metadata {
        simple_parts(name, ty, &mut add);
    }
    let rest = 8 - bits % 8;
    fields.push_str(&format!("bit<{rest}> rest; "));
    values.push_str("hdr.result.rest = 0;\n");
    (fields, values)
}

/// Calls `each` with the path and type of everything simple within a variable.
fn simple_parts(path: &str, ty: &Type, each: &mut impl FnMut(&str, &Type)) {
    if !ty.is_composite() {
        return each(path, ty);
    }
    for (name, ty) in ty.fields() {
        simple_parts(&part(path, &name), &ty, each);
    }
}
