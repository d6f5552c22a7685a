//! Variables and parameters of variable length.

use super::Generator;
use super::types::Type;
use super::varbit::LONGEST;

impl Generator {
    /// Declares a variable with the value of another one, if there is one.
    pub(super) fn local_varbit(&mut self) -> Option<String> {
        let known = self.visible(|variable| variable.ty == Type::Varbit(LONGEST));
        let value = self.random.pick(&known)?.name.clone();
        let name = self.fresh("v");
        self.note("variable of variable length");
        self.declare(&name, &Type::Varbit(LONGEST), true);
        Some(format!("{} {name} = {value};\n", Type::Varbit(LONGEST).text()))
    }
}
