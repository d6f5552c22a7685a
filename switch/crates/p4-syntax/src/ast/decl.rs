//! Declarations.

use super::{Annotation, Argument, Block, Expr, Ident, Path, Statement, Type};
use crate::source::Span;

/// A declaration.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// `const T x = v;`
    Constant(ConstantDecl),
    /// `T(args) x;`
    Instance(InstanceDecl),
    /// `T x = v;` (in parsers and controls)
    Variable(VariableDecl),
    /// `error { … }`
    Errors(Vec<Ident>),
    /// `match_kind { … }`
    MatchKinds(Vec<Ident>),
    /// `struct`, `header`, `header_union`
    Struct(StructDecl),
    /// `enum`
    Enum(EnumDecl),
    /// `typedef` or `type`
    Typedef(TypedefDecl),
    /// `extern T { … }`
    Extern(ExternDecl),
    /// `extern T f(…);`
    ExternFunction(FunctionDecl),
    /// `T f(…) { … }`
    Function(FunctionDecl),
    /// `action`
    Action(ActionDecl),
    /// `parser`, with or without body
    Parser(ParserDecl),
    /// `control`, with or without body
    Control(ControlDecl),
    /// `package`
    Package(PackageDecl),
    /// `table` (in controls)
    Table(TableDecl),
    /// `value_set` (in parsers)
    ValueSet(ValueSetDecl),
}

/// A constant.
#[derive(Clone, Debug)]
pub struct ConstantDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: Expr,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VariableDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Ident,
    /// Its initial value.
    pub value: Option<Expr>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct InstanceDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub ty: Type,
    /// Constructor arguments.
    pub args: Vec<Argument>,
    /// Its name.
    pub name: Ident,
    /// The declarations of `= { … }`: functions and instances.
    pub initializer: Option<Vec<Declaration>>,
}

/// Which kind of structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StructKind {
    Struct,
    Header,
    Union,
}

/// A structure, header or header union.
#[derive(Clone, Debug)]
pub struct StructDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Which.
    pub kind: StructKind,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its fields.
    pub fields: Vec<FieldDecl>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Ident,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The type of a serializable one's values.
    pub underlying: Option<Type>,
    /// Its name.
    pub name: Ident,
    /// Its members.
    pub members: Vec<EnumMemberDecl>,
}

/// A member of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumMemberDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: Option<Expr>,
}

/// `typedef` or `type`.
#[derive(Clone, Debug)]
pub struct TypedefDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// True for `type`.
    pub is_new: bool,
    /// The type that it stands for.
    pub ty: Type,
    /// A structure or enumeration declared inside the `typedef`, which `ty` then names.
    pub inner: Option<Box<Declaration>>,
    /// The new name.
    pub name: Ident,
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    None,
    In,
    Out,
    InOut,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParameterDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Ident,
    /// Its default value.
    pub default: Option<Expr>,
}

/// An extern object type.
#[derive(Clone, Debug)]
pub struct ExternDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its methods and constructors.
    pub methods: Vec<FunctionDecl>,
    /// `extern T;`: only the name.
    pub is_forward: bool,
}

/// A function, extern function, method or constructor.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Declared `abstract`.
    pub is_abstract: bool,
    /// The type of its result; None for a constructor.
    pub result: Option<Type>,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its parameters.
    pub params: Vec<ParameterDecl>,
    /// Its body.
    pub body: Option<Block>,
}

/// An action.
#[derive(Clone, Debug)]
pub struct ActionDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<ParameterDecl>,
    /// Its body.
    pub body: Block,
}

/// A parser or parser type.
#[derive(Clone, Debug)]
pub struct ParserDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its parameters.
    pub params: Vec<ParameterDecl>,
    /// Its body; None for a parser type.
    pub body: Option<ParserBody>,
}

/// The contents of a parser.
#[derive(Clone, Debug)]
pub struct ParserBody {
    /// Constructor parameters.
    pub constructor_params: Vec<ParameterDecl>,
    /// Local declarations.
    pub locals: Vec<Declaration>,
    /// States.
    pub states: Vec<StateDecl>,
}

/// A parser state.
#[derive(Clone, Debug)]
pub struct StateDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Its transition.
    pub transition: Option<TransitionDecl>,
    /// Where it is.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug)]
pub enum TransitionDecl {
    /// `transition s;`
    Direct(Ident),
    /// `transition select (keys) { cases }`
    Select {
        /// The keys.
        keys: Vec<Expr>,
        /// The cases.
        cases: Vec<SelectCaseDecl>,
        /// Where it is.
        span: Span,
    },
}

/// A case of a select.
#[derive(Clone, Debug)]
pub struct SelectCaseDecl {
    /// A set, or [`super::ExprKind::Tuple`] of sets.
    pub set: Expr,
    /// Where to go.
    pub next: Ident,
}

/// A control or control type.
#[derive(Clone, Debug)]
pub struct ControlDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its parameters.
    pub params: Vec<ParameterDecl>,
    /// Its body; None for a control type.
    pub body: Option<ControlBody>,
}

/// The contents of a control.
#[derive(Clone, Debug)]
pub struct ControlBody {
    /// Constructor parameters.
    pub constructor_params: Vec<ParameterDecl>,
    /// Local declarations.
    pub locals: Vec<Declaration>,
    /// The `apply` block.
    pub apply: Block,
}

/// A package type.
#[derive(Clone, Debug)]
pub struct PackageDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub type_params: Vec<Ident>,
    /// Its constructor parameters.
    pub params: Vec<ParameterDecl>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct TableDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Ident,
    /// Its properties, in order.
    pub properties: Vec<PropertyDecl>,
}

/// A table property.
#[derive(Clone, Debug)]
pub struct PropertyDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Declared `const`.
    pub is_const: bool,
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: PropertyValue,
    /// Where it is.
    pub span: Span,
}

/// Value of a table property.
#[derive(Clone, Debug)]
pub enum PropertyValue {
    /// `key = { … }`
    Keys(Vec<KeyDecl>),
    /// `actions = { … }`
    Actions(Vec<ActionRef>),
    /// `entries = { … }`
    Entries(Vec<EntryDecl>),
    /// Anything else.
    Expression(Expr),
}

/// A key.
#[derive(Clone, Debug)]
pub struct KeyDecl {
    /// The value that is matched.
    pub value: Expr,
    /// How.
    pub match_kind: Ident,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An action with arguments, in a list or an entry.
#[derive(Clone, Debug)]
pub struct ActionRef {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The action.
    pub action: Path,
    /// Its arguments; None if there are no parentheses.
    pub args: Option<Vec<Argument>>,
    /// Where it is.
    pub span: Span,
}

/// An entry.
#[derive(Clone, Debug)]
pub struct EntryDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Declared `const`.
    pub is_const: bool,
    /// Its priority.
    pub priority: Option<Expr>,
    /// Its keys: a set, or [`super::ExprKind::Tuple`] of sets.
    pub keys: Expr,
    /// Its action.
    pub action: ActionRef,
    /// Where it is.
    pub span: Span,
}

/// A value set.
#[derive(Clone, Debug)]
pub struct ValueSetDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Type of its elements.
    pub element: Type,
    /// Its size.
    pub size: Expr,
    /// Its name.
    pub name: Ident,
}
