//! Operations of parsers on packets besides extraction.

use super::Generator;
use super::types::Type;

impl Generator {
    /// Bits of the packet that are looked at only: in an expression of a parser.
    pub(super) fn lookahead(&mut self, ty: &Type) -> Option<String> {
        let is_number = matches!(ty, Type::Bit(_) | Type::Int(_));
        if !self.context.in_parser || !is_number || !self.random.one_in(20) {
            return None;
        }
        self.note("lookahead");
        Some(format!("packet.lookahead<{}>()", ty.text()))
    }

    /// A few bytes that are skipped, or a header that is looked at, for some states.
    pub(super) fn skip(&mut self, header: usize) -> String {
        let (kind, path) = (self.headers[header].kind, self.headers[header].path.clone());
        match self.random.below(16) {
            0 => {
                self.note("advance");
                format!("packet.advance((bit<32>)({} ++ 3w0));\n", self.expression(&Type::Bit(2), 2))
            }
            1 if !self.is_varbit(kind) => {
                self.note("lookahead of a header");
                format!("{path} = packet.lookahead<{}>();\n", Type::Header(kind).text())
            }
            _ => String::new(),
        }
    }

    /// A value set, which the control plane fills.
    pub(super) fn value_set(&mut self, width: u32) -> String {
        self.note("value set");
        let name = self.fresh("vs");
        self.value_sets.push_str(&format!("value_set<bit<{width}>>(4) {name};\n"));
        name
    }
}
