//! Divisions at run time, which a compiler may refuse.
//!
//! The program names them by macros. The compiled program has the operators. The interpreted program has functions that
//! subtract and shift, so that the two have nothing in common.

use super::Generator;
use super::types::Type;

/// The widest that are divided.
const WIDEST: u32 = 32;

/// The name of the macro by which a text becomes what the interpreter gets.
pub const REFERENCE: &str = "REFERENCE";

/// The line in a program that a compiler may refuse.
pub const MAY_BE_REFUSED: &str = "#define MAY_BE_REFUSED\n";

/// Where a program has divisions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Divisions {
    None,
    /// Where nothing uses them: such a program is compiled.
    Unused,
    Anywhere,
}

impl Generator {
    pub(super) fn choose_divisions(&mut self) {
        self.divisions = match self.random.below(8) {
            0 | 1 => Divisions::Unused,
            2 => Divisions::Anywhere,
            _ => Divisions::None,
        };
    }

    /// The macros, and the functions that they call.
    pub(super) fn division_macros(&self) -> String {
        if self.divisions == Divisions::None {
            return String::new();
        }
        let step = |result: &str| {
            format!(
                "for (bit<8> i in 8w1..8w{WIDEST}) {{ rest = (rest << 1) | (bit<64>)((a >> ({WIDEST} - i)) & 1); quotient = quotient << 1; \
                 if (rest >= (bit<64>)b) {{ rest = rest - (bit<64>)b; quotient = quotient | 1; }} }} return {result};"
            )
        };
        let function = |name: &str, result: &str| {
            format!(
                "bit<{WIDEST}> {name}(in bit<{WIDEST}> a, in bit<{WIDEST}> b) {{ bit<64> rest = 0; bit<{WIDEST}> quotient = 0; {} }}\n",
                step(result)
            )
        };
        let result = |name: &str| format!("((bit<w>){name}((bit<{WIDEST}>)a, (bit<{WIDEST}>)b))");
        let refusable = if self.divisions == Divisions::Anywhere { MAY_BE_REFUSED } else { "" };
        format!(
            "{refusable}#ifdef {REFERENCE}\n#define DIVIDE(w, a, b) {}\n#define REMAINDER(w, a, b) {}\n{}{}#else\n#define DIVIDE(w, a, b) (a / b)\n\
             #define REMAINDER(w, a, b) (a % b)\n#endif\n",
            result("quotient_of"),
            result("rest_of"),
            function("quotient_of", "quotient"),
            function("rest_of", &format!("(bit<{WIDEST}>)rest")),
        )
    }

    /// A division, where this program has some.
    pub(super) fn division(&mut self, width: u32, depth: usize) -> Option<String> {
        if self.divisions != Divisions::Anywhere || width > WIDEST {
            return None;
        }
        Some(self.divided(width, depth))
    }

    fn divided(&mut self, width: u32, depth: usize) -> String {
        let name = ["DIVIDE", "REMAINDER"][self.random.below(2)];
        self.note(if name == "DIVIDE" { "/ at run time" } else { "% at run time" });
        let ty = Type::Bit(width);
        let (left, right) = (self.expression(&ty, depth), self.expression(&ty, depth));
        // Not by zero; and never known, so that it is the same for both.
        format!("{name}({width}, ({left}), ({right} | {width}w1))")
    }

    /// A declaration of a variable that is never read, and the assignments of divisions to it.
    pub(super) fn unused_division(&mut self) -> Option<String> {
        if self.divisions == Divisions::None {
            return None;
        }
        let (width, name) = (1 + self.random.below(WIDEST as usize) as u32, self.fresh("u"));
        self.note("variable that is never read");
        let value = self.divided(width, 1);
        Some(match self.random.below(3) {
            0 => format!("bit<{width}> {name} = {value};\n"),
            1 => format!("bit<{width}> {name}; {name} = {value};\n"),
            _ => format!("bit<{width}> {name} = 0;\n{name} = {value};\n{name} = {};\n", self.divided(width, 1)),
        })
    }

    /// An action that nothing calls.
    pub(super) fn unused_action(&mut self) -> String {
        if self.divisions == Divisions::None || self.random.one_in(2) {
            return String::new();
        }
        self.note("action that never runs");
        let (name, value) = (self.fresh("unused"), self.divided(8, 1));
        format!("action {name}(inout bit<8> x) {{\nx = {value};\n}}\n")
    }
}
