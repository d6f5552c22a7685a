//! Conditions.

use super::Generator;
use super::types::Type;

impl Generator {
    pub(super) fn boolean(&mut self, depth: usize) -> String {
        match self.random.below(9) {
            0 => {
                self.note("!");
                format!("(!{})", self.expression(&Type::Bool, depth - 1))
            }
            1 | 2 => {
                let op = ["&&", "||"][self.random.below(2)];
                self.note(op);
                let left = self.expression(&Type::Bool, depth - 1);
                format!("({left} {op} {})", self.expression(&Type::Bool, depth - 1))
            }
            3 if !self.headers.is_empty() && self.sees_headers() => {
                let unions = self.groups(true);
                if let (true, Some(union)) = (self.random.one_in(3), self.random.pick(&unions)) {
                    self.note("isValid of a union");
                    return format!("{}.isValid()", union.path);
                }
                self.note("isValid");
                let header = self.random.below(self.headers.len());
                self.headers.get(header).map(|header| format!("{}.isValid()", header.path)).unwrap_or_default()
            }
            4 => {
                self.note("cast bit<1> to bool");
                format!("((bool){})", self.expression(&Type::Bit(1), depth - 1))
            }
            5 => self.equality(depth),
            _ => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
                self.note(op);
                let ty = self.number_type();
                if matches!(ty, Type::Int(_)) {
                    self.note("comparison of int<>");
                }
                let left = self.expression(&ty, depth - 1);
                format!("({left} {op} {})", self.expression(&ty, depth - 1))
            }
        }
    }

    /// A comparison by `==` or `!=` of two values whose type has no order.
    fn equality(&mut self, depth: usize) -> String {
        let op = ["==", "!="][self.random.below(2)];
        if self.random.one_in(3) && self.sees_headers() {
            let pairs: Vec<(String, String)> = self
                .pairs_of_headers()
                .into_iter()
                .filter_map(|(a, b)| Some((self.headers.get(a)?.path.clone(), self.headers.get(b)?.path.clone())))
                .collect();
            if let Some((left, right)) = self.random.pick(&pairs) {
                let text = format!("({left} {op} {right})");
                self.note("header comparison");
                return text;
            }
        }
        let varbits = self.visible(|variable| matches!(variable.ty, Type::Varbit(_)));
        if let (true, Some(left), Some(right)) =
            (self.random.one_in(2), self.random.pick(&varbits).cloned(), self.random.pick(&varbits).cloned())
        {
            self.note("varbit comparison");
            return format!("({} {op} {})", left.name, right.name);
        }
        let composites = self.composites.clone();
        let ty = match self.random.pick(&composites) {
            Some(ty) if self.random.one_in(4) && !ty.is_open() => ty.clone(),
            _ => {
                let new = Type::New(self.new_width);
                [Type::Bool, Type::Colour, Type::Kind, Type::Pair, Type::Nest, new][self.random.below(6)].clone()
            }
        };
        self.note(match ty {
            Type::Pair | Type::Nest => "structure comparison",
            Type::Tuple(_) => "tuple comparison",
            Type::Generic(_) => "generic structure comparison",
            Type::New(_) => "comparison of a type of its own",
            Type::Kind => "serializable enumeration comparison",
            Type::Colour => "enumeration comparison",
            _ => "bool comparison",
        });
        // Structures only as they are: both compilers refuse calls within a comparison of lists.
        let depth = if ty.is_composite() { 0 } else { depth - 1 };
        let left = self.expression(&ty, depth);
        format!("({left} {op} {})", self.expression(&ty, depth))
    }

    /// Different headers of one type.
    pub(super) fn pairs_of_headers(&self) -> Vec<(usize, usize)> {
        let mut pairs = vec![];
        for (a, left) in self.headers.iter().enumerate() {
            for (b, right) in self.headers.iter().enumerate() {
                if a != b && left.kind == right.kind {
                    pairs.push((a, b));
                }
            }
        }
        pairs
    }
}
