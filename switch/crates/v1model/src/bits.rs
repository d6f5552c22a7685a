//! Bit fields in packets: big-endian, at any bit.

use crate::phv::{FieldLoc, limbs, mask64};

/// Zero bytes kept behind every packet, so that fields are read eight bytes at a time.
pub(crate) const PADDING: usize = 16;

/// Reads up to 64 bits at a bit offset. The buffer has [`PADDING`] bytes behind the last one that counts.
#[inline]
pub(crate) fn read_u64(buffer: &[u8], bit: usize, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let (byte, shift) = (bit / 8, (bit % 8) as u32);
    if shift + width <= 64 {
        let word = buffer.get(byte..byte + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_be_bytes);
        word << shift >> (64 - width)
    } else {
        let word = buffer.get(byte..byte + 16).and_then(|b| b.try_into().ok()).map_or(0, u128::from_be_bytes);
        (word << shift >> (128 - width)) as u64
    }
}

/// Reads any number of bits into limbs, least significant first.
pub(crate) fn read_limbs(buffer: &[u8], bit: usize, width: u32, out: &mut [u64]) {
    let mut left = width;
    for limb in out.iter_mut() {
        let count = left.min(64);
        left -= count;
        *limb = read_u64(buffer, bit + left as usize, count);
    }
}

/// Appends bit fields to a byte buffer.
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u128,
    count: u32,
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, pending: 0, count: 0 }
    }

    /// The lowest `width` (at most 64) bits.
    #[inline]
    pub fn push(&mut self, value: u64, width: u32) {
        self.pending = self.pending << width | u128::from(value & mask64(width));
        self.count += width;
        if self.count == 64 {
            self.out.extend_from_slice(&(self.pending as u64).to_be_bytes());
            self.count = 0;
            return;
        }
        if self.count >= 32 {
            self.flush_bytes();
        }
    }

    #[inline]
    fn flush_bytes(&mut self) {
        let whole = (self.count / 8) as usize;
        let rest = self.count % 8;
        let bytes = (self.pending >> rest << (128 - (self.count - rest))).to_be_bytes();
        self.out.extend_from_slice(&bytes[..whole]);
        self.count = rest;
    }

    /// A value in limbs, least significant first.
    pub fn push_limbs(&mut self, data: &[u64], width: u32) {
        let mut left = width;
        for limb in data[..limbs(width)].iter().rev() {
            let count = (left - 1) % 64 + 1;
            self.push(*limb, count);
            left -= count;
            if left == 0 {
                break;
            }
        }
    }

    /// A field with its present width.
    #[inline]
    pub fn push_field(&mut self, phv: &[u64], loc: &FieldLoc) {
        if loc.narrow() {
            self.push(phv[loc.slot as usize], loc.width);
        } else {
            let bits = loc.bits(phv);
            if bits > 0 {
                let start = loc.data();
                self.push_limbs(&phv[start..start + limbs(bits)], bits);
            }
        }
    }

    /// Writes the bits left, with zero bits at the end to fill the last byte.
    pub fn finish(mut self) {
        let fill = (8 - self.count % 8) % 8;
        if fill > 0 {
            self.pending <<= fill;
            self.count += fill;
        }
        if self.count > 0 {
            self.flush_bytes();
        }
    }
}

#[cfg(test)]
#[path = "bits_tests.rs"]
mod tests;
