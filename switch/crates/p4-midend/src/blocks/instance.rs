//! The instance tree: contexts of parsers and controls, and extern objects.

use crate::blocks::context::{Context, ContextKind, Declared};
use crate::code::enclosing::Stage;
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, ExternObject, ObjectRef, Place, Value};
use num_traits::ToPrimitive;
use p4_ir::control::{ActionProfile, Counter, Meter, MeterUnit, Register};
use p4_syntax::{Kind, Span};
use p4_types::format::type_name;
use p4_types::typed::{
    self, ExprKind, InstanceId, InstanceOf, InstanceOrigin, Local, Object, Parameter, TopLevel, Type, VarId,
};
use std::rc::Rc;

/// The blocks of `V1Switch`, as contexts.
struct Blocks {
    parser: usize,
    verify: usize,
    ingress: usize,
    egress: usize,
    compute: usize,
    deparser: usize,
}

/// A control-plane name within a prefix; names beginning with a dot are absolute.
pub fn qualified(prefix: &str, annotations: &[typed::Annotation], declared: &str) -> String {
    let name = typed::find_annotation(annotations, "name").and_then(typed::Annotation::string);
    match name {
        Some(name) if name.starts_with('.') => name.trim_start_matches('.').to_owned(),
        Some(name) => format!("{prefix}{name}"),
        None => format!("{prefix}{declared}"),
    }
}

impl Lowerer<'_> {
    /// Lowers everything, from `main`.
    pub fn program(&mut self) {
        let errors = self.typed.errors.iter().enumerate();
        self.ir.errors = errors.map(|(i, e)| (e.name.to_string(), i as u32)).collect();
        self.enums();
        let Some(main) = self.typed.main else {
            // p4c's words; that nothing is compiled is no error of p4c's, but its commands end with 1.
            let message = "Program does not contain a `main' module";
            self.messages.warning_of(Kind::Missing, Span::nowhere(), message);
            return;
        };
        let typed = self.typed;
        for item in &typed.top_level {
            if let TopLevel::Instance(id) = item
                && matches!(typed[*id].of, InstanceOf::Extern { .. })
            {
                self.instantiate(0, *id);
            }
        }
        if let Some(blocks) = self.blocks(main) {
            self.architecture(&blocks);
            self.collect_control_plane(main);
        }
    }

    fn enums(&mut self) {
        for declared in &self.typed.enums {
            if declared.underlying.is_none() {
                let members = declared.members.iter().enumerate();
                self.ir.enums.push(p4_ir::Enumeration {
                    name: declared.name.to_string(),
                    members: members.map(|(i, m)| (m.name.to_string(), i as u64)).collect(),
                });
            }
        }
    }

    /// The six blocks of the package.
    fn blocks(&mut self, main: InstanceId) -> Option<Blocks> {
        let typed = self.typed;
        let instance = &typed[main];
        let package = match &instance.of {
            InstanceOf::Package { id, .. } => &typed[*id],
            _ => {
                self.error_of(Kind::Model, instance.span, "'main' must be an instance of the package 'V1Switch'");
                return None;
            }
        };
        if &*package.name != "V1Switch" {
            let message = format!(
                "'main' is an instance of '{}'; the target bmv2 needs a 'V1Switch' of v1model.p4",
                package.name
            );
            self.error_of(Kind::Model, instance.span, message);
            return None;
        }
        let mut contexts = vec![];
        for arg in &instance.args {
            let value = arg.value.as_ref()?;
            match self.object(value) {
                Some(ObjectRef::Context(context)) => contexts.push(context),
                _ => {
                    self.error_of(Kind::Model, value.span, "a parser or control is expected here");
                    return None;
                }
            }
        }
        match contexts[..] {
            [parser, verify, ingress, egress, compute, deparser] => {
                Some(Blocks { parser, verify, ingress, egress, compute, deparser })
            }
            _ => {
                self.error_of(Kind::Model, instance.span, "'V1Switch' has six arguments");
                None
            }
        }
    }

    /// Lowers the six blocks in the order in which packets pass them.
    fn architecture(&mut self, blocks: &Blocks) {
        let typed = self.typed;
        let ContextKind::Parser(parser) = self.contexts[blocks.parser].kind else {
            return;
        };
        let [_, headers, metadata, standard] = &typed[parser].params[..] else {
            return;
        };
        let headers = self.header_storage(&headers.ty);
        let metadata_ty = metadata.ty.clone();
        let metadata = self.storage.allocate("userMetadata", &metadata_ty);
        let standard = self.storage.standard_metadata(&standard.ty);
        self.field_lists(&metadata_ty, &metadata);

        self.enclosing.stage = Stage::Parser;
        let arguments = [None, Some(&headers), Some(&metadata), Some(&standard)];
        self.bind_block(&typed[parser].params, &arguments);
        self.lower_main_parser(blocks.parser, parser);

        let arguments = [Some(&headers), Some(&metadata), Some(&standard)];
        self.enclosing.stage = Stage::VerifyChecksum;
        self.enclosing.exited = false;
        self.checksum_block(blocks.verify, &arguments[..2]);
        self.enclosing.stage = Stage::Ingress;
        self.enclosing.exited = false;
        self.pipeline_block(blocks.ingress, "ingress", &arguments);
        self.enclosing.stage = Stage::Egress;
        self.enclosing.exited = false;
        self.pipeline_block(blocks.egress, "egress", &arguments);
        self.enclosing.stage = Stage::ComputeChecksum;
        self.enclosing.exited = false;
        self.checksum_block(blocks.compute, &arguments[..2]);
        self.enclosing.stage = Stage::Deparser;
        self.enclosing.exited = false;
        self.deparser_block(blocks.deparser, &[None, Some(&headers)]);
    }

    /// Instances for the fields of the headers structure; they carry the names of the fields.
    fn header_storage(&mut self, ty: &Type) -> Place {
        match self.typed.strip_new_types(ty) {
            Type::Struct(id) => {
                let fields = self.typed[id].fields.clone();
                let places: Vec<Place> = fields
                    .iter()
                    .map(|field| {
                        let name = crate::control_plane::names::control_plane_name(&field.annotations, &field.name);
                        self.storage.allocate(&name, &field.ty)
                    })
                    .collect();
                Place::Struct(places.into())
            }
            _ => self.storage.allocate("hdr", ty),
        }
    }

    /// Binds the parameters of a block of the architecture; `None` is the packet.
    pub fn bind_block(&mut self, params: &[Parameter], arguments: &[Option<&Place>]) {
        for (param, argument) in params.iter().zip(arguments) {
            match argument {
                Some(place) => {
                    let place = Binding::Place((*place).clone());
                    self.bindings.variables.insert(param.var, place);
                }
                None => {
                    self.bindings.objects.insert(param.var, ObjectRef::Packet);
                }
            }
        }
    }

    fn pipeline_block(&mut self, context: usize, name: &str, arguments: &[Option<&Place>]) {
        let ContextKind::Control(control) = self.contexts[context].kind else {
            return;
        };
        let typed = self.typed;
        self.bind_block(&typed[control].params, arguments);
        let (code, ()) = self.capture(|this| this.control_body(context, control));
        if self.messages.has_errors() {
            return;
        }
        self.direct_meter_destinations();
        let (storage, names) = (&mut self.storage.program, &mut self.node_names);
        let mut pipeline = crate::code::graph::build(&mut self.ir, storage, names, name, &code);
        pipeline.source = self.source(typed[control].span);
        pipeline.profiles = self.profiles_of_pipeline(&pipeline);
        match self.enclosing.stage {
            Stage::Ingress => self.ir.ingress = pipeline,
            _ => self.ir.egress = pipeline,
        }
    }

    // Objects ------------------------------------------------------------------------------

    /// The object an expression denotes.
    pub fn object(&mut self, expr: &typed::Expr) -> Option<ObjectRef> {
        match &expr.kind {
            ExprKind::Object(object) => self.resolve(*object),
            ExprKind::Var(var) => self.bindings.objects.get(var).cloned(),
            _ => None,
        }
    }

    /// The object behind an instance or parameter, in the current context.
    pub fn resolve(&mut self, object: Object) -> Option<ObjectRef> {
        match object {
            Object::Parameter(var) => self.bindings.objects.get(&var).cloned(),
            Object::Instance(id) => {
                let here = self.contexts[self.enclosing.context].instances.get(&id);
                let found = here.or_else(|| self.contexts[0].instances.get(&id)).cloned();
                found.or_else(|| self.instantiate(self.enclosing.context, id))
            }
        }
    }

    /// Makes an instance in a context.
    pub fn instantiate(&mut self, context: usize, id: InstanceId) -> Option<ObjectRef> {
        if let Some(known) = self.contexts[context].instances.get(&id) {
            return Some(known.clone());
        }
        let typed = self.typed;
        let instance = &typed[id];
        let prefix = self.contexts[context].prefix.clone();
        let object = match &instance.of {
            InstanceOf::Package { .. } => return None,
            InstanceOf::Extern { id: kind, type_args, constructor } => {
                let params = &typed[*kind].constructors.get(*constructor)?.params;
                let args = self.constructor_args(params, &instance.args);
                let args = args.into_iter().map(|(param, value)| (param.name.clone(), value));
                let object = Rc::new(ExternObject {
                    instance: id,
                    kind: typed[*kind].name.clone(),
                    name: qualified(&prefix, &instance.annotations, &instance.name),
                    type_args: type_args.clone(),
                    args: args.collect(),
                });
                self.declare_extern(&object);
                ObjectRef::Extern(object)
            }
            InstanceOf::Control(control) => {
                let declared = &typed[*control];
                let kind = ContextKind::Control(*control);
                let name = self.instance_name(&prefix, instance, &declared.name, &declared.annotations);
                let params = &declared.constructor_params;
                let new = self.expansion(instance.span, |this| {
                    this.new_context(kind, name, params, &instance.args, &declared.locals)
                })?;
                crate::calls::effects::applications(typed, &declared.body, &mut self.contexts[new].applications);
                self.contexts[context].declared.push(Declared::Context(new));
                ObjectRef::Context(new)
            }
            InstanceOf::Parser(parser) => {
                let declared = &typed[*parser];
                let kind = ContextKind::Parser(*parser);
                let name = self.instance_name(&prefix, instance, &declared.name, &declared.annotations);
                let params = &declared.constructor_params;
                let new = self.expansion(instance.span, |this| {
                    this.new_context(kind, name, params, &instance.args, &declared.locals)
                })?;
                self.contexts[context].declared.push(Declared::Context(new));
                ObjectRef::Context(new)
            }
        };
        self.contexts[context].instances.insert(id, object.clone());
        Some(object)
    }

    /// The prefix of names in an instance: blocks of the package are called as their declaration.
    fn instance_name(
        &self,
        prefix: &str,
        instance: &typed::Instance,
        declared: &str,
        annotations: &[typed::Annotation],
    ) -> String {
        let anonymous = instance.origin == InstanceOrigin::Anonymous;
        let name = if prefix.is_empty() || anonymous {
            qualified(prefix, annotations, declared)
        } else if instance.origin == InstanceOrigin::DirectApplication {
            qualified(prefix, &[], declared)
        } else {
            qualified(prefix, &instance.annotations, &instance.name)
        };
        format!("{name}.")
    }

    /// Constructor arguments, evaluated in the current context.
    fn constructor_args<'p>(
        &mut self,
        params: &'p [Parameter],
        args: &[typed::Argument],
    ) -> Vec<(&'p Parameter, Value)> {
        let mut values = vec![];
        for (param, arg) in params.iter().zip(args) {
            let Some(expr) = &arg.value else {
                continue;
            };
            match self.object(expr) {
                Some(object) => {
                    self.bindings.objects.insert(param.var, object);
                }
                None => {
                    let value = self.value(expr);
                    values.push((param, value));
                }
            }
        }
        values
    }

    fn new_context(
        &mut self,
        kind: ContextKind,
        prefix: String,
        params: &[Parameter],
        args: &[typed::Argument],
        locals: &[Local],
    ) -> usize {
        let values = self.constructor_args(params, args);
        let values: Vec<(VarId, Value)> = values.into_iter().map(|(p, v)| (p.var, v)).collect();
        let objects: Vec<(VarId, ObjectRef)> =
            params.iter().filter_map(|p| Some((p.var, self.bindings.objects.get(&p.var)?.clone()))).collect();
        self.contexts.push(Context { kind, prefix, values, objects, ..Context::program() });
        let new = self.contexts.len() - 1;
        let outer = self.enter(new);
        for local in locals {
            match local {
                Local::Instance(id) => {
                    self.instantiate(new, *id);
                }
                Local::Table(id) => self.contexts[new].declared.push(Declared::Table(*id)),
                Local::Action(id) => self.contexts[new].declared.push(Declared::Action(*id)),
                Local::ValueSet(id) => {
                    self.value_set(*id);
                }
                Local::Variable(..) => {}
            }
        }
        self.enter(outer);
        new
    }

    /// Makes a context the current one and binds its constructor parameters; returns the one
    /// before.
    pub fn enter(&mut self, context: usize) -> usize {
        for (var, value) in self.contexts[context].values.clone() {
            self.bindings.variables.insert(var, Binding::Value(value));
        }
        for (var, object) in self.contexts[context].objects.clone() {
            self.bindings.objects.insert(var, object);
        }
        std::mem::replace(&mut self.enclosing.context, context)
    }

    // Externs ------------------------------------------------------------------------------

    /// A constructor argument that must be a number.
    pub fn number_arg(&mut self, object: &ExternObject, name: &str) -> u64 {
        let arg = object.args.iter().find(|(param, _)| &**param == name);
        let value = arg.and_then(|(_, value)| value.scalar()?.as_const()?.to_u64());
        value.unwrap_or_else(|| {
            let span = self.typed[object.instance].span;
            let message = format!("'{name}' of '{}' must be known at compile time", object.name);
            self.error_of(Kind::Expected, span, message);
            0
        })
    }

    /// The name of the enumeration member that a constructor argument is.
    pub fn enum_arg(&self, object: &ExternObject, name: &str) -> Option<Rc<str>> {
        let instance = &self.typed[object.instance];
        let (_, value) = object.args.iter().find(|(param, _)| &**param == name)?;
        let argument = instance.args.iter().find(|arg| &*arg.name == name)?;
        self.enum_member(value, &argument.ty)
    }

    /// The name of the enumeration member that a known value is.
    pub fn enum_member(&self, value: &Value, ty: &Type) -> Option<Rc<str>> {
        let Type::Enum(id) = self.typed.strip_new_types(ty) else {
            return None;
        };
        let number = value.scalar()?.as_const()?.to_usize()?;
        let member = self.typed[id].members.get(number)?;
        Some(member.name.clone())
    }

    /// The bits of an element; none if BMv2 cannot hold such a type.
    pub fn register_width(&self, register: &ExternObject) -> Option<u32> {
        let ty = register.type_args.first()?;
        self.storage.scalar_type(ty).map(|ty| ty.width())
    }

    /// Adds the state behind an extern object to the program.
    fn declare_extern(&mut self, object: &Rc<ExternObject>) {
        let span = self.typed[object.instance].span;
        let source = self.source(span);
        let name = object.name.clone();
        if !self.typed[object.instance].name.is_empty() {
            self.claim_name(&object.kind, &name, span);
        }
        match &*object.kind {
            "register" => {
                let size = self.number_arg(object, "size");
                let width = self.register_width(object);
                if width.is_none() {
                    let held = object.type_args.first().map_or("?".to_owned(), |ty| type_name(self.typed, ty));
                    let message =
                        format!("register '{name}' holds '{held}'; on BMv2 it can hold a bit<W>, int<W> or bool");
                    let help = "declare a register for each field, or join the fields to one bit<W>";
                    self.messages.error_with_help(Kind::Target, span, message, help);
                }
                let width = width.unwrap_or_default();
                if size == 0 {
                    self.error(span, "a register on BMv2 needs at least one element");
                }
                self.ir.registers.push(Register { name, size, width, source });
            }
            "counter" => {
                let size = self.number_arg(object, "size");
                self.ir.counters.push(Counter { name, size, direct: None, source });
            }
            "meter" => {
                let size = self.number_arg(object, "size");
                let unit = self.meter_unit(object);
                self.ir.meters.push(Meter { name, size, unit, direct: None, source });
            }
            "direct_counter" | "direct_meter" | "action_profile" | "action_selector" | "Checksum16" => {}
            _ => {
                let number = |(name, value): &(Rc<str>, Value)| {
                    Some((name.to_string(), crate::expressions::key_set::known(value.scalar()?)?))
                };
                let args = object.args.iter().filter_map(number).collect();
                self.ir.externs.push(p4_ir::ForeignExtern { name, kind: object.kind.to_string(), args });
            }
        }
        self.note_extern(object);
    }

    /// The unit that a meter counts.
    pub fn meter_unit(&self, object: &ExternObject) -> MeterUnit {
        match self.enum_arg(object, "type").as_deref() {
            Some("bytes") => MeterUnit::Bytes,
            _ => MeterUnit::Packets,
        }
    }

    /// The profiles that the tables of a pipeline use.
    fn profiles_of_pipeline(&mut self, pipeline: &p4_ir::control::Pipeline) -> Vec<ActionProfile> {
        let mut profiles: Vec<ActionProfile> = vec![];
        for node in &pipeline.nodes {
            let p4_ir::control::Node::Table { table, .. } = node else {
                continue;
            };
            let used = self.ir.tables[table.index()].profile.clone();
            let known = |name: &String| profiles.iter().any(|p| p.name == *name);
            if let Some(name) = used.filter(|name| !known(name))
                && let Some(profile) = self.tables.profile(&name)
            {
                profiles.push(profile.clone());
            }
        }
        profiles
    }
}
