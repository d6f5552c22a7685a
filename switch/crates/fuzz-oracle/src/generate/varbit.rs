//! Headers with a field of variable length.

use super::Generator;
use super::types::Type;

/// The longest that a field of variable length is.
pub(super) const LONGEST: u32 = 64;

impl Generator {
    pub(super) fn varbit_type(&mut self) -> String {
        self.note("varbit");
        let kind = self.header_types.len();
        let mut fields = vec![("x0".to_owned(), Type::Bit(8)), ("data".to_owned(), Type::Varbit(LONGEST))];
        if self.random.one_in(2) {
            fields.push(("x1".to_owned(), Type::Int(16)));
        }
        self.header_type(kind, fields)
    }

    pub(super) fn is_varbit(&self, kind: usize) -> bool {
        self.header_types[kind].iter().any(|(_, ty)| matches!(ty, Type::Varbit(_)))
    }

    /// Extraction of a header; of one with a field of variable length with its length: sometimes too much.
    pub(super) fn extraction(&mut self, path: &str, kind: usize) -> String {
        if !self.is_varbit(kind) {
            self.note("extract");
            return format!("packet.extract({path});\n");
        }
        self.note("extract with a length");
        let length = match self.random.below(3) {
            0 => {
                self.note("lookahead");
                "packet.lookahead<bit<4>>()".to_owned()
            }
            1 => format!("1w0 ++ {}", self.expression(&Type::Bit(3), 2)),
            _ => self.expression(&Type::Bit(4), 2),
        };
        format!("packet.extract({path}, (bit<32>)(({length}) ++ 3w0));\n")
    }
}
