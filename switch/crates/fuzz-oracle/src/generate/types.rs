//! Types of generated programs.

use super::Generator;

/// Widths: small ones, those round the limits of machine words, and some that are neither.
const WIDTHS: [u32; 18] = [1, 2, 3, 4, 7, 8, 8, 9, 16, 16, 24, 31, 32, 33, 48, 63, 64, 65];

/// A simple type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Bit(u32),
    Int(u32),
    /// The plain enumeration `Colour`.
    Colour,
    /// The serializable enumeration `Kind`.
    Kind,
    /// The structure `Pair`.
    Pair,
    /// The structure `Nest`, with one within it.
    Nest,
    /// A tuple of these.
    Tuple(Vec<Type>),
    /// The generic structure `Gen` of that type.
    Generic(Box<Type>),
    /// The type of its own that is made of `bit<W>`.
    New(u32),
    /// The type parameter of a generic function.
    Opaque,
    /// `varbit<W>`, of a header.
    Varbit(u32),
    /// The header type of that number.
    Header(usize),
    /// A stack of headers of that type, of that size.
    Stack(usize, usize),
    /// The union type.
    Union,
    /// A stack of unions, of that size.
    UnionStack(usize),
}

/// The members of `Colour`.
pub const COLOURS: [&str; 3] = ["Red", "Green", "Blue"];
/// The members of `Kind`, a serializable enumeration of 8 bits.
pub const KINDS: [(&str, u32); 3] = [("One", 1), ("Five", 5), ("All", 255)];
/// The fields of `Pair`.
const PAIR: [(&str, Type); 3] = [("first", Type::Bit(8)), ("second", Type::Int(16)), ("third", Type::Bool)];
/// The fields of `Nest`.
const NEST: [(&str, Type); 3] = [("inner", Type::Pair), ("own", Type::Bit(9)), ("kind", Type::Kind)];

impl Type {
    /// Is it a type of headers?
    pub fn has_headers(&self) -> bool {
        matches!(self, Self::Header(_) | Self::Stack(..) | Self::Union | Self::UnionStack(_))
    }

    /// The fields of a structure, the elements of a tuple; of other types none.
    pub fn fields(&self) -> Vec<(String, Type)> {
        let named =
            |fields: &[(&str, Type)]| fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect();
        match self {
            Self::Pair => named(&PAIR),
            Self::Nest => named(&NEST),
            Self::Tuple(parts) => {
                parts.iter().enumerate().map(|(index, ty)| (format!("[{index}]"), ty.clone())).collect()
            }
            Self::Generic(value) => named(&[("value", (**value).clone()), ("extra", Self::Bit(7))]),
            _ => vec![],
        }
    }

    /// Has it parts?
    pub fn is_composite(&self) -> bool {
        matches!(self, Self::Pair | Self::Nest | Self::Tuple(_) | Self::Generic(_))
    }

    pub fn text(&self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Bit(width) => format!("bit<{width}>"),
            Self::Int(width) => format!("int<{width}>"),
            Self::Colour => "Colour".to_owned(),
            Self::Kind => "Kind".to_owned(),
            Self::Pair => "Pair".to_owned(),
            Self::Nest => "Nest".to_owned(),
            Self::Tuple(parts) => {
                format!("tuple<{}>", parts.iter().map(Self::text).collect::<Vec<_>>().join(", "))
            }
            Self::Generic(value) => format!("Gen<{}>", value.text()),
            Self::New(width) => format!("new{width}_t"),
            Self::Opaque => "T".to_owned(),
            Self::Varbit(width) => format!("varbit<{width}>"),
            Self::Header(kind) => format!("h{kind}_t"),
            Self::Stack(kind, size) => format!("h{kind}_t[{size}]"),
            Self::Union => "union_t".to_owned(),
            Self::UnionStack(size) => format!("union_t[{size}]"),
        }
    }
}

/// A part of something: a field, or an element of a tuple.
pub fn part(of: &str, name: &str) -> String {
    if name.starts_with('[') { format!("{of}{name}") } else { format!("{of}.{name}") }
}

impl Generator {
    pub(super) fn width(&mut self) -> u32 {
        if self.random.one_in(30) { 100 + self.random.below(29) as u32 } else { WIDTHS[self.random.below(18)] }
    }

    pub(super) fn number_type(&mut self) -> Type {
        let width = self.width();
        if self.random.one_in(3) { Type::Int(width) } else { Type::Bit(width) }
    }

    pub(super) fn simple_type(&mut self) -> Type {
        match self.random.below(14) {
            0 | 1 => Type::Bool,
            2 => Type::Colour,
            3 => Type::Kind,
            4 => Type::New(self.new_width),
            _ => self.number_type(),
        }
    }

    pub(super) fn any_type(&mut self) -> Type {
        match self.random.below(14) {
            0 => Type::Pair,
            1 => Type::Nest,
            2 | 3 if !self.composites.is_empty() => {
                let ty = self.composites[self.random.below(self.composites.len())].clone();
                if matches!(ty, Type::Tuple(_)) {
                    self.note("tuple");
                }
                ty
            }
            _ => self.simple_type(),
        }
    }
}
