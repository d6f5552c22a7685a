//! Arithmetic.

use super::Generator;
use super::types::Type;

impl Generator {
    pub(super) fn number(&mut self, ty: &Type, depth: usize) -> String {
        let (width, signed) = match *ty {
            Type::Bit(width) => (width, false),
            Type::Int(width) => (width, true),
            _ => return self.leaf(ty),
        };
        let depth = depth - 1;
        match self.random.below(16) {
            0 | 1 => self.shift(ty, depth),
            2 => {
                let op = ["~", "-"][self.random.below(2)];
                self.note(if op == "~" { "~" } else { "unary -" });
                format!("({op}{})", self.expression(ty, depth))
            }
            3 | 4 if width >= 2 => {
                let low = 1 + self.random.below(width as usize - 1) as u32;
                self.note(if signed { "++ of int<>" } else { "++" });
                let left = if signed { Type::Int(width - low) } else { Type::Bit(width - low) };
                let left = self.expression(&left, depth);
                format!("({left} ++ {})", self.expression(&Type::Bit(low), depth))
            }
            5 | 6 if !signed && width <= 100 && self.random.one_in(6) => self.plus_slice(width, depth),
            5 | 6 if !signed => {
                let base = (width + self.random.below(12) as u32).min(128);
                let low = self.random.below((base - width + 1) as usize) as u32;
                let signed = self.random.one_in(3);
                self.note(if signed { "slice of int<>" } else { "slice" });
                let base = if signed { Type::Int(base) } else { Type::Bit(base) };
                let (base, bounds) = (self.expression(&base, depth), self.bounds(low, width));
                format!("{base}[{bounds}]")
            }
            7 => {
                self.note("cast");
                let other = self.width();
                if self.random.one_in(2) {
                    let (same, text) = if signed {
                        (Type::Int(other), format!("int<{width}>"))
                    } else {
                        (Type::Bit(other), format!("bit<{width}>"))
                    };
                    return format!("(({text}){})", self.expression(&same, depth));
                }
                let other = if signed { Type::Bit(width) } else { Type::Int(width) };
                format!("(({}){})", ty.text(), self.expression(&other, depth))
            }
            8 if !signed && width == 8 => {
                self.note("cast of a serializable enumeration");
                format!("((bit<8>){})", self.expression(&Type::Kind, depth))
            }
            8 if !signed && width == self.new_width => {
                self.note("cast of a type of its own");
                format!("((bit<{width}>){})", self.expression(&Type::New(width), depth))
            }
            8 if !signed && width == 1 => {
                self.note("cast bool to bit<1>");
                format!("((bit<1>){})", self.expression(&Type::Bool, depth))
            }
            9 | 10 if !signed && let Some(division) = self.division(width, depth) => division,
            9 if !signed && width > 1 => {
                let op = ["/", "%"][self.random.below(2)];
                self.note(if op == "/" { "/ by a power of two" } else { "% by a power of two" });
                let by: u128 = 1 << self.random.below(width as usize);
                format!("({} {op} {width}w{by})", self.expression(ty, depth))
            }
            _ => {
                let op = ["+", "-", "*", "&", "|", "^", "|+|", "|-|"][self.random.below(8)];
                self.note(match op {
                    "|+|" if signed => "|+| of int<>",
                    "|-|" if signed => "|-| of int<>",
                    "*" if signed => "* of int<>",
                    op => op,
                });
                let left = self.expression(ty, depth);
                format!("({left} {op} {})", self.expression(ty, depth))
            }
        }
    }

    /// By a small number of bits, by the width, by more, or by anything.
    fn shift(&mut self, ty: &Type, depth: usize) -> String {
        let op = ["<<", ">>"][self.random.below(2)];
        self.note(match (op, ty) {
            ("<<", Type::Int(_)) => "<< of int<>",
            (">>", Type::Int(_)) => ">> of int<>",
            _ => op,
        });
        let left = self.expression(ty, depth);
        let by = if self.random.one_in(3) {
            let width = match ty {
                Type::Bit(width) | Type::Int(width) => *width,
                _ => 1,
            };
            let by = [0, 1, width - 1, width, width + 1][self.random.below(5)];
            if by >= width {
                self.note("shift by the width or more");
            }
            format!("8w{by}")
        } else {
            let bits = 1 + self.random.below(9) as u32;
            self.expression(&Type::Bit(bits), depth)
        };
        format!("({left} {op} {by})")
    }
}
