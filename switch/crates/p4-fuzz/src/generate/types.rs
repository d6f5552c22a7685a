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
    /// `varbit<W>`, of a header.
    Varbit(u32),
    /// The header type of that number.
    Header(usize),
    /// A stack of headers of that type, of that size.
    Stack(usize, usize),
    /// The union type.
    Union,
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
        matches!(self, Self::Header(_) | Self::Stack(..) | Self::Union)
    }

    /// The fields of a structure; of other types none.
    pub fn fields(&self) -> &'static [(&'static str, Type)] {
        match self {
            Self::Pair => &PAIR,
            Self::Nest => &NEST,
            _ => &[],
        }
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
            Self::Varbit(width) => format!("varbit<{width}>"),
            Self::Header(kind) => format!("h{kind}_t"),
            Self::Stack(kind, size) => format!("h{kind}_t[{size}]"),
            Self::Union => "union_t".to_owned(),
        }
    }
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
        match self.random.below(13) {
            0 | 1 => Type::Bool,
            2 => Type::Colour,
            3 => Type::Kind,
            _ => self.number_type(),
        }
    }

    pub(super) fn any_type(&mut self) -> Type {
        match self.random.below(12) {
            0 => Type::Pair,
            1 => Type::Nest,
            _ => self.simple_type(),
        }
    }
}
