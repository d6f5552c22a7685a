//! Fields of a header, joined to machine words: packets are read and written eight bytes at a time.

use crate::phv::{FieldLoc, mask64};

const WORD_BITS: u32 = 64;
const WORD_BYTES: usize = 8;

/// Fields that follow each other on the wire, each of at most 64 bits.
#[derive(Debug, Default)]
pub(crate) struct Words {
    words: Vec<Word>,
    pieces: Vec<Piece>,
    bytes: usize,
}

/// Whole fields and whole bytes, on the left in 64 bits.
#[derive(Debug)]
struct Word {
    /// Where its pieces end; they begin where those of the word before end.
    end: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Piece {
    slot: usize,
    mask: u64,
    shift: u32,
}

impl Words {
    /// Joins fields to words whose bits are multiples of `unit`; `None` where that is impossible.
    pub fn of(fields: &[FieldLoc], unit: u32) -> Option<Self> {
        let mut all = Self::default();
        let mut rest = fields;
        while !rest.is_empty() {
            let (count, bits) = longest(rest, unit)?;
            let (fields, behind) = rest.split_at(count);
            let mut left = WORD_BITS;
            for field in fields.iter().filter(|field| field.width > 0) {
                left -= field.width;
                all.pieces.push(Piece { slot: field.slot as usize, mask: mask64(field.width), shift: left });
            }
            let bytes = (bits / 8) as usize;
            all.words.push(Word { end: all.pieces.len(), bytes });
            all.bytes += bytes;
            rest = behind;
        }
        Some(all)
    }

    /// Bytes of all fields.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The words of a header vector, each with its bytes.
    #[inline]
    fn values<'a>(&'a self, phv: &'a [u64]) -> impl Iterator<Item = (u64, usize)> + 'a {
        let mut start = 0;
        self.words.iter().map(move |word| {
            let pieces = &self.pieces[start..word.end];
            start = word.end;
            let value = pieces.iter().fold(0, |value, piece| value | (phv[piece.slot] & piece.mask) << piece.shift);
            (value, word.bytes)
        })
    }

    /// Takes the fields out of a buffer with eight bytes more than [`bytes`](Self::bytes) at least.
    #[inline]
    pub fn read(&self, buffer: &[u8], phv: &mut [u64]) {
        let (mut at, mut start) = (0, 0);
        for word in &self.words {
            let value =
                buffer.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_be_bytes(*bytes));
            for piece in &self.pieces[start..word.end] {
                phv[piece.slot] = value >> piece.shift & piece.mask;
            }
            start = word.end;
            at += word.bytes;
        }
    }

    /// Puts the fields into a buffer with eight bytes more than [`bytes`](Self::bytes) at least. It overwrites bytes
    /// behind the fields.
    #[inline]
    pub fn write(&self, phv: &[u64], buffer: &mut [u8]) {
        let mut at = 0;
        for (value, bytes) in self.values(phv) {
            if let Some(place) = buffer.get_mut(at..at + WORD_BYTES) {
                place.copy_from_slice(&value.to_be_bytes());
            }
            at += bytes;
        }
    }

    /// The sum of the 16-bit words (RFC 1071), folded to 16 bits. The fields are put together with a unit of 16 bits.
    #[inline]
    pub fn sum16(&self, phv: &[u64]) -> u16 {
        let mut sum = self.values(phv).fold(0, |sum, (value, _)| sum + (value >> 32) + (value & 0xffff_ffff));
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }
}

/// The most fields that fit into a word and are a multiple of `unit`, with their bits.
fn longest(fields: &[FieldLoc], unit: u32) -> Option<(usize, u32)> {
    let (mut found, mut bits) = (None, 0);
    for (index, field) in fields.iter().enumerate() {
        if field.varbit {
            break;
        }
        bits += field.width;
        if bits > WORD_BITS {
            break;
        }
        if bits.is_multiple_of(unit) {
            found = Some((index + 1, bits));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;
    use crate::hash::csum16;

    fn fields(widths: &[u32]) -> Vec<FieldLoc> {
        let at =
            |(slot, width): (usize, &u32)| FieldLoc { slot: slot as u32, width: *width, signed: false, varbit: false };
        widths.iter().enumerate().map(at).collect()
    }

    /// Values that fill their fields and more.
    fn values(count: usize) -> Vec<u64> {
        (1..=count as u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
    }

    fn bit_by_bit(fields: &[FieldLoc], phv: &[u64]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = BitWriter::new(&mut out);
        fields.iter().for_each(|field| writer.push_field(phv, field));
        writer.finish();
        out
    }

    const HEADERS: [&[u32]; 6] = [
        &[48, 48, 16],
        &[4, 4, 8, 16, 16, 3, 13, 8, 8, 16, 32, 32],
        &[64],
        &[3, 1, 12, 16],
        &[1, 63, 7, 1, 8],
        &[4, 8, 20, 16, 8, 8, 64, 64, 64, 64],
    ];

    #[test]
    fn the_same_bytes_as_field_by_field() {
        for widths in HEADERS {
            let (fields, phv) = (fields(widths), values(widths.len()));
            let words = Words::of(&fields, 8).expect("words");
            let expected = bit_by_bit(&fields, &phv);
            assert_eq!(words.bytes(), expected.len());
            let mut buffer = vec![0xee; expected.len() + WORD_BYTES];
            words.write(&phv, &mut buffer);
            assert_eq!(buffer[..expected.len()], expected, "{widths:?}");
            let mut read = vec![0; phv.len()];
            words.read(&buffer, &mut read);
            let masked: Vec<u64> = phv.iter().zip(widths).map(|(value, width)| value & mask64(*width)).collect();
            assert_eq!(read, masked, "{widths:?}");
        }
    }

    #[test]
    fn the_same_checksum() {
        for widths in HEADERS {
            let fields = fields(widths);
            let Some(words) = Words::of(&fields, 16) else { continue };
            for phv in [values(widths.len()), vec![0; widths.len()], vec![u64::MAX; widths.len()]] {
                assert_eq!(!words.sum16(&phv), csum16(&bit_by_bit(&fields, &phv)), "{widths:?}");
            }
        }
        assert!(Words::of(&fields(HEADERS[1]), 16).is_some(), "IPv4 is among them");
    }

    #[test]
    fn what_does_not_fit_is_left_to_others() {
        assert!(Words::of(&fields(&[32, 128]), 8).is_none());
        assert!(Words::of(&fields(&[4, 62, 6]), 8).is_none());
        assert!(Words::of(&fields(&[4]), 8).is_none());
        let varbit = FieldLoc { slot: 0, width: 32, signed: false, varbit: true };
        assert!(Words::of(&[varbit], 8).is_none());
    }
}
