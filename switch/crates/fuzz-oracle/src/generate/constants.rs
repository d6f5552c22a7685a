//! Constants of the top level, used by name.

use super::types::Type;
use super::{Generator, Variable};

/// The constant of type `int` that bounds of slices name, and its value.
const LOW: (&str, u32) = ("LOW", 3);

impl Generator {
    pub(super) fn constants(&mut self) -> String {
        let mut text = format!("const int {} = {};\n", LOW.0, LOW.1);
        let before = self.variables.len();
        for _ in 0..self.random.below(4) {
            let (ty, name) = (self.any_type(), self.fresh("k"));
            let value = self.constant(&ty);
            text.push_str(&format!("const {} {name} = {value};\n", self.spelled(&ty)));
            self.declare_parts(&name, &ty, false);
            let parts: Vec<Variable> = self.variables.drain(before..).collect();
            self.globals.extend(parts);
        }
        text
    }

    /// The name of a constant of that type, for some.
    pub(super) fn named_constant(&mut self, ty: &Type) -> Option<String> {
        let same: Vec<String> =
            self.globals.iter().filter(|constant| constant.ty == *ty).map(|constant| constant.name.clone()).collect();
        let name = self.random.pick(&same)?.clone();
        if !self.random.one_in(3) {
            return None;
        }
        self.note("constant by name");
        Some(name)
    }

    /// `high:low` of a slice of that width.
    pub(super) fn bounds(&mut self, low: u32, width: u32) -> String {
        if low != LOW.1 {
            return format!("{}:{low}", low + width - 1);
        }
        self.note("constant in a slice");
        format!("{0} + {1}:{0}", LOW.0, width - 1)
    }
}
