//! Places (where values live) and values, for every type of the language.

use p4_ir::expr::{Expr, Ty};
use p4_ir::storage::{FieldRef, HeaderId, StackId, UnionId, UnionStackId};
use p4_types::typed::{Annotation, InstanceId, Type};
use std::rc::Rc;

/// A place that an l-value denotes.
#[derive(Clone, Debug)]
pub enum Place {
    /// A field of fixed width.
    Field(FieldRef, Ty),
    /// A `varbit` field.
    Varbit(FieldRef),
    /// A structure or tuple.
    Struct(Rc<[Place]>),
    /// A header.
    Header(HeaderId),
    /// A header union.
    Union(UnionId),
    /// A stack of headers.
    Stack(StackId),
    /// A stack of header unions.
    UnionStack(UnionStackId),
    /// An element of a stack that is known only at run time: its index, the elements.
    Element(Box<Expr>, Rc<[Place]>),
    /// `stack.next` in a parser.
    StackNext(StackId),
    /// `stack.last` in a parser.
    StackLast(StackId),
    /// `stack.next` of a stack of unions.
    UnionStackNext(UnionStackId),
    /// `stack.last` of a stack of unions.
    UnionStackLast(UnionStackId),
    /// A member of the union that `next` of a stack is.
    UnionStackNextMember(UnionStackId, u32),
    /// A member of the union that `last` of a stack is.
    UnionStackLastMember(UnionStackId, u32),
    /// A field of `stack.last` in a parser.
    StackLastField(StackId, u32, Ty),
    /// A field of a member of the union that `last` of a stack is.
    UnionStackLastField(UnionStackId, u32, u32, Ty),
    /// Bits of a place, both bounds included.
    Slice(Box<Place>, u32, u32),
    /// As many bits of a place, from one on that is known only at run time.
    PlusSlice(Box<Place>, Box<Expr>, u32),
    /// Nowhere: a value written there is lost (`_`, or after an error).
    Nowhere,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number or truth value.
    Scalar(Expr),
    /// A structure, tuple or list.
    Struct(Rc<[Value]>),
    /// The contents of a place: headers, unions, stacks, varbits (scalars never).
    Place(Place),
    /// A valid header with these fields.
    Header(Rc<[Value]>),
    /// A stack with these elements.
    Stack(Rc<[Value]>),
    /// An invalid header or union.
    Invalid,
    /// A string.
    Text(Rc<str>),
    /// Nothing (`void`, an omitted argument, or after an error).
    Nothing,
}

impl Value {
    /// The expression of a scalar.
    pub fn scalar(&self) -> Option<&Expr> {
        match self {
            Self::Scalar(expr) => Some(expr),
            _ => None,
        }
    }
}

/// The place or value that a variable stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A place.
    Place(Place),
    /// A value that does not change.
    Value(Value),
}

/// An object at run time of the compiler.
#[derive(Clone, Debug)]
pub enum ObjectRef {
    /// An extern: its declaration, the context it lives in, and its control-plane name.
    Extern(Rc<ExternObject>),
    /// A parser or control: its context.
    Context(usize),
    /// The packet of a parser or deparser.
    Packet,
}

/// An instance of an extern that a table's property makes: it has its name and annotations from there.
#[derive(Clone, Debug)]
pub struct InPlace {
    /// The instance.
    pub object: Rc<ExternObject>,
    /// Fully qualified name.
    pub name: String,
    /// Of the property.
    pub annotations: Vec<Annotation>,
}

/// An instance of an extern.
#[derive(Debug)]
pub struct ExternObject {
    /// Its declaration.
    pub instance: InstanceId,
    /// Name of the extern type.
    pub kind: Rc<str>,
    /// Fully qualified name.
    pub name: String,
    /// Its type arguments.
    pub type_args: Vec<Type>,
    /// Its constructor arguments.
    pub args: Vec<(Rc<str>, Value)>,
}
