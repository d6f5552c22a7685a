//! Slices whose place is known at run time only.

use super::Generator;
use super::types::Type;

impl Generator {
    /// `base[low+:width]`, always within the number.
    pub(super) fn plus_slice(&mut self, width: u32, depth: usize) -> String {
        self.note("slice of run-time place");
        let base = Type::Bit((width + 3).max(8) + self.random.below(8) as u32);
        format!("{}[{}+:{width}]", self.expression(&base, depth), self.expression(&Type::Bit(2), depth))
    }

    /// The same as an l-value of a number that is long enough, if there is one.
    pub(super) fn plus_slice_target(&mut self, width: u32) -> Option<String> {
        let longer = self.visible(|variable| {
            variable.writable && matches!(variable.ty, Type::Bit(w) | Type::Int(w) if w >= width + 3)
        });
        let name = self.random.pick(&longer)?.name.clone();
        self.note("slice of run-time place as l-value");
        Some(format!("{name}[{}+:{width}]", self.expression(&Type::Bit(2), 1)))
    }
}
