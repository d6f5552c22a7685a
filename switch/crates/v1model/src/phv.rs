//! The packet header vector: every field of every header in one flat array of 64-bit slots.
//!
//! A field of up to 64 bits has one slot; a wider one has as many as it needs, least significant first. A
//! variable-length field has a slot for its present width in bits, followed by slots for the longest value. Each header
//! has one more slot, 1 while it is valid, and each stack one with the number of its elements in use. Fields keep raw
//! bits: `int<W>` fields hold two's complement of W bits.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::ToPrimitive;

/// A field's place and type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldLoc {
    pub slot: u32,
    /// Bits; for a variable-length field the largest number.
    pub width: u32,
    pub signed: bool,
    pub varbit: bool,
}

impl FieldLoc {
    pub fn narrow(&self) -> bool {
        self.width <= 64 && !self.varbit
    }

    pub fn limbs(&self) -> usize {
        limbs(self.width)
    }

    /// Slots it takes in the vector.
    pub fn slots(&self) -> u32 {
        self.width.div_ceil(64).max(1) + u32::from(self.varbit)
    }

    /// First slot of the value.
    pub fn data(&self) -> usize {
        self.slot as usize + usize::from(self.varbit)
    }

    /// Present width in bits.
    pub fn bits(&self, phv: &[u64]) -> u32 {
        if self.varbit { (phv[self.slot as usize] as u32).min(self.width) } else { self.width }
    }
}

/// 64-bit limbs of a value of so many bits.
pub(crate) fn limbs(width: u32) -> usize {
    width.div_ceil(64).max(1) as usize
}

/// Ones in the lowest `width` bits.
pub(crate) fn mask64(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1u64 << width) - 1 }
}

/// Interprets the lowest `width` bits (1 to 64) as two's complement.
pub(crate) fn sign_extend(value: u64, width: u32) -> u64 {
    let shift = 64 - width.clamp(1, 64);
    (((value << shift) as i64) >> shift) as u64
}

/// The field's value with its sign.
pub(crate) fn load_big(phv: &[u64], field: &FieldLoc) -> BigInt {
    let bits = field.bits(phv);
    let data = &phv[field.data()..field.data() + limbs(bits)];
    let value = limbs_to_big(data);
    if field.signed && bits > 0 && value.bit(u64::from(bits) - 1) { value - (BigInt::from(1) << bits) } else { value }
}

/// A number from limbs, least significant first.
pub(crate) fn limbs_to_big(data: &[u64]) -> BigInt {
    let mut digits = Vec::with_capacity(data.len() * 2);
    for limb in data {
        digits.push(*limb as u32);
        digits.push((*limb >> 32) as u32);
    }
    BigInt::from_biguint(Sign::Plus, BigUint::new(digits))
}

/// Writes the lowest `width` bits of a number (two's complement if negative) to limbs, least significant first.
pub(crate) fn big_to_limbs(value: &BigInt, width: u32, out: &mut [u64]) {
    out.fill(0);
    let modulus = BigInt::from(1) << width;
    let mut value = value % &modulus;
    if value.sign() == Sign::Minus {
        value += modulus;
    }
    for (slot, digit) in out.iter_mut().zip(value.magnitude().iter_u64_digits()) {
        *slot = digit;
    }
}

/// Writes the lowest bits of a number to the field.
pub(crate) fn store_big(phv: &mut [u64], field: &FieldLoc, value: &BigInt) {
    let bits = field.bits(phv);
    let start = field.data();
    let count = field.limbs();
    big_to_limbs(value, bits, &mut phv[start..start + count]);
}

/// Writes the lowest bits of a 128-bit number to the field; higher bits of a wider field become zero.
pub(crate) fn store_u128(phv: &mut [u64], field: &FieldLoc, value: u128) {
    let bits = field.bits(phv);
    let start = field.data();
    let value = if bits >= 128 { value } else { value & ((1u128 << bits) - 1) };
    for (index, slot) in phv[start..start + field.limbs()].iter_mut().enumerate() {
        *slot = match index {
            0 => value as u64,
            1 => (value >> 64) as u64,
            _ => 0,
        };
    }
}

/// Appends the field's value as big-endian bytes, its bits rounded up to bytes.
pub(crate) fn append_bytes(data: &[u64], width: u32, out: &mut Vec<u8>) {
    for byte in (0..width.div_ceil(8) as usize).rev() {
        out.push((data.get(byte / 8).copied().unwrap_or(0) >> (byte % 8 * 8)) as u8);
    }
}

/// Reads big-endian bytes into limbs; `false` if the value has more than `width` bits.
pub(crate) fn bytes_to_limbs(bytes: &[u8], width: u32, out: &mut [u64]) -> bool {
    out.fill(0);
    for (index, byte) in bytes.iter().rev().enumerate() {
        if *byte == 0 {
            continue;
        }
        let top = index as u32 * 8 + 8 - byte.leading_zeros();
        let Some(limb) = out.get_mut(index / 8) else {
            return false;
        };
        if top > width {
            return false;
        }
        *limb |= u64::from(*byte) << (index % 8 * 8);
    }
    true
}

/// The lowest `width` (at least 1) bits as two's complement.
pub(crate) fn two_comp_mod(value: BigInt, width: u32) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let mut value = value % &modulus;
    if value.sign() == Sign::Minus {
        value += &modulus;
    }
    if value.bit(u64::from(width) - 1) { value - modulus } else { value }
}

/// The lowest 64 bits, two's complement.
pub(crate) fn low64(value: &BigInt) -> u64 {
    match value.to_i64() {
        Some(small) => small as u64,
        None => {
            let mut out = [0];
            big_to_limbs(value, 64, &mut out);
            out[0]
        }
    }
}
