//! Messages to the control plane.

use super::Generator;
use super::types::Type;

impl Generator {
    /// A digest of a structure, or of a list, for some; one at most, since of several the switch sends one.
    pub(super) fn digest(&mut self) -> String {
        if !self.random.one_in(6) {
            return String::new();
        }
        self.note("digest");
        let condition = self.expression(&Type::Bool, 2);
        let data = if self.random.one_in(2) {
            format!("<Pair>(1, {})", self.expression(&Type::Pair, 2))
        } else {
            let mut parts = vec![];
            for _ in 0..1 + self.random.below(3) {
                let ty = self.number_type();
                parts.push(self.expression(&ty, 2));
            }
            format!("(1, {{{}}})", parts.join(", "))
        };
        format!("if ({condition}) {{ digest{data}; }}\n")
    }
}
