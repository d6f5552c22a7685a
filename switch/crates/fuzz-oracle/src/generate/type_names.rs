//! `typedef` and `type`.

use super::Generator;
use super::types::Type;

impl Generator {
    /// Tuples, generic structures, and how long the type is that is made with `type`.
    pub(super) fn choose_types(&mut self) {
        self.new_width = self.width().min(64);
        for _ in 0..1 + self.random.below(2) {
            let tuple = self.tuple_type();
            self.composites.push(tuple);
        }
        let of = if self.random.one_in(3) { self.composites[0].clone() } else { self.simple_type() };
        self.composites.push(Type::Generic(Box::new(of)));
    }

    /// `type` declarations, and `typedef`s of types that variables have.
    pub(super) fn type_names(&mut self) -> String {
        let mut text = format!("type bit<{0}> new{0}_t;\n", self.new_width);
        for _ in 0..self.random.below(3) {
            let known = self.visible(|variable| !matches!(variable.ty, Type::Varbit(_)));
            let Some(ty) = self.random.pick(&known).map(|variable| variable.ty.clone()) else { continue };
            let name = self.fresh("typedef");
            text.push_str(&format!("typedef {} {name};\n", ty.text()));
            self.typedefs.push((name, ty));
        }
        text
    }

    /// The type's text, or a name for it.
    pub(super) fn spelled(&mut self, ty: &Type) -> String {
        let names: Vec<String> =
            self.typedefs.iter().filter(|(_, of)| of == ty).map(|(name, _)| name.clone()).collect();
        match self.random.pick(&names) {
            Some(name) if self.random.one_in(2) => {
                self.note("typedef");
                name.clone()
            }
            _ => ty.text(),
        }
    }

    /// A type that values of a control plane may have.
    pub(super) fn data_type(&mut self) -> Type {
        if self.random.one_in(8) { Type::New(self.new_width) } else { self.number_type() }
    }
}
