//! Types.

use super::{Annotation, ApplyTypeId, ControlId, EnumId, ExternId, NewTypeId, PackageId, ParserId, Span, StructId};
use num_bigint::BigInt;
use std::rc::Rc;

/// A resolved type. `typedef`s are gone; `type`s are [`Type::New`].
///
/// Two types are the same P4 type exactly if they are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Nothing: the result of procedures.
    Void,
    /// `bool`
    Bool,
    /// `int`: arbitrary precision; only compile-time known values have it.
    Integer,
    /// `bit<W>`
    Bit(u32),
    /// `int<W>`
    Int(u32),
    /// `varbit<W>`
    Varbit(u32),
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `string`
    String,
    /// An enumeration, serializable or not (see [`EnumType::underlying`]).
    Enum(EnumId),
    /// `struct`
    Struct(StructId),
    /// `header`
    Header(StructId),
    /// `header_union`
    Union(StructId),
    /// A stack of headers or header unions, with its number of elements (also an array of anything else, which
    /// targets may refuse).
    Stack(Rc<Type>, u32),
    /// `tuple<…>`; also the type of a list expression with no other type.
    Tuple(Rc<[Type]>),
    /// `list<T>`
    List(Rc<Type>),
    /// A `type` declaration's own type.
    New(NewTypeId),
    /// An extern object with its type arguments.
    Extern(ExternId, Rc<[Type]>),
    /// A parser or control type (`Ingress<H, M>`), as a constructor parameter has it.
    Apply(ApplyTypeId, Rc<[Type]>),
    /// An instance of this parser declaration.
    Parser(ParserId),
    /// An instance of this control declaration.
    Control(ControlId),
    /// An instance of a package.
    Package(PackageId, Rc<[Type]>),
    /// A type parameter (only in generic extern, package and parser/control type declarations, and
    /// during checking).
    Variable(TypeVarId),
    /// `_` as a type argument that nothing determines (also: a type error was reported).
    Unknown,
}

/// A type parameter, numbered through the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeVarId(pub u32);

/// Structure, header or header union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StructKind {
    /// `struct`
    Struct,
    /// `header`
    Header,
    /// `header_union`
    Union,
}

/// A structure, header or header union with its type arguments applied.
#[derive(Clone, Debug)]
pub struct StructType {
    /// Which of the three.
    pub kind: StructKind,
    /// Its name, without type arguments.
    pub name: Rc<str>,
    /// Type arguments of a generic structure.
    pub type_args: Vec<Type>,
    /// Fields, in order.
    pub fields: Vec<Field>,
    /// Annotations (`@controller_header`, …).
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

impl StructType {
    /// Position of the field with that name.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| &*field.name == name)
    }
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: Type,
    /// Annotations (`@field_list`, …).
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumType {
    /// Its name.
    pub name: Rc<str>,
    /// `bit<W>` or `int<W>` (or a [`Type::New`] of them) of a serializable enumeration.
    ///
    /// A value of a serializable enumeration is a [`super::Value::Int`] everywhere, one of a plain
    /// enumeration a [`super::Value::Enum`].
    pub underlying: Option<Type>,
    /// Members, in order.
    pub members: Vec<EnumMember>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// A member of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumMember {
    /// Its name.
    pub name: Rc<str>,
    /// Its value: the given one if serializable, else its position.
    pub value: BigInt,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// `type T name;`: a new type with the values of another one.
#[derive(Clone, Debug)]
pub struct NewType {
    /// Its name.
    pub name: Rc<str>,
    /// The type it is made from (may be a [`Type::New`] again).
    pub underlying: Type,
    /// Annotations (`@p4runtime_translation`, …).
    pub annotations: Vec<Annotation>,
    /// The name in the declaration.
    pub span: Span,
}

/// An `error` or `match_kind` constant.
#[derive(Clone, Debug)]
pub struct NamedConstant {
    /// Its name, without `error.`.
    pub name: Rc<str>,
    /// Where it is declared.
    pub span: Span,
}
