//! Tuples.

use super::Generator;
use super::types::Type;

impl Generator {
    /// A type of tuples, of whole bytes for some: those can be hashed.
    pub(super) fn tuple_type(&mut self) -> Type {
        if self.random.one_in(2) {
            let parts = [Type::Bit(8), Type::Int(16), Type::Bit(24), Type::Bit(4), Type::Bit(12)];
            return match self.random.below(3) {
                0 => Type::Tuple(parts[..2].to_vec()),
                1 => Type::Tuple(parts[2..].to_vec()),
                _ => Type::Tuple(parts[3..].to_vec()),
            };
        }
        let count = 1 + self.random.below(3);
        let parts = (0..count).map(|_| if self.random.one_in(6) { Type::Pair } else { self.simple_type() });
        Type::Tuple(parts.collect())
    }

    pub(super) fn tuple_expression(&mut self, ty: &Type, parts: &[Type], depth: usize) -> String {
        self.note("tuple expression");
        let values: Vec<String> = parts.iter().map(|ty| self.expression(ty, depth - 1)).collect();
        format!("(({}){{{}}})", ty.text(), values.join(", "))
    }

    /// A list for a tuple, whose type only the place that it is assigned to says; for some.
    pub(super) fn list(&mut self, ty: &Type) -> Option<String> {
        let Type::Tuple(parts) = ty else { return None };
        if self.random.one_in(2) {
            return None;
        }
        self.note("tuple of a list");
        let values: Vec<String> = parts.iter().map(|ty| self.expression(ty, 2)).collect();
        Some(format!("{{{}}}", values.join(", ")))
    }

    /// A tuple of whole bytes that can be seen.
    pub(super) fn tuple_of_bytes(&mut self) -> Option<String> {
        let tuples = self.visible(|variable| match &variable.ty {
            Type::Tuple(parts) => {
                let widths = parts.iter().map(|part| match part {
                    Type::Bit(width) | Type::Int(width) => Some(*width),
                    _ => None,
                });
                widths.sum::<Option<u32>>().is_some_and(|width| width % 8 == 0)
            }
            _ => false,
        });
        let name = self.random.pick(&tuples)?.name.clone();
        self.note("hash of a tuple");
        Some(name)
    }
}
