//! How many values are in a value of a type. Each level of structures of two structures has twice as many as the one
//! below, and all that comes later looks at each of them.

use std::rc::Rc;

use p4_syntax::{Kind, Span};

use super::Checker;
use crate::typed::{Field, StructId, Type};

/// The most values within one; headers count as one. Large programs of the field have some hundreds.
const MOST_VALUES: u64 = 200_000;

impl Checker<'_> {
    /// Notes how large a structure is. A message if it is too large: its fields are then of no type.
    pub(super) fn limit_structure(&mut self, id: StructId, name: &str, span: Span, fields: &mut [Field]) {
        let size = self.size_of_all(fields.iter().map(|field| &field.ty));
        let is_too_large = size > MOST_VALUES;
        // A structure that contains a refused structure is not refused for it.
        self.struct_sizes.insert(id, if is_too_large { 0 } else { size });
        if is_too_large {
            self.report_size(&format!("structure '{name}'"), size, span);
            for field in fields {
                field.ty = Type::Unknown;
            }
        }
    }

    /// The type of tuples of these items; a message if they are too large.
    pub(super) fn limited_tuple(&mut self, items: Vec<Type>, span: Span) -> Type {
        let size = self.size_of_all(items.iter());
        if size > MOST_VALUES {
            self.report_size("this tuple", size, span);
            return Type::Unknown;
        }
        Type::Tuple(Rc::from(items))
    }

    fn report_size(&mut self, what: &str, size: u64, span: Span) {
        let message = format!("{what} has {size} values; {MOST_VALUES} is the most");
        let help = "the number doubles with each level of structures or tuples that have the level below twice";
        self.error_of(Kind::Overlimit, span, message).help(help);
    }

    fn size_of_all<'t>(&self, types: impl Iterator<Item = &'t Type>) -> u64 {
        types.fold(0, |sum, ty| sum.saturating_add(self.size_of(ty)))
    }

    fn size_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Struct(id) => match self.struct_sizes.get(id) {
                Some(size) => *size,
                None => self.size_of_all(self.program[*id].fields.iter().map(|field| &field.ty)),
            },
            Type::Tuple(items) => self.size_of_all(items.iter()),
            Type::Stack(_, size) => u64::from(*size),
            _ => 1,
        }
    }
}
