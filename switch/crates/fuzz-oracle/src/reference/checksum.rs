//! Hashes and checksums of v1model.

use crate::reference::packet::Writer;
use crate::reference::{Machine, Result, Value, unsupported};
use p4_types::typed::{Argument, Expr, Type};

impl Machine<'_> {
    /// `hash(result, algorithm, base, data, max)`: base + hash of the data modulo max.
    pub(super) fn hash(&mut self, args: &[Argument]) -> Result<()> {
        let [Some(target), Some(algorithm), Some(base), Some(data), Some(most)] = values(args) else {
            return unsupported("this hash");
        };
        let target_ty = &target.ty;
        let target = self.place(target)?;
        let algorithm = self.algorithm(algorithm)?;
        let base = self.evaluate(base)?.bits()?;
        let data = self.bytes(data)?;
        let most = self.evaluate(most)?.bits()?;
        let Some(rest) = u128::from(algorithm(&data)).checked_rem(most) else { return unsupported("a hash modulo 0") };
        let width = self.format(target_ty)?.width;
        self.store(&target, Value::Bits(crate::reference::arithmetic::wrap(base + rest, width)))
    }

    /// `verify_checksum` and `update_checksum`: `(condition, data, checksum, algorithm)`.
    pub(super) fn checksum(&mut self, name: &str, args: &[Argument]) -> Result<()> {
        let [Some(condition), Some(data), Some(checksum), Some(algorithm)] = values(args) else {
            return unsupported("this checksum");
        };
        if !self.evaluate(condition)?.truth()? {
            return Ok(());
        }
        let algorithm = self.algorithm(algorithm)?;
        let value = u128::from(algorithm(&self.bytes(data)?));
        if name == "verify_checksum" {
            self.passage.checksum_error |= self.evaluate(checksum)?.bits()? != value;
            return Ok(());
        }
        let place = self.place(checksum)?;
        self.store(&place, Value::Bits(value))
    }

    pub(super) fn algorithm(&mut self, expr: &Expr) -> Result<fn(&[u8]) -> u64> {
        let name = match (self.evaluate(expr)?, self.program.representation(&expr.ty)) {
            (Value::Symbol(member), Type::Enum(id)) => self.program[id].members[member as usize].name.clone(),
            _ => return unsupported("this algorithm"),
        };
        match &*name {
            // A control plane could change the custom algorithms; the one here does not.
            "crc16" | "crc16_custom" => Ok(|data| crc16(data).into()),
            "crc32" | "crc32_custom" => Ok(|data| crc32(data).into()),
            "csum16" => Ok(|data| csum16(data).into()),
            "xor16" => Ok(xor16),
            "identity" => Ok(identity),
            name => unsupported(name),
        }
    }

    /// The bits of a list of fields, one after the other; whole bytes.
    fn bytes(&mut self, data: &Expr) -> Result<Vec<u8>> {
        let value = self.evaluate(data)?;
        self.bytes_of(&[(value, data.ty.clone())])
    }

    /// The bits of values, one after the other; whole bytes.
    pub(super) fn bytes_of(&self, values: &[(Value, Type)]) -> Result<Vec<u8>> {
        let mut writer = Writer::default();
        for (value, ty) in values {
            self.write(&mut writer, value, ty)?;
        }
        writer.bytes().map_or_else(|| unsupported("a checksum of parts of bytes"), Ok)
    }

    fn write(&self, writer: &mut Writer, value: &Value, ty: &Type) -> Result<()> {
        match (value, self.program.representation(ty)) {
            (Value::Struct(values), Type::Tuple(types)) => {
                values.iter().zip(types.iter()).try_for_each(|(value, ty)| self.write(writer, value, ty))
            }
            (Value::Struct(values), Type::Struct(id)) => {
                let fields = &self.program[id].fields;
                values.iter().zip(fields).try_for_each(|(value, field)| self.write(writer, value, &field.ty))
            }
            (value, ty) => {
                writer.put(value.bits()?, self.format(&ty)?.width);
                Ok(())
            }
        }
    }
}

fn values<const N: usize>(args: &[Argument]) -> [Option<&Expr>; N] {
    std::array::from_fn(|position| args.get(position).and_then(|arg| arg.value.as_ref()))
}

/// The ones' complement of the ones' complement sum of the 16-bit words (RFC 1071).
fn csum16(data: &[u8]) -> u32 {
    let words = data.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).copied().map_or(0, u32::from));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum & 0xffff
}

/// BMv2: the exclusive or of the 16-bit words, the last one filled up with zeros.
fn xor16(data: &[u8]) -> u64 {
    data.chunks(2).fold(0, |sum, word| sum ^ (u64::from(word[0]) << 8 | word.get(1).map_or(0, |byte| u64::from(*byte))))
}

/// BMv2: the first eight bytes, as a number.
fn identity(data: &[u8]) -> u64 {
    data.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// CRC-16/ARC.
fn crc16(data: &[u8]) -> u32 {
    reflected(data, 0xa001, 0)
}

/// CRC-32/ISO-HDLC.
fn crc32(data: &[u8]) -> u32 {
    !reflected(data, 0xedb8_8320, u32::MAX)
}

/// A cyclic redundancy check, lowest bit first.
fn reflected(data: &[u8], polynomial: u32, start: u32) -> u32 {
    data.iter().fold(start, |register, byte| {
        (0..8).fold(register ^ u32::from(*byte), |register, _| {
            let shifted = register >> 1;
            if register & 1 == 1 { shifted ^ polynomial } else { shifted }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{crc16, crc32, csum16};

    /// The check values of the catalogue of parametrised CRC algorithms; the example of RFC 1071, section 3.
    #[test]
    fn known_values() {
        assert_eq!(crc16(b"123456789"), 0xbb3d);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(csum16(&[0, 1, 0xf2, 3, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2 & 0xffff);
    }
}
