//! Names and their meanings.

use crate::typed::{
    ActionId, ApplyTypeId, ControlId, ExternFunctionId, ExternId, InstanceId, PackageId, ParserId, Span, TableId, Type,
    ValueSetId, VarId,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A type that needs nothing more: structures, enumerations, aliases, type parameters.
    Type(Type),
    /// A generic structure.
    StructTemplate(usize),
    /// An extern object type.
    Extern(ExternId),
    /// A parser.
    Parser(ParserId),
    /// A control.
    Control(ControlId),
    /// A parser or control type.
    ApplyType(ApplyTypeId),
    /// A package type.
    Package(PackageId),
    /// A variable, parameter or constant.
    Variable(VarId),
    /// An instance.
    Instance(InstanceId),
    /// An action.
    Action(ActionId),
    /// A table.
    Table(TableId),
    /// Functions of one name.
    Functions(Vec<FunctionSymbol>),
    /// A value set.
    ValueSet(ValueSetId),
    /// A name whose declaration was wrong.
    Wrong,
}

/// One of several functions with one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionSymbol {
    /// With a body.
    Template(usize),
    /// Extern.
    Extern(ExternFunctionId),
}

impl Symbol {
    /// The words for it in a message.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Type(_) | Self::StructTemplate(_) => "a type",
            Self::Extern(_) => "an extern type",
            Self::Parser(_) => "a parser",
            Self::Control(_) => "a control",
            Self::ApplyType(_) => "a parser or control type",
            Self::Package(_) => "a package type",
            Self::Variable(_) => "a variable",
            Self::Instance(_) => "an instance",
            Self::Action(_) => "an action",
            Self::Table(_) => "a table",
            Self::Functions(_) => "a function",
            Self::ValueSet(_) => "a value set",
            Self::Wrong => "something wrong",
        }
    }
}

/// A symbol and where it was declared.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) symbol: Symbol,
    pub(super) span: Span,
}

/// The stack of scopes; the first is that of the top level.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<HashMap<Rc<str>, Entry>>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self { stack: vec![HashMap::new()] }
    }

    pub(super) fn push(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    /// Leaves only the top level visible; [`Scopes::restore`] brings the rest back.
    pub(super) fn set_aside(&mut self) -> Vec<HashMap<Rc<str>, Entry>> {
        self.stack.split_off(1)
    }

    pub(super) fn restore(&mut self, inner: Vec<HashMap<Rc<str>, Entry>>) {
        self.stack.truncate(1);
        self.stack.extend(inner);
    }

    /// The innermost symbol of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The symbol of that name at the top level.
    pub(super) fn find_global(&self, name: &str) -> Option<&Entry> {
        self.stack.first().and_then(|scope| scope.get(name))
    }

    /// The symbol of that name in the innermost scope.
    pub(super) fn find_here(&self, name: &str) -> Option<&Entry> {
        self.stack.last().and_then(|scope| scope.get(name))
    }

    /// Enters a name into the innermost scope.
    pub(super) fn insert(&mut self, name: Rc<str>, symbol: Symbol, span: Span) {
        if let Some(scope) = self.stack.last_mut() {
            scope.insert(name, Entry { symbol, span });
        }
    }

    /// All names that are visible.
    pub(super) fn visible_names(&self) -> impl Iterator<Item = &Rc<str>> {
        self.stack.iter().flat_map(HashMap::keys)
    }
}
