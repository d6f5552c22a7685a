//! Externs of v1model: registers, counters, hashes, checksums.

use super::types::Type;
use super::{Generator, Group};

/// All but the one that is random.
pub(super) const ALGORITHMS: [&str; 7] =
    ["crc16", "crc32", "csum16", "xor16", "identity", "crc16_custom", "crc32_custom"];

/// Bits of the index of a register: it has as many elements as that can tell apart.
const INDEX: u32 = 2;
/// How many elements those have.
pub const CELLS: usize = 1 << INDEX;

impl Generator {
    /// Registers and counters of a control.
    pub(super) fn registers(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(5).saturating_sub(2) {
            let known =
                self.visible(|variable| variable.writable && matches!(variable.ty, Type::Bit(_) | Type::Int(_)));
            // Of a type that it can be read to.
            let ty = self.random.pick(&known).map_or(Type::Bit(8), |variable| variable.ty.clone());
            let name = self.fresh("r");
            self.note("register");
            text.push_str(&format!("register<{}>({}) {name};\n", ty.text(), CELLS));
            self.registers.push((name, ty));
        }
        if self.random.one_in(8) {
            let name = self.fresh("n");
            self.note("counter");
            let unit = ["packets", "bytes", "packets_and_bytes"][self.random.below(3)];
            text.push_str(&format!("counter({}, CounterType.{unit}) {name};\n", CELLS));
            self.counters.push(name);
        }
        if self.random.one_in(8) {
            let name = self.fresh("n");
            self.note("meter");
            let unit = ["packets", "bytes"][self.random.below(2)];
            text.push_str(&format!("meter({}, MeterType.{unit}) {name};\n", CELLS));
            self.meters.push(name);
        }
        text
    }

    /// A call of an extern, if there is one.
    pub(super) fn extern_call(&mut self) -> Option<String> {
        match self.random.below(10) {
            8 | 9 => {
                let name = self.random.pick(&self.meters).cloned()?;
                let target = self.target(&Type::Bit(8))?;
                self.note("execute_meter");
                Some(format!("{name}.execute_meter({}, {target});\n", self.index()))
            }
            0 => {
                let name = self.random.pick(&self.counters).cloned()?;
                self.note("count");
                Some(format!("{name}.count({});\n", self.index()))
            }
            1 | 2 => self.hash(),
            number => {
                let (name, ty) = self.random.pick(&self.registers).cloned()?;
                if number % 2 == 0 {
                    self.note("register write");
                    let index = self.index();
                    return Some(format!("{name}.write({index}, {});\n", self.expression(&ty, 3)));
                }
                let target = self.target(&ty)?;
                self.note("register read");
                Some(format!("{name}.read({target}, {});\n", self.index()))
            }
        }
    }

    fn index(&mut self) -> String {
        format!("(bit<32>){}", self.expression(&Type::Bit(INDEX), 2))
    }

    /// A hash of whole bytes.
    fn hash(&mut self) -> Option<String> {
        if self.context.in_parser || matches!(self.context.result, Some(Some(_))) {
            return None;
        }
        let algorithm = ALGORITHMS[self.random.below(ALGORITHMS.len())];
        let target = self.target(&Type::Bit(16))?;
        let mut data = vec![];
        for _ in 0..1 + self.random.below(3) {
            let ty =
                [Type::Bit(8), Type::Bit(16), Type::Bit(24), Type::Int(8), Type::Bit(64)][self.random.below(5)].clone();
            data.push(self.expression(&ty, 2));
        }
        let data = match self.tuple_of_bytes() {
            Some(tuple) if self.random.one_in(2) => tuple,
            _ => format!("{{{}}}", data.join(", ")),
        };
        self.note("hash");
        self.note(algorithm);
        let (base, most) = (self.expression(&Type::Bit(16), 1), 1 + self.random.below(60_000));
        Some(format!("hash({target}, HashAlgorithm.{algorithm}, {base}, {data}, 16w{most});\n"))
    }

    /// `verify_checksum` or `update_checksum` of a header that has a field for it, for some.
    pub(super) fn checksum(&mut self, function: &'static str) -> String {
        let mut fitting = vec![];
        for header in &self.headers {
            let fields = &self.header_types[header.kind];
            let by_next = matches!(header.group, Some(Group { by_next: true, .. }));
            if let Some((sum, _)) = fields.iter().find(|(_, ty)| *ty == Type::Bit(16))
                && !self.is_varbit(header.kind)
                && !by_next
            {
                let data: Vec<String> = fields.iter().map(|(name, _)| format!("{}.{name}", header.path)).collect();
                fitting.push((header.path.clone(), data.join(", "), sum.clone()));
            }
        }
        if self.random.one_in(2) {
            return String::new();
        }
        let Some((path, data, sum)) = self.random.pick(&fitting).cloned() else { return String::new() };
        self.note(function);
        format!("{function}({path}.isValid(), {{{data}}}, {path}.{sum}, HashAlgorithm.csum16);")
    }
}
