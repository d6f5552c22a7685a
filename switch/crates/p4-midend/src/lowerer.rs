//! The state of the lowering, and the small things everybody needs: emitting, messages, types.

use crate::blocks::context::Context;
use crate::calls::bindings::Bindings;
use crate::calls::effects::Effects;
use crate::calls::reads::Reads;
use crate::code::emitter::Emitter;
use crate::code::enclosing::Enclosing;
use crate::code::growth::Growth;
use crate::code::source_index::SourceIndex;
use crate::code::structured::{BlockLabel, Code};
use crate::control_plane::names::{Names, control_plane_name};
use crate::control_plane::visible::Visible;
use crate::parsers::value_sets::ValueSets;
use crate::storage::layouts::Layouts;
use crate::storage::temporaries::Temporaries;
use crate::tables::{direct_meters::DirectMeters, state::Tables};
use p4_ir::expr::Ty;
use p4_ir::ops::Op;
use p4_ir::storage::{Field, FieldRef, FieldWidth, HeaderType, HeaderTypeId, UnionType, UnionTypeId};
use p4_ir::{Program, Source};
use p4_syntax::{Diagnostics, Kind, SourceMap, Span};
use p4_types::typed::{self, StructId, Type};

/// Lowers one program.
pub struct Lowerer<'a> {
    /// The typed program.
    pub(crate) typed: &'a typed::Program,
    /// For source positions.
    pub(crate) sources: &'a SourceMap,
    /// For messages.
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// What the caller chose.
    pub(crate) settings: crate::Settings,
    /// What has been made so far.
    pub(crate) ir: Program,
    /// Instances of parsers and controls; number 0 is the program itself.
    pub(crate) contexts: Vec<Context>,
    /// What bodies write.
    pub(crate) effects: Effects,
    /// What actions read.
    pub(crate) reads: Reads,
    /// Where emitted code goes.
    pub(crate) emitter: Emitter,
    /// How large it becomes.
    pub(crate) growth: Growth,
    /// Where in the program the lowering is.
    pub(crate) enclosing: Enclosing,
    /// What names stand for.
    pub(crate) bindings: Bindings,
    /// Tables, actions and action profiles.
    pub(crate) tables: Tables,
    /// Direct meters.
    pub(crate) direct_meters: DirectMeters,
    /// Value sets of parsers.
    pub(crate) value_sets: ValueSets,
    /// What an action sets that exits within calls that copy out.
    pub(crate) exit_flag: Option<FieldRef>,
    /// What the control plane gets to see besides tables.
    pub(crate) visible: Visible,
    /// How types and variables are laid out.
    pub(crate) layouts: Layouts,
    /// Names that are taken.
    pub(crate) names: Names,
    /// Storage that is used again.
    pub(crate) temporaries: Temporaries,
    source_index: SourceIndex,
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
        let mut names = Names::default();
        let (scalars_type, scalars) = (names.new_type("scalars_0"), names.new_instance("scalars"));
        let header_type = HeaderType { name: scalars_type, fields: vec![], metadata: true };
        let header_type = ir.storage.add_header_type(header_type);
        ir.storage.scalars = Some(ir.storage.add_header(scalars, header_type, true));
        Self {
            typed,
            sources,
            diagnostics,
            settings: crate::Settings::default(),
            ir,
            contexts: vec![Context::program()],
            effects: Effects::default(),
            reads: Reads::default(),
            emitter: Emitter::default(),
            growth: Growth::default(),
            enclosing: Enclosing::default(),
            bindings: Bindings::default(),
            tables: Tables::default(),
            direct_meters: DirectMeters::default(),
            value_sets: ValueSets::default(),
            exit_flag: None,
            visible: Visible::default(),
            layouts: Layouts::default(),
            names,
            temporaries: Temporaries::default(),
            source_index: SourceIndex::default(),
        }
    }

    /// The program, unless something was wrong.
    pub fn finish(self) -> Option<Program> {
        (!self.diagnostics.has_errors()).then_some(self.ir)
    }

    /// Reports an error of the kind that most are here: the target cannot do it.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.error_of(Kind::Target, span, message);
    }

    /// Reports an error. Of a program that is too large only that is said, since what follows from it is no fault.
    pub fn error_of(&mut self, kind: Kind, span: Span, message: impl Into<String>) {
        if !self.growth.is_refused() {
            self.diagnostics.error_of(kind, span, message);
        }
    }

    // Code ---------------------------------------------------------------------------------

    /// Emits an operation of the current statement.
    pub fn emit(&mut self, op: Op) {
        self.emitter.emit(op);
    }

    /// Runs `lower` and returns the code it emitted.
    pub fn capture<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<Code>, T) {
        let outer = self.emitter.replace_code(vec![]);
        let result = lower(self);
        (self.emitter.replace_code(outer), result)
    }

    /// A label nobody has yet.
    pub fn new_label(&mut self) -> BlockLabel {
        self.emitter.new_label()
    }

    /// Runs `lower` with `span` as the current statement's place; temporaries made meanwhile are
    /// free again afterwards.
    pub fn statement_scope<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        let source = self.source(span);
        let outer = self.emitter.replace_place(source, span);
        let mark = self.temporaries.mark();
        let result = lower(self);
        self.temporaries.release(mark);
        self.emitter.replace_place(outer.0, outer.1);
        result
    }

    /// The place of the current statement.
    pub fn here(&self) -> Source {
        self.emitter.source()
    }

    /// A source position for the output.
    pub fn source(&mut self, span: Span) -> Source {
        self.source_index.source(self.sources, span)
    }

    /// A name for a header instance, stack, union or scalar.
    pub fn unique_instance(&mut self, base: &str) -> String {
        self.names.new_instance(base)
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
        if let Some(known) = self.layouts.header_types.get(&id) {
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
            self.error_of(Kind::Unsupported, declared.span, message);
        }
        let name = control_plane_name(&declared.annotations, &declared.name);
        let name = self.names.new_type(&name);
        let result = self.ir.storage.add_header_type(HeaderType { name, fields, metadata: false });
        self.layouts.header_types.insert(id, result);
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
        if let Some(known) = self.layouts.union_types.get(&id) {
            return *known;
        }
        let declared = &self.typed[id];
        let mut members = vec![];
        for field in &declared.fields {
            if let Type::Header(header) = field.ty {
                members.push((field.name.to_string(), self.header_type(header)));
            }
        }
        let name = self.names.new_type(&declared.name);
        self.ir.storage.union_types.push(UnionType { name, members });
        let result = UnionTypeId::from_index(self.ir.storage.union_types.len() - 1);
        self.layouts.union_types.insert(id, result);
        result
    }
}
