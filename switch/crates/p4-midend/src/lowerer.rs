//! The state of the lowering, and the small things everybody needs: emitting, messages, names,
//! temporaries, storage.

use crate::code::{BlockLabel, Code};
use crate::effects::Effects;
use crate::instance::Context;
use crate::place::{Binding, ExternObject, InPlace, ObjectRef, Place};
use crate::table::TableState;
use p4_ir::expr::{Expr, Ty};
use p4_ir::ops::Op;
use p4_ir::storage::{Field, FieldRef, FieldWidth, HeaderId, HeaderType, HeaderTypeId, UnionType, UnionTypeId};
use p4_ir::{Program, Source, SourceInfo};
use p4_syntax::{Diagnostics, SourceMap, Span};
use p4_types::typed::{self, ActionId, StructId, TableId, Type, VarId};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Greatest number of characters of a source fragment in the output.
const FRAGMENT_CHARS: usize = 60;

/// Which block of the architecture is being lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The parser.
    Parser,
    /// Checksums before ingress.
    VerifyChecksum,
    /// The ingress pipeline.
    Ingress,
    /// The egress pipeline.
    Egress,
    /// Checksums after egress.
    ComputeChecksum,
    /// The deparser.
    Deparser,
}

/// Lowers one program.
pub struct Lowerer<'a> {
    /// The typed program.
    pub typed: &'a typed::Program,
    /// For source positions.
    pub sources: &'a SourceMap,
    /// For messages.
    pub diagnostics: &'a mut Diagnostics,
    /// What the caller chose.
    pub settings: crate::Settings,
    /// What has been made so far.
    pub ir: Program,
    /// Where emitted code goes.
    pub code: Vec<Code>,
    /// What variables stand for.
    pub bindings: HashMap<VarId, Binding>,
    /// What parameters of object types stand for.
    pub object_params: HashMap<VarId, ObjectRef>,
    /// Instances of parsers and controls; number 0 is the program itself.
    pub contexts: Vec<Context>,
    /// The context being lowered.
    pub context: usize,
    /// The block being lowered.
    pub stage: Stage,
    /// Number of actions around what is being lowered.
    pub action_depth: u32,
    /// What bodies write.
    pub effects: Effects,
    /// Tables made so far, by context.
    pub tables: HashMap<(usize, TableId), TableState>,
    /// Actions made so far, by context.
    pub actions: HashMap<(usize, ActionId), p4_ir::control::ActionId>,
    /// Where `return` goes, with the place of the result.
    pub returns: Vec<(BlockLabel, Place)>,
    /// Where `break` and `continue` go.
    pub loops: Vec<(BlockLabel, BlockLabel)>,
    /// Destination fields of direct meters.
    pub direct_meter_targets: HashMap<String, FieldRef>,
    /// Object arguments of the call being bound, by position.
    pub pending_objects: Vec<(usize, ObjectRef)>,
    /// Action profiles by name.
    pub profiles: HashMap<String, p4_ir::control::ActionProfile>,
    /// Objects that were made in the property of a table.
    pub in_place: Vec<InPlace>,
    /// Extern objects in the order in which they were made.
    pub externs: Vec<Rc<ExternObject>>,
    /// Actions that bodies of controls call: context, action, control-plane name.
    pub direct_actions: Vec<(usize, ActionId, String)>,
    /// Control-plane names by kind, with the place of the declaration.
    pub claimed_names: HashMap<(String, String), Span>,
    /// Does any control call an extern function?
    pub calls_extern_functions: bool,
    /// Digests sent, by name.
    pub digests: Vec<(String, Type)>,
    /// Value sets made so far, by context.
    pub value_sets: HashMap<(usize, typed::ValueSetId), p4_ir::parser::ValueSetId>,
    /// Value sets in the order in which they were met.
    pub value_set_order: Vec<(usize, typed::ValueSetId, u64)>,
    /// Conditions around the statement, in checksum controls.
    pub conditions: Vec<Expr>,
    /// Conditions around the statement in the deparser.
    pub branches: u32,
    /// Did a block outside of the pipelines `exit`?
    pub exited: bool,
    /// Names of nodes, tables and so on.
    pub node_names: HashSet<String>,
    next_label: BlockLabel,
    instance_names: HashSet<String>,
    pub local_places: HashMap<VarId, Place>,
    header_types: HashMap<StructId, HeaderTypeId>,
    union_types: HashMap<StructId, UnionTypeId>,
    pub type_names: HashSet<String>,
    pub varbit_types: HashMap<u32, HeaderTypeId>,
    pub header_places: HashMap<HeaderId, Rc<[Place]>>,
    pub free_temporaries: HashMap<Ty, Vec<FieldRef>>,
    pub used_temporaries: Vec<(Ty, FieldRef)>,
    source_cache: HashMap<Span, Source>,
    current_source: Source,
    /// The current statement.
    pub current_span: Span,
    file_names: HashMap<u32, Rc<str>>,
}

impl<'a> Lowerer<'a> {
    /// Nothing lowered yet.
    pub fn new(
        typed: &'a typed::Program,
        sources: &'a SourceMap,
        file: &str,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let mut ir = Program { file: file.to_owned(), ..Program::default() };
        let scalars =
            ir.storage.add_header_type(HeaderType { name: "scalars_0".to_owned(), fields: vec![], metadata: true });
        let scalars = ir.storage.add_header("scalars".to_owned(), scalars, true);
        ir.storage.scalars = Some(scalars);
        Self {
            typed,
            sources,
            diagnostics,
            settings: crate::Settings::default(),
            ir,
            code: vec![],
            bindings: HashMap::new(),
            object_params: HashMap::new(),
            contexts: vec![Context::program()],
            context: 0,
            stage: Stage::Parser,
            action_depth: 0,
            effects: Effects::default(),
            tables: HashMap::new(),
            actions: HashMap::new(),
            returns: vec![],
            loops: vec![],
            direct_meter_targets: HashMap::new(),
            pending_objects: vec![],
            profiles: HashMap::new(),
            in_place: vec![],
            externs: vec![],
            direct_actions: vec![],
            claimed_names: HashMap::new(),
            calls_extern_functions: false,
            digests: vec![],
            value_sets: HashMap::new(),
            value_set_order: vec![],
            conditions: vec![],
            branches: 0,
            exited: false,
            node_names: HashSet::new(),
            next_label: 0,
            instance_names: ["scalars".to_owned()].into(),
            local_places: HashMap::new(),
            header_types: HashMap::new(),
            union_types: HashMap::new(),
            type_names: ["scalars_0".to_owned()].into(),
            varbit_types: HashMap::new(),
            header_places: HashMap::new(),
            free_temporaries: HashMap::new(),
            used_temporaries: vec![],
            source_cache: HashMap::new(),
            current_source: None,
            current_span: Span::default(),
            file_names: HashMap::new(),
        }
    }

    /// The program, unless something was wrong.
    pub fn finish(self) -> Option<Program> {
        (!self.diagnostics.has_errors()).then_some(self.ir)
    }

    /// Reports an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.error(span, message);
    }

    // Code ---------------------------------------------------------------------------------

    /// Emits an operation of the current statement.
    pub fn emit(&mut self, op: Op) {
        let source = self.current_source.clone();
        self.code.push(Code::Op(op.at(source)));
    }

    /// Runs `lower` and returns the code it emitted.
    pub fn capture<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<Code>, T) {
        let outer = std::mem::take(&mut self.code);
        let result = lower(self);
        (std::mem::replace(&mut self.code, outer), result)
    }

    /// A label nobody has yet.
    pub fn new_label(&mut self) -> BlockLabel {
        self.next_label += 1;
        self.next_label
    }

    /// Runs `lower` with `span` as the current statement's place; temporaries made meanwhile are
    /// free again afterwards.
    pub fn statement_scope<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        let source = self.source(span);
        let outer = std::mem::replace(&mut self.current_source, source);
        let outer_span = std::mem::replace(&mut self.current_span, span);
        let mark = self.used_temporaries.len();
        let result = lower(self);
        for (ty, field) in self.used_temporaries.drain(mark..) {
            self.free_temporaries.entry(ty).or_default().push(field);
        }
        self.current_source = outer;
        self.current_span = outer_span;
        result
    }

    /// The place of the current statement.
    pub fn here(&self) -> Source {
        self.current_source.clone()
    }

    /// A source position for the output.
    pub fn source(&mut self, span: Span) -> Source {
        if let Some(known) = self.source_cache.get(&span) {
            return known.clone();
        }
        let position = self.sources.position(span);
        let text = self.sources.text(span);
        let first = text.lines().next().unwrap_or("");
        let fragment: String = first.chars().take(FRAGMENT_CHARS).collect();
        let file = self.file_names.entry(span.file.0).or_insert(position.file.clone());
        let info = SourceInfo {
            file: if *file == position.file { file.clone() } else { position.file },
            line: position.line,
            column: position.column,
            fragment: fragment.into(),
        };
        let source = Some(Rc::new(info));
        self.source_cache.insert(span, source.clone());
        source
    }

    // Names --------------------------------------------------------------------------------

    /// `base`, or `base_0`, `base_1`, …
    pub fn unique(taken: &mut HashSet<String>, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 0;
        while !taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// A name for a header instance, stack, union or scalar.
    pub fn unique_instance(&mut self, base: &str) -> String {
        Self::unique(&mut self.instance_names, base)
    }

    // Types --------------------------------------------------------------------------------

    /// How a simple type is represented; `None` for all others.
    pub fn scalar_type(&self, ty: &Type) -> Option<Ty> {
        match self.typed.representation(ty) {
            Type::Bool => Some(Ty::Bool),
            Type::Bit(width) => Some(Ty::bit(width)),
            Type::Int(width) => Some(Ty::Bits { width, signed: true }),
            Type::Error | Type::Enum(_) => Some(Ty::bit(32)),
            _ => None,
        }
    }

    /// The layout of a header type.
    pub fn header_type(&mut self, id: StructId) -> HeaderTypeId {
        if let Some(known) = self.header_types.get(&id) {
            return *known;
        }
        let declared = &self.typed[id];
        let mut fields = vec![];
        self.header_fields("", &declared.fields, &mut fields);
        let bits: u32 = fields.iter().map(|f: &Field| f.width.max_bits()).sum();
        if !bits.is_multiple_of(8) {
            let message = format!("header '{}' has {bits} bits; BMv2 needs headers of whole bytes", declared.name);
            self.error(declared.span, message);
        }
        let varbits = fields.iter().filter(|f| matches!(f.width, FieldWidth::Varbit(_)));
        if varbits.count() > 1 {
            let message = format!("header '{}' has more than one varbit field", declared.name);
            self.error(declared.span, message);
        }
        let name = control_plane_name(&declared.annotations, &declared.name);
        let name = Self::unique(&mut self.type_names, &name);
        let result = self.ir.storage.add_header_type(HeaderType { name, fields, metadata: false });
        self.header_types.insert(id, result);
        result
    }

    /// Flattens the fields of a header (which may contain structures).
    pub fn header_fields(&mut self, prefix: &str, fields: &[typed::Field], out: &mut Vec<Field>) {
        for field in fields {
            let name = format!("{prefix}{}", control_plane_name(&field.annotations, &field.name));
            let (width, signed) = match self.typed.representation(&field.ty) {
                Type::Struct(id) => {
                    let inner = self.typed[id].fields.clone();
                    self.header_fields(&format!("{name}."), &inner, out);
                    continue;
                }
                Type::Varbit(width) => (FieldWidth::Varbit(width), false),
                other => match self.scalar_type(&other) {
                    Some(ty) => (FieldWidth::Bits(ty.width()), ty.is_signed()),
                    None => continue,
                },
            };
            out.push(Field { name, width, signed });
        }
    }

    /// The member names and layouts of a header union.
    pub fn union_type(&mut self, id: StructId) -> UnionTypeId {
        if let Some(known) = self.union_types.get(&id) {
            return *known;
        }
        let declared = &self.typed[id];
        let mut members = vec![];
        for field in &declared.fields {
            if let Type::Header(header) = field.ty {
                members.push((field.name.to_string(), self.header_type(header)));
            }
        }
        let name = Self::unique(&mut self.type_names, &declared.name);
        self.ir.storage.union_types.push(UnionType { name, members });
        let result = UnionTypeId::from_index(self.ir.storage.union_types.len() - 1);
        self.union_types.insert(id, result);
        result
    }
}

/// The value of `@name`, or the declared name.
pub fn control_plane_name(annotations: &[typed::Annotation], declared: &str) -> String {
    let name = typed::find_annotation(annotations, "name").and_then(typed::Annotation::string);
    name.unwrap_or(declared).trim_start_matches('.').to_owned()
}
