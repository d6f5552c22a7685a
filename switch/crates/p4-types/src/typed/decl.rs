//! Declarations.

use super::{
    ActionId, ApplyTypeId, Argument, Block, ControlId, Direction, Expr, ExternId, FunctionId, InstanceId, KeySet,
    MatchKindId, PackageId, ParserId, Span, Statement, TableId, Type, TypeVarId, Value, ValueSetId, VarId,
};
use num_bigint::BigInt;
use std::rc::Rc;

/// An annotation, as `@name`, `@name(…)` or `@name[…]`.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Its name, without `@`.
    pub name: Rc<str>,
    /// Its contents.
    pub body: AnnotationBody,
    /// The tokens in its parentheses as they are written, with a space between them.
    pub text: Option<Rc<str>>,
    /// Where it is.
    pub span: Span,
}

/// The contents of an annotation.
#[derive(Clone, Debug)]
pub enum AnnotationBody {
    /// Nothing.
    Empty,
    /// `@a(v, …)` where all parts are literals or known values, or `@a[v, …]`.
    Values(Vec<Value>),
    /// `@a[key=v, …]`, or `@a(key=v, …)`.
    Pairs(Vec<(Rc<str>, Value)>),
    /// Any other `@a(…)`: the text between the parentheses, tokens separated by one space where the source
    /// has space.
    Tokens(Rc<str>),
}

impl Annotation {
    /// The only value, if it is a string (`@name("x")`); strings written one after the other are joined.
    pub fn string(&self) -> Option<&str> {
        match &self.body {
            AnnotationBody::Values(values) => match values.as_slice() {
                [Value::String(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The only value, if it is a number (`@id(7)`).
    pub fn number(&self) -> Option<&BigInt> {
        match &self.body {
            AnnotationBody::Values(values) => match values.as_slice() {
                [Value::Int(number)] => Some(number),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The annotation with that name, the last if there are several.
pub fn find_annotation<'a>(list: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    list.iter().find(|item| &*item.name == name)
}

/// A variable, parameter or constant.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: Rc<str>,
    /// Its type.
    pub ty: Type,
    /// Its kind.
    pub kind: VariableKind,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// The kind of a variable.
#[derive(Clone, Debug)]
pub enum VariableKind {
    /// A local variable of a body, parser or control.
    Local,
    /// A parameter.
    Parameter(Direction),
    /// A constructor parameter of a parser, control or package.
    ConstructorParameter,
    /// A constant; its value (a literal, or a structure/list of literals).
    Constant(Box<Expr>),
}

/// A parameter of anything that can be called.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable that stands for it in a body: name, type, annotations and place are there too.
    pub var: VarId,
    /// Its name.
    pub name: Rc<str>,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub ty: Type,
    /// Its default value.
    pub default: Option<Expr>,
    /// True for `@optional` parameters.
    pub optional: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A type parameter of a generic declaration.
#[derive(Clone, Debug)]
pub struct TypeParameter {
    /// Its name.
    pub name: Rc<str>,
    /// [`Type::Variable`] of this id stands for it.
    pub var: TypeVarId,
}

/// An extern object type.
#[derive(Clone, Debug)]
pub struct Extern {
    /// Its name.
    pub name: Rc<str>,
    /// Its type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Its constructors.
    pub constructors: Vec<Method>,
    /// Its methods, in order of declaration; overloaded ones are separate.
    pub methods: Vec<Method>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A method or constructor of an extern.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Rc<str>,
    /// Its own type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// The type of its result.
    pub result: Type,
    /// True if the instance has to bring the body.
    pub is_abstract: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// An extern function.
#[derive(Clone, Debug)]
pub struct ExternFunction {
    /// Its name.
    pub name: Rc<str>,
    /// Its type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// The type of its result.
    pub result: Type,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A function, type arguments applied.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Rc<str>,
    /// The values of its type parameters (empty if it has none).
    pub type_args: Vec<Type>,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// The type of its result.
    pub result: Type,
    /// Its body.
    pub body: Block,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: Rc<str>,
    /// Parameters with direction first, then those without (the action data).
    pub params: Vec<Parameter>,
    /// Its body.
    pub body: Block,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: Rc<str>,
    /// Its keys.
    pub keys: Vec<TableKey>,
    /// The actions it may have, in order.
    pub actions: Vec<TableAction>,
    /// The default action; none given: `NoAction` (which is then the last of `actions`, marked as not listed).
    pub default_action: Option<ActionCall>,
    /// True if the default action is declared `const`.
    pub default_is_const: bool,
    /// Initial entries, in order.
    pub entries: Vec<TableEntry>,
    /// True if the entries are declared `const`.
    pub entries_are_const: bool,
    /// The `size` property.
    pub size: Option<Expr>,
    /// The `largest_priority_wins` property.
    pub largest_priority_wins: Option<bool>,
    /// The `priority_delta` property.
    pub priority_delta: Option<BigInt>,
    /// All other properties (`implementation`, `counters`, `meters`, `support_timeout`, …).
    pub properties: Vec<TableProperty>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct TableKey {
    /// The value that is matched.
    pub value: Expr,
    /// How: see [`super::Program::match_kinds`] for its name.
    pub match_kind: MatchKindId,
    /// Annotations (`@name`, …).
    pub annotations: Vec<Annotation>,
    /// The key's source text, as P4Info's name if there is no `@name` (`hdr.ipv4.dst`).
    pub source_name: Rc<str>,
    /// Where it is.
    pub span: Span,
}

/// An action in the list of a table.
#[derive(Clone, Debug)]
pub struct TableAction {
    /// Which one.
    pub action: ActionId,
    /// The arguments for the parameters with direction, evaluated when the table is applied; then the
    /// parameters without direction follow, which have none here.
    pub bound_args: Vec<Argument>,
    /// Annotations (`@defaultonly`, `@tableonly`, …).
    pub annotations: Vec<Annotation>,
    /// False if the source does not list it (the implicit `NoAction`).
    pub is_listed: bool,
    /// Where it is.
    pub span: Span,
}

/// An action with its data: a default action or an entry's action.
#[derive(Clone, Debug)]
pub struct ActionCall {
    /// Position in [`Table::actions`].
    pub action: usize,
    /// Values of the parameters without direction, in order (compile-time known).
    pub args: Vec<Expr>,
    /// Where it is.
    pub span: Span,
}

/// An initial entry of a table.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// One for each key.
    pub keys: Vec<KeySet>,
    /// The action to run.
    pub action: ActionCall,
    /// Its priority, if priorities count in this table: given, or counted on from the entry before. None if no
    /// priority is given in a list of constant entries: then the order decides.
    pub priority: Option<BigInt>,
    /// True for `const` entries (or all of a `const entries`).
    pub is_const: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where it is.
    pub span: Span,
}

/// Any other property of a table.
#[derive(Clone, Debug)]
pub struct TableProperty {
    /// Its name.
    pub name: Rc<str>,
    /// Its value; objects are [`super::ExprKind::Object`].
    pub value: Expr,
    /// True if declared `const`.
    pub is_const: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where it is.
    pub span: Span,
}

/// A declaration among the locals of a parser or control, in source order.
#[derive(Clone, Debug)]
pub enum Local {
    /// A variable with its initial value, set each time the parser or control is applied.
    Variable(VarId, Option<Expr>),
    /// An instance.
    Instance(InstanceId),
    /// An action.
    Action(ActionId),
    /// A table.
    Table(TableId),
    /// A value set.
    ValueSet(ValueSetId),
}

/// A control declaration.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its name.
    pub name: Rc<str>,
    /// Parameters of `apply`.
    pub params: Vec<Parameter>,
    /// Constructor parameters.
    pub constructor_params: Vec<Parameter>,
    /// Its local declarations. Instances that a direct application (`C.apply(…)`) in the body makes are at the
    /// end, marked by [`InstanceOrigin::DirectApplication`]; so are those of constructor calls in properties.
    pub locals: Vec<Local>,
    /// The body of `apply`.
    pub body: Block,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A parser declaration.
#[derive(Clone, Debug)]
pub struct Parser {
    /// Its name.
    pub name: Rc<str>,
    /// Parameters of `apply`.
    pub params: Vec<Parameter>,
    /// Constructor parameters.
    pub constructor_params: Vec<Parameter>,
    /// Its local declarations, as in [`Control::locals`].
    pub locals: Vec<Local>,
    /// Its states, in order, without `accept` and `reject`.
    pub states: Vec<State>,
    /// Position of `start` in `states`.
    pub start: usize,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A state of a parser.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Rc<str>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Where it goes (no transition given: `reject`).
    pub transition: Transition,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A state to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextState {
    /// `accept`
    Accept,
    /// `reject`
    Reject,
    /// Position in [`Parser::states`].
    State(usize),
}

/// How a state is left.
#[derive(Clone, Debug)]
pub enum Transition {
    /// Always to the same.
    Direct(NextState),
    /// `select`
    Select {
        /// The values that the cases are compared with.
        keys: Vec<Expr>,
        /// Tried in order; none matches: `error.NoMatch`.
        cases: Vec<SelectCase>,
        /// Where it is.
        span: Span,
    },
}

/// A case of a `select`.
#[derive(Clone, Debug)]
pub struct SelectCase {
    /// One for each key, or a single [`KeySet::ValueSet`] for all keys together, or a single [`KeySet::Any`].
    pub sets: Vec<KeySet>,
    /// Where it goes.
    pub next: NextState,
    /// Where it is.
    pub span: Span,
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Its name.
    pub name: Rc<str>,
    /// Type of its elements (a structure or tuple: several keys; fields carry `@match`).
    pub element: Type,
    /// Its size.
    pub size: Expr,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A parser type or control type.
#[derive(Clone, Debug)]
pub struct ApplyType {
    /// Its name.
    pub name: Rc<str>,
    /// True for a parser type.
    pub is_parser: bool,
    /// Its type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Parameters of `apply`.
    pub params: Vec<Parameter>,
    /// Annotations (`@pipeline`, `@deparser`, …).
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A package type.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: Rc<str>,
    /// Its type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Its constructor parameters.
    pub params: Vec<Parameter>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// The declaration of which something is an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstanceOf {
    /// An extern, by which of its constructors (position in [`Extern::constructors`]).
    Extern {
        /// Which extern.
        id: ExternId,
        /// Its type arguments.
        type_args: Vec<Type>,
        /// Which constructor.
        constructor: usize,
    },
    /// A parser.
    Parser(ParserId),
    /// A control.
    Control(ControlId),
    /// A package.
    Package {
        /// Which package.
        id: PackageId,
        /// Its type arguments.
        type_args: Vec<Type>,
    },
}

/// How an instance came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstanceOrigin {
    /// A declaration `T(…) name;`.
    Declared,
    /// A constructor call as an argument or property: no name of its own.
    Anonymous,
    /// `T.apply(…)` without an instance: it is called as the type.
    DirectApplication,
}

/// An instance declaration.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name; empty if anonymous.
    pub name: Rc<str>,
    /// The declaration of which it is an instance.
    pub of: InstanceOf,
    /// Its type.
    pub ty: Type,
    /// Constructor arguments, one for each parameter (known values up to enclosing constructor parameters, or
    /// objects).
    pub args: Vec<Argument>,
    /// Bodies of abstract methods: (position in [`Extern::methods`], function).
    pub methods: Vec<(usize, FunctionId)>,
    /// Instances and variables declared inside its initializer block.
    pub locals: Vec<Local>,
    /// How it came to be.
    pub origin: InstanceOrigin,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A declaration at the top level, in source order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopLevel {
    /// A parser.
    Parser(ParserId),
    /// A control.
    Control(ControlId),
    /// An action.
    Action(ActionId),
    /// A function.
    Function(FunctionId),
    /// An instance.
    Instance(InstanceId),
    /// A package type.
    Package(PackageId),
    /// A parser type or control type.
    ApplyType(ApplyTypeId),
    /// An extern.
    Extern(ExternId),
}
