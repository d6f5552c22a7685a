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
use crate::control_plane::names::Taken;
use crate::control_plane::types::TypeSpecs;
use crate::control_plane::visible::Visible;
use crate::messages::Messages;
use crate::parsers::value_sets::ValueSets;
use crate::storage::allocation::Storage;
use crate::tables::{direct_meters::DirectMeters, state::Tables};
use p4_ir::expr::Expr;
use p4_ir::ops::Op;
use p4_ir::storage::FieldRef;
use p4_ir::{Program, Source};
use p4_syntax::{Diagnostics, Kind, SourceMap, Span};
use p4_types::typed;
use std::rc::Rc;

/// Lowers one program.
pub struct Lowerer<'a> {
    /// The typed program.
    pub(crate) typed: &'a typed::Program,
    /// For source positions.
    pub(crate) sources: &'a SourceMap,
    /// For messages.
    pub(crate) messages: Rc<Messages<'a>>,
    /// The choices of the caller.
    pub(crate) settings: crate::Settings,
    /// The program made so far.
    pub(crate) ir: Program,
    /// Instances of parsers and controls; number 0 is the program itself.
    pub(crate) contexts: Vec<Context>,
    /// The variables that bodies write.
    pub(crate) effects: Effects,
    /// The variables that actions read.
    pub(crate) reads: Reads,
    /// Where emitted code goes.
    pub(crate) emitter: Emitter,
    /// How large the program becomes.
    pub(crate) growth: Growth,
    /// Where in the program the lowering is.
    pub(crate) enclosing: Enclosing,
    /// The places, values and objects that names stand for.
    pub(crate) bindings: Bindings,
    /// Tables, actions and action profiles.
    pub(crate) tables: Tables,
    /// Direct meters.
    pub(crate) direct_meters: DirectMeters,
    /// Value sets of parsers.
    pub(crate) value_sets: ValueSets,
    /// The flag that an action sets when it exits within calls that copy out.
    pub(crate) exit_flag: Option<FieldRef>,
    /// The objects that the control plane gets to see besides tables.
    pub(crate) visible: Visible,
    /// Headers, variables and the like, and how types are laid out.
    pub(crate) storage: Storage<'a>,
    /// Types that the control plane knows.
    pub(crate) type_specs: TypeSpecs<'a>,
    /// Names of tables, conditionals and so on that are taken.
    pub(crate) node_names: Taken,
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
        let messages = Rc::new(Messages::new(diagnostics));
        Self {
            typed,
            sources,
            messages: Rc::clone(&messages),
            settings: crate::Settings::default(),
            ir: Program { file: file.to_owned(), ..Program::default() },
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
            storage: Storage::new(typed, messages),
            type_specs: TypeSpecs::new(typed, sources),
            node_names: Taken::default(),
            source_index: SourceIndex::default(),
        }
    }

    /// The program, unless something was wrong.
    pub fn finish(mut self) -> Option<Program> {
        for (declared, layout) in self.storage.declared_header_types() {
            let source = self.source(self.typed[declared].span);
            self.storage.program.header_types[layout.index()].source = source;
        }
        let mut program = self.ir;
        program.storage = self.storage.program;
        program.control_plane.types = self.type_specs.types;
        (!self.messages.has_errors()).then_some(program)
    }

    /// Reports an error of the kind that most are here: the target cannot do it.
    pub fn error(&self, span: Span, message: impl Into<String>) {
        self.messages.error(span, message);
    }

    /// Reports an error.
    pub fn error_of(&self, kind: Kind, span: Span, message: impl Into<String>) {
        self.messages.error_of(kind, span, message);
    }

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
        let mark = self.storage.temporaries.mark();
        let result = lower(self);
        self.storage.temporaries.release(mark);
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

    /// Saves a value in a temporary.
    pub fn save(&mut self, value: Expr) -> Expr {
        if value.as_const().is_some() || value.as_bool().is_some() {
            return value;
        }
        let ty = value.ty;
        let field = self.storage.temporary(ty);
        self.emit(Op::Assign(field, value));
        Expr::field(field, ty)
    }
}
