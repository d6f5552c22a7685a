//! The names of a program: every declaration, and where its name can be used.
//!
//! It is made from the syntax tree alone, so that it is there for programs with errors too.

use p4_syntax::ast::{
    Block, Declaration, FunctionDecl, Ident, ParameterDecl, PropertyValue, Statement, StatementKind, StructKind, Type,
    TypeKind,
};
use p4_syntax::{FileId, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// Position of a declaration in [`Index::declarations`].
pub type DeclarationId = usize;
/// Position of a scope in [`Index::scopes`]; 0 is that of the top level.
pub type ScopeId = usize;

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Header,
    Struct,
    Union,
    Field,
    Enum,
    Member,
    Error,
    Match,
    Typedef,
    Extern,
    Method,
    Constructor,
    Function,
    Action,
    Parser,
    State,
    Control,
    Package,
    Table,
    Instance,
    Variable,
    Parameter,
    Constant,
    ValueSet,
    TypeParameter,
}

impl Kind {
    /// Does its declaration end with a body in braces (or with `;`)?
    pub fn has_body(self) -> bool {
        use Kind::{Action, Control, Enum, Extern, Function, Header, Method, Parser, State, Struct, Table, Union};
        matches!(
            self,
            Action | Control | Enum | Extern | Function | Header | Method | Parser | State | Struct | Table | Union
        )
    }
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name.
    pub name: Rc<str>,
    /// The kind of its declaration.
    pub kind: Kind,
    /// The name in the declaration.
    pub span: Span,
    /// Its type, or the type of its result.
    pub ty: Option<Type>,
    /// The scope that the type's names are looked up in.
    pub scope: ScopeId,
    /// Its type parameters.
    pub type_params: Vec<Rc<str>>,
    /// The declarations in it: fields, members, methods, parameters, local declarations.
    pub inner: Vec<DeclarationId>,
    /// The declaration that it is in.
    pub outer: Option<DeclarationId>,
}

/// Where names can be used.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The scope around it; none of the top level.
    pub around: Option<ScopeId>,
    /// Its names, in order.
    pub names: Vec<DeclarationId>,
    /// The pieces of files that it covers; a body may go on in an included file.
    ranges: HashMap<FileId, (u32, u32)>,
}

/// All names of a program.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// All declarations.
    pub declarations: Vec<Named>,
    /// All scopes.
    pub scopes: Vec<Scope>,
}

impl Index {
    /// The names of a program.
    pub fn new(program: &p4_syntax::ast::Program) -> Self {
        let mut builder = Builder { index: Self::default(), open: vec![0], inside: None };
        builder.index.scopes.push(Scope::default());
        program.declarations.iter().for_each(|declaration| builder.declaration(declaration));
        builder.index
    }

    /// The innermost scope around a place.
    pub fn scope_at(&self, file: FileId, offset: usize) -> ScopeId {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let size = |scope: &Scope| {
            let (start, end) = *scope.ranges.get(&file)?;
            (start <= offset && offset <= end).then_some(end - start)
        };
        let sizes = self.scopes.iter().enumerate().skip(1).filter_map(|(id, scope)| Some((size(scope)?, id)));
        // Of two that cover the same, the later one is inside the other.
        sizes.min_by_key(|(size, id)| (*size, usize::MAX - id)).map_or(0, |(_, id)| id)
    }

    /// A scope and those around it, the innermost first.
    pub fn around(&self, scope: ScopeId) -> impl Iterator<Item = &Scope> {
        std::iter::successors(self.scopes.get(scope), |scope| self.scopes.get(scope.around?))
    }

    /// The declaration of a name as it is seen in a scope.
    pub fn find(&self, name: &str, scope: ScopeId) -> Option<DeclarationId> {
        self.around(scope).find_map(|scope| self.find_in(&scope.names, name))
    }

    /// The last declaration of that name in a list.
    pub fn find_in(&self, list: &[DeclarationId], name: &str) -> Option<DeclarationId> {
        list.iter().rev().copied().find(|id| &*self.declarations[*id].name == name)
    }

    /// The declaration whose name stands at a place.
    pub fn declared_at(&self, file: FileId, start: usize) -> Option<DeclarationId> {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        self.declarations.iter().position(|named| named.span.file == file && named.span.start == start)
    }
}

struct Builder {
    index: Index,
    /// The scopes that are open, the innermost last.
    open: Vec<ScopeId>,
    /// The declaration that is being read.
    inside: Option<DeclarationId>,
}

impl Builder {
    fn add(&mut self, name: &Ident, kind: Kind, ty: Option<&Type>) -> DeclarationId {
        let id = self.index.declarations.len();
        let scope = self.open.last().copied().unwrap_or(0);
        self.index.declarations.push(Named {
            name: name.name.clone(),
            kind,
            span: name.span,
            ty: ty.cloned(),
            scope,
            type_params: Vec::new(),
            inner: Vec::new(),
            outer: self.inside,
        });
        if let Some(outer) = self.inside {
            self.index.declarations[outer].inner.push(id);
        }
        self.touch(name.span);
        ty.iter().for_each(|ty| self.touch(ty.span));
        id
    }

    /// Adds a declaration whose name can be used in the innermost scope.
    fn name(&mut self, name: &Ident, kind: Kind, ty: Option<&Type>) -> DeclarationId {
        let id = self.add(name, kind, ty);
        if let Some(scope) = self.open.last() {
            self.index.scopes[*scope].names.push(id);
        }
        id
    }

    /// All open scopes cover that.
    fn touch(&mut self, span: Span) {
        for scope in self.open.iter().skip(1) {
            let range = self.index.scopes[*scope].ranges.entry(span.file).or_insert((span.start, span.end));
            *range = (range.0.min(span.start), range.1.max(span.end));
        }
    }

    fn scoped(&mut self, work: impl FnOnce(&mut Self)) {
        let scope = Scope { around: self.open.last().copied(), ..Scope::default() };
        self.index.scopes.push(scope);
        self.open.push(self.index.scopes.len() - 1);
        work(self);
        self.open.pop();
    }

    /// Reads what is in a declaration.
    fn within(&mut self, id: DeclarationId, type_params: &[Ident], work: impl FnOnce(&mut Self)) {
        let outer = self.inside.replace(id);
        self.index.declarations[id].type_params = type_params.iter().map(|name| name.name.clone()).collect();
        self.scoped(|this| {
            let span = this.index.declarations[id].span;
            this.touch(span);
            type_params.iter().for_each(|name| {
                this.name(name, Kind::TypeParameter, None);
            });
            // The declaration's own type may use its type parameters.
            if !type_params.is_empty() {
                this.index.declarations[id].scope = this.open.last().copied().unwrap_or(0);
            }
            work(this);
        });
        self.inside = outer;
    }

    fn parameters(&mut self, params: &[ParameterDecl]) {
        for param in params {
            self.name(&param.name, Kind::Parameter, Some(&param.ty));
        }
    }

    fn function(&mut self, decl: &FunctionDecl, kind: Kind) {
        let id = match kind {
            Kind::Method | Kind::Constructor => self.add(&decl.name, kind, decl.result.as_ref()),
            _ => self.name(&decl.name, kind, decl.result.as_ref()),
        };
        self.within(id, &decl.type_params, |this| {
            this.parameters(&decl.params);
            decl.body.iter().for_each(|body| this.block(body));
        });
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Constant(decl) => {
                self.name(&decl.name, Kind::Constant, Some(&decl.ty));
                self.touch(decl.value.span);
            }
            Declaration::Instance(decl) => {
                let id = self.name(&decl.name, Kind::Instance, Some(&decl.ty));
                if let Some(inner) = &decl.initializer {
                    self.within(id, &[], |this| inner.iter().for_each(|part| this.declaration(part)));
                }
            }
            Declaration::Variable(decl) => {
                self.name(&decl.name, Kind::Variable, Some(&decl.ty));
                decl.value.iter().for_each(|value| self.touch(value.span));
            }
            Declaration::Errors(names) => names.iter().for_each(|name| {
                self.add(name, Kind::Error, None);
            }),
            Declaration::MatchKinds(names) => names.iter().for_each(|name| {
                self.add(name, Kind::Match, None);
            }),
            Declaration::Struct(decl) => {
                let kind = match decl.kind {
                    StructKind::Struct => Kind::Struct,
                    StructKind::Header => Kind::Header,
                    StructKind::Union => Kind::Union,
                };
                let id = self.name(&decl.name, kind, None);
                self.within(id, &decl.type_params, |this| {
                    decl.fields.iter().for_each(|field| {
                        this.add(&field.name, Kind::Field, Some(&field.ty));
                    });
                });
            }
            Declaration::Enum(decl) => {
                let id = self.name(&decl.name, Kind::Enum, decl.underlying.as_ref());
                self.within(id, &[], |this| {
                    decl.members.iter().for_each(|member| {
                        this.add(&member.name, Kind::Member, None);
                    });
                });
            }
            Declaration::Typedef(decl) => {
                decl.inner.iter().for_each(|inner| self.declaration(inner));
                self.name(&decl.name, Kind::Typedef, Some(&decl.ty));
            }
            Declaration::Extern(decl) => {
                if decl.is_forward && self.index.find(&decl.name.name, 0).is_some() {
                    return;
                }
                let id = self.name(&decl.name, Kind::Extern, None);
                self.within(id, &decl.type_params, |this| {
                    for method in &decl.methods {
                        let kind = if method.result.is_some() { Kind::Method } else { Kind::Constructor };
                        this.function(method, kind);
                    }
                });
            }
            Declaration::ExternFunction(decl) | Declaration::Function(decl) => self.function(decl, Kind::Function),
            Declaration::Action(decl) => {
                let id = self.name(&decl.name, Kind::Action, None);
                self.within(id, &[], |this| {
                    this.parameters(&decl.params);
                    this.block(&decl.body);
                });
            }
            Declaration::Parser(decl) => {
                let id = self.name(&decl.name, Kind::Parser, None);
                self.within(id, &decl.type_params, |this| {
                    this.parameters(&decl.params);
                    let Some(body) = &decl.body else { return };
                    this.parameters(&body.constructor_params);
                    body.locals.iter().for_each(|local| this.declaration(local));
                    for state in &body.states {
                        let id = this.name(&state.name, Kind::State, None);
                        this.touch(state.span);
                        this.within(id, &[], |this| {
                            this.touch(state.span);
                            state.statements.iter().for_each(|statement| this.statement(statement));
                        });
                    }
                });
            }
            Declaration::Control(decl) => {
                let id = self.name(&decl.name, Kind::Control, None);
                self.within(id, &decl.type_params, |this| {
                    this.parameters(&decl.params);
                    let Some(body) = &decl.body else { return };
                    this.parameters(&body.constructor_params);
                    body.locals.iter().for_each(|local| this.declaration(local));
                    this.block(&body.apply);
                });
            }
            Declaration::Package(decl) => {
                let id = self.name(&decl.name, Kind::Package, None);
                self.within(id, &decl.type_params, |this| this.parameters(&decl.params));
            }
            Declaration::Table(decl) => {
                self.name(&decl.name, Kind::Table, None);
                for property in &decl.properties {
                    self.touch(property.span);
                    if let PropertyValue::Keys(keys) = &property.value {
                        keys.iter().for_each(|key| self.touch(key.value.span));
                    }
                }
            }
            Declaration::ValueSet(decl) => {
                self.name(&decl.name, Kind::ValueSet, Some(&decl.element));
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|this| {
            this.touch(block.span);
            block.statements.iter().for_each(|statement| this.statement(statement));
        });
    }

    fn statement(&mut self, statement: &Statement) {
        self.touch(statement.span);
        match &statement.kind {
            StatementKind::Variable(decl) => {
                self.name(&decl.name, Kind::Variable, Some(&decl.ty));
            }
            StatementKind::Constant(decl) => {
                self.name(&decl.name, Kind::Constant, Some(&decl.ty));
            }
            StatementKind::Instance(decl) => {
                self.name(&decl.name, Kind::Instance, Some(&decl.ty));
            }
            StatementKind::If { yes, no, .. } => {
                self.statement(yes);
                no.iter().for_each(|no| self.statement(no));
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Switch { cases, .. } => {
                cases.iter().filter_map(|case| case.body.as_ref()).for_each(|body| self.block(body));
            }
            StatementKind::For { init, update, body, .. } => self.scoped(|this| {
                this.touch(statement.span);
                init.iter().chain(update).for_each(|part| this.statement(part));
                this.statement(body);
            }),
            StatementKind::ForIn { ty, variable, body, .. } => self.scoped(|this| {
                this.touch(statement.span);
                if let Some(ty) = ty {
                    this.name(variable, Kind::Variable, Some(ty));
                }
                this.statement(body);
            }),
            StatementKind::Assign { .. }
            | StatementKind::Call(_)
            | StatementKind::DirectApply { .. }
            | StatementKind::Return(_)
            | StatementKind::Exit
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Empty => {}
        }
    }
}

/// The name that a type is written with, if it is one.
pub fn type_name(ty: &Type) -> Option<(&str, &[Type])> {
    match &ty.kind {
        TypeKind::Name(path) => Some((&path.name.name, &[])),
        TypeKind::Specialized(path, args) => Some((&path.name.name, args)),
        _ => None,
    }
}
