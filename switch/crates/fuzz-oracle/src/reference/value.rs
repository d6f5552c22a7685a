//! Values.

use crate::reference::{Result, Stop, unsupported};
use num_bigint::BigInt;
use p4_types::typed::{Program, Type};

/// A value; its type says its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing says which value.
    Undefined,
    /// `bool`
    Bool(bool),
    /// `bit<W>`, and `int<W>` in two's complement; bits above W are zero.
    Bits(u128),
    /// `int`
    Number(BigInt),
    /// An error, or a member of a plain enumeration, by position.
    Symbol(u32),
    /// Structure, tuple or list.
    Struct(Vec<Value>),
    /// Header; the fields of an invalid one are undefined.
    Header {
        /// Is it valid?
        valid: bool,
        /// Its fields.
        fields: Vec<Value>,
    },
    /// `varbit<W>`.
    Varbit {
        /// Its bits; those above its present width are zero.
        bits: u128,
        /// Its present width.
        width: u32,
    },
    /// Header union: its members, of which one at most is valid.
    Union(Vec<Value>),
    /// Header stack.
    Stack {
        /// Its elements.
        elements: Vec<Value>,
        /// The element that `next` means.
        next: usize,
    },
}

impl Value {
    /// The value of a variable before anything is assigned: headers are invalid, all else is undefined.
    pub(super) fn uninitialized(program: &Program, ty: &Type) -> Self {
        Self::of(program, ty, &|_| Value::Undefined)
    }

    /// The value of metadata in v1model when a packet comes in.
    pub(super) fn zero(program: &Program, ty: &Type) -> Self {
        Self::of(program, ty, &|ty| match ty {
            Type::Bool => Value::Bool(false),
            Type::Bit(_) | Type::Int(_) => Value::Bits(0),
            Type::Error | Type::Enum(_) => Value::Symbol(0),
            _ => Value::Undefined,
        })
    }

    fn of(program: &Program, ty: &Type, simple: &dyn Fn(&Type) -> Value) -> Self {
        match program.representation(ty) {
            Type::Struct(id) => {
                Value::Struct(program[id].fields.iter().map(|field| Self::of(program, &field.ty, simple)).collect())
            }
            Type::Union(id) => {
                Value::Union(program[id].fields.iter().map(|field| Self::of(program, &field.ty, simple)).collect())
            }
            Type::Header(id) => {
                Value::Header { valid: false, fields: vec![Value::Undefined; program[id].fields.len()] }
            }
            Type::Stack(element, size) => {
                let elements = (0..size).map(|_| Self::of(program, &element, simple)).collect();
                Value::Stack { elements, next: 0 }
            }
            Type::Tuple(parts) => Value::Struct(parts.iter().map(|part| Self::of(program, part, simple)).collect()),
            other => simple(&other),
        }
    }

    /// The Boolean.
    pub(super) fn truth(&self) -> Result<bool> {
        match self {
            Value::Bool(truth) => Ok(*truth),
            other => other.is_not("a condition"),
        }
    }

    /// The bits.
    pub(super) fn bits(&self) -> Result<u128> {
        match self {
            Value::Bits(bits) => Ok(*bits),
            other => other.is_not("a number"),
        }
    }

    /// Is the header, or one of the union, valid?
    pub(super) fn is_valid(&self) -> Result<bool> {
        match self {
            Value::Header { valid, .. } => Ok(*valid),
            Value::Union(members) => members.iter().try_fold(false, |valid, member| Ok(valid | member.is_valid()?)),
            other => other.is_not("a header"),
        }
    }

    /// Part of a structure or header; of an invalid header it is undefined.
    pub(super) fn part(&self, index: usize) -> Result<&Value> {
        match self {
            Value::Struct(parts) | Value::Union(parts) | Value::Header { valid: true, fields: parts } => {
                Ok(&parts[index])
            }
            Value::Header { valid: false, .. } => Ok(&Value::Undefined),
            other => other.is_not("a structure"),
        }
    }

    /// Element of a stack or list; one that is not there is undefined.
    pub(super) fn element(&self, index: usize) -> Result<&Value> {
        match self {
            Value::Stack { elements, .. } | Value::Struct(elements) => {
                elements.get(index).ok_or_else(|| Stop::Undefined("an element that is not there").into())
            }
            other => other.is_not("a stack"),
        }
    }

    fn is_not<T>(&self, what: &'static str) -> Result<T> {
        match self {
            Value::Undefined => Err(Stop::Undefined(what).into()),
            other => unsupported(&format!("{other:?} as {what}")),
        }
    }
}
