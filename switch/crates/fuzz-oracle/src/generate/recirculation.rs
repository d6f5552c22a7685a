//! Multicast, cloning, resubmission and recirculation.
//!
//! No packet runs for ever. A field of the metadata, which every list of fields preserves, counts how often a packet
//! began anew. A packet that has begun anew is not cloned, and neither is a clone.

use super::Generator;
use super::types::Type;

/// The field that counts.
const TURNS: &str = "meta.turns";

impl Generator {
    /// The field that counts, for some programs.
    pub(super) fn turns(&mut self) -> Option<(String, Type)> {
        self.recirculates = self.random.one_in(3);
        if !self.recirculates {
            return None;
        }
        self.declare(TURNS, &Type::Bit(2), false);
        Some(("turns".to_owned(), Type::Bit(2)))
    }

    /// The lists of fields that a field of the metadata is in.
    pub(super) fn field_lists(&mut self, name: &str) -> &'static str {
        if !self.recirculates {
            return "";
        }
        if name == "turns" {
            return "@field_list(1, 2) ";
        }
        ["", "", "@field_list(1) ", "@field_list(2) ", "@field_list(2, 1) "][self.random.below(5)]
    }

    /// A statement by which ingress asks for a clone, a resubmission or a multicast group; empty for some programs.
    pub(super) fn ways_of_ingress(&mut self) -> String {
        if !self.recirculates {
            return String::new();
        }
        let condition = self.expression(&Type::Bool, 2);
        match self.random.below(4) {
            0 => {
                let clone = self.clone_call("I2E");
                format!("if ({TURNS} == 0 && {condition}) {{ {clone} }}\n")
            }
            1 => {
                self.note("resubmit");
                let list = 1 + self.random.below(2);
                format!(
                    "if ({TURNS} < 2 && {condition}) {{ {TURNS} = {TURNS} + 1; resubmit_preserving_field_list({list}); }}\n"
                )
            }
            2 => {
                self.note("multicast");
                let group = self.expression(&Type::Bit(2), 2);
                format!("if ({condition}) {{ std.mcast_grp = (bit<16>){group}; }}\n")
            }
            _ => String::new(),
        }
    }

    /// Statements by which egress asks for a clone and a recirculation.
    pub(super) fn ways_of_egress(&mut self) -> String {
        let mut text = String::new();
        if !self.recirculates {
            return text;
        }
        if self.random.one_in(2) {
            let condition = self.expression(&Type::Bool, 2);
            let clone = self.clone_call("E2E");
            let original = "std.instance_type != 1 && std.instance_type != 2";
            text.push_str(&format!("if ({TURNS} == 0 && {original} && {condition}) {{ {clone} }}\n"));
        }
        if self.random.one_in(2) {
            self.note("recirculate");
            let condition = self.expression(&Type::Bool, 2);
            let list = 1 + self.random.below(2);
            text.push_str(&format!(
                "if ({TURNS} < 2 && {condition}) {{ {TURNS} = {TURNS} + 1; recirculate_preserving_field_list({list}); }}\n"
            ));
        }
        text
    }

    fn clone_call(&mut self, kind: &str) -> String {
        let session = self.expression(&Type::Bit(2), 2);
        if self.random.one_in(3) {
            self.note(if kind == "I2E" { "clone of ingress" } else { "clone of egress" });
            return format!("clone(CloneType.{kind}, (bit<32>){session});");
        }
        self.note(if kind == "I2E" { "clone of ingress with fields" } else { "clone of egress with fields" });
        let list = 1 + self.random.below(2);
        format!("clone_preserving_field_list(CloneType.{kind}, (bit<32>){session}, {list});")
    }
}
