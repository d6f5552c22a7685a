//! Where the entries of a table come from: from the program, or from a control plane, then perhaps by way of an action profile
//! or selector.

use super::Generator;
use super::types::Type;

/// The properties of a table besides keys and actions.
pub(super) struct Properties {
    /// Declarations before the table.
    pub before: String,
    /// Properties.
    pub listed: String,
    /// Has it keys for a selector?
    pub selector: bool,
    /// Has it entries in the program?
    pub with_entries: bool,
}

/// Algorithms of selectors, with the bits of their results.
const SELECTORS: [(&str, u32); 4] = [("crc16", 16), ("crc32", 32), ("csum16", 16), ("xor16", 16)];

impl Generator {
    pub(super) fn properties(&mut self) -> Properties {
        let none = || Properties { before: String::new(), listed: String::new(), selector: false, with_entries: false };
        match self.random.below(6) {
            0 => {
                self.note("entries of a control plane");
                none()
            }
            1 => {
                let name = self.fresh("profile");
                let selector = self.random.one_in(2);
                let kind = if selector {
                    self.note("action selector");
                    let (algorithm, bits) = SELECTORS[self.random.below(SELECTORS.len())];
                    format!("action_selector(HashAlgorithm.{algorithm}, 32w16, 32w{bits})")
                } else {
                    self.note("action profile");
                    "action_profile(32w16)".to_owned()
                };
                let listed = format!("implementation = {name};\n");
                Properties { before: format!("{kind} {name};\n"), listed, selector, ..none() }
            }
            _ => Properties { with_entries: true, ..none() },
        }
    }

    /// Keys, of whole bytes, of which a selector makes its hash.
    pub(super) fn selector_keys(&mut self) -> String {
        let mut text = String::new();
        for number in 0..1 + self.random.below(2) {
            let width = [8, 16, 24][self.random.below(3)];
            text.push_str(&format!("{}: selector @name(\"s{number}\");\n", self.expression(&Type::Bit(width), 2)));
        }
        text
    }
}
