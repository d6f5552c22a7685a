//! The type checker: syntax tree in, typed program out.
//!
//! It walks the declarations once, in source order (P4 wants names declared before use). Names live in a stack
//! of scopes ([`scope`]); generic functions and structures are kept as templates and checked again for each set
//! of type arguments. Where something is wrong, a message is given and [`Type::Unknown`] goes on in its place,
//! which is compatible with everything, so that one mistake gives one message.

mod annotation;
mod arguments;
mod big_integers;
mod builtin;
mod calls;
mod coerce;
mod declare;
mod divisions;
mod expr;
mod functions;
mod generic_objects;
mod generics;
mod instances;
mod literals;
mod loops;
mod lvalue;
mod members;
mod objects;
mod operators;
mod parsers;
mod scope;
mod sets;
mod stmt;
mod switch;
mod table_entries;
mod tables;
mod templates;
mod type_sizes;
mod types;

use crate::typed::{ErrorId, Expr, ExprKind, InstanceId, Local, Program, Span, StructId, Type, TypeVarId, Value};
use p4_syntax::{Diagnostic, Diagnostics, Kind, ast};
use scope::Scopes;
use std::collections::HashMap;
use std::rc::Rc;
use templates::{FunctionTemplate, StructTemplate};

/// The kind of body that the checker is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Outside of bodies.
    TopLevel,
    Function,
    Action,
    /// Local declarations and `apply` of a control.
    Control,
    /// Local declarations and states of a parser.
    Parser,
}

/// The checker's knowledge of the body that it is in.
#[derive(Debug)]
struct Context {
    place: Place,
    /// The type that `return` has to give.
    result: Type,
    /// Number of loops around.
    loops: usize,
    /// The instance that `this` stands for.
    this: Option<InstanceId>,
    /// Instances without declaration that belong to the container.
    extra_locals: Vec<Local>,
}

impl Context {
    fn new(place: Place) -> Self {
        Self { place, result: Type::Void, loops: 0, this: None, extra_locals: Vec::new() }
    }
}

/// The checker.
struct Checker<'a> {
    diagnostics: &'a mut Diagnostics,
    program: Program,
    scopes: Scopes,
    context: Context,
    function_templates: Vec<FunctionTemplate<'a>>,
    struct_templates: Vec<StructTemplate<'a>>,
    /// Which structures come from which template.
    template_of: HashMap<u32, usize>,
    /// How many values are in a structure.
    struct_sizes: HashMap<StructId, u64>,
    /// Generic parsers and controls, by the type of their first check.
    generic_objects: HashMap<Type, generic_objects::GenericObject<'a>>,
    /// Further parsers, controls and packages of the same name, told apart by their constructor's parameters.
    alternatives: HashMap<Type, Vec<Type>>,
    /// Of which generic parser or control, with which type arguments, a type is.
    object_args: HashMap<Type, (Type, Vec<Type>)>,
    type_var_names: Vec<Rc<str>>,
    /// Functions being checked, innermost last, so that recursion is found.
    active_functions: Vec<usize>,
    /// The types whose declarations are being read, which they cannot use themselves.
    declaring: Vec<(Rc<str>, Span)>,
}

/// Checks a program; the result is `None` if there are errors.
pub fn check(tree: &ast::Program, diagnostics: &mut Diagnostics) -> Option<Program> {
    let mut checker = Checker {
        diagnostics,
        program: Program::default(),
        scopes: Scopes::new(),
        context: Context::new(Place::TopLevel),
        function_templates: Vec::new(),
        struct_templates: Vec::new(),
        template_of: HashMap::new(),
        struct_sizes: HashMap::new(),
        generic_objects: HashMap::new(),
        alternatives: HashMap::new(),
        object_args: HashMap::new(),
        type_var_names: Vec::new(),
        active_functions: Vec::new(),
        declaring: Vec::new(),
    };
    for declaration in &tree.declarations {
        if checker.diagnostics.is_full() {
            break;
        }
        checker.top_level(declaration);
    }
    checker.find_main();
    checker.refuse_divisions();
    let failed = checker.diagnostics.has_errors();
    (!failed).then_some(checker.program)
}

impl<'a> Checker<'a> {
    /// Reports an error of the kind that most are here.
    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.error_of(Kind::TypeError, span, message)
    }

    fn error_of(&mut self, kind: Kind, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error_of(kind, span, message)
    }

    /// An expression that stands for something wrong, after a message.
    fn wrong(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Invalidated, ty: Type::Unknown, span }
    }

    fn literal(&self, value: Value, ty: Type, span: Span) -> Expr {
        Expr { kind: ExprKind::Literal(value), ty, span }
    }

    fn new_type_var(&mut self, name: &Rc<str>) -> TypeVarId {
        let id = TypeVarId(u32::try_from(self.type_var_names.len()).unwrap_or(u32::MAX));
        self.type_var_names.push(name.clone());
        id
    }

    /// Runs `work` in a new scope.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push();
        let result = work(self);
        self.scopes.pop();
        result
    }

    /// Runs `work` in another context; gives it back together with the result.
    fn in_context<T>(&mut self, context: Context, work: impl FnOnce(&mut Self) -> T) -> (T, Context) {
        let before = std::mem::replace(&mut self.context, context);
        let result = work(self);
        let used = std::mem::replace(&mut self.context, before);
        (result, used)
    }

    fn error_named(&self, name: &str) -> Option<ErrorId> {
        self.program.errors.iter().position(|item| &*item.name == name).map(ErrorId::from_index)
    }

    /// `main` has to be an instance of a package, if it is declared.
    fn find_main(&mut self) {
        let Some(entry) = self.scopes.find_global("main") else {
            return;
        };
        let span = entry.span;
        match entry.symbol.clone() {
            scope::Symbol::Instance(id) if matches!(self.program[id].ty, Type::Package(..)) => {
                self.program.main = Some(id);
            }
            scope::Symbol::Wrong => {}
            _ => {
                self.error_of(Kind::Invalid, span, "'main' must be an instance of a package");
            }
        }
    }
}
