//! Byte strings for fields: BMv2 takes whole bytes, and does not look at bits that a field has no room for.

use num_bigint::{BigInt, BigUint};

/// Without the bits that a field of so many has no room for, of bytes as many as the field's.
#[must_use]
pub fn with_room(mut bytes: Vec<u8>, width: u32) -> Vec<u8> {
    if let (Some(first), 1..) = (bytes.first_mut(), width % 8) {
        *first &= (1 << (width % 8)) - 1;
    }
    bytes
}

/// The largest number that a field of so many bits has room for, where the bytes are a larger one.
#[must_use]
pub fn at_most(bytes: Vec<u8>, width: u32) -> Vec<u8> {
    let fits = with_room(bytes.clone(), width) == bytes;
    if fits { bytes } else { with_room(vec![0xff; bytes.len()], width) }
}

/// The last so many bits of a byte string of any length.
#[must_use]
pub fn last_bits(bytes: &[u8], width: u32) -> Vec<u8> {
    let length = width.div_ceil(8) as usize;
    let kept = &bytes[bytes.len().saturating_sub(length)..];
    with_room([vec![0; length - kept.len()], kept.to_vec()].concat(), width)
}

/// The value of a number in a cell of so many bits; a negative one is in two's complement.
#[must_use]
pub fn cell_of(number: &BigInt, width: u32) -> BigUint {
    let cells = BigInt::from(1u8) << width;
    ((number % &cells + &cells) % cells).to_biguint().unwrap_or_default()
}

/// The bytes of the same number without zeros before it; one is left.
#[must_use]
pub fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros.min(bytes.len().saturating_sub(1))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_before_a_number_go() {
        assert_eq!(without_zeros(&[0, 0, 7, 0]), [7, 0]);
        assert_eq!(without_zeros(&[0, 0]), [0]);
        assert_eq!(without_zeros(&[]), [0u8; 0]);
    }

    #[test]
    fn bits_without_room_are_cut_off() {
        assert_eq!(with_room(vec![3, 0xff], 9), [1, 0xff]);
        assert_eq!(with_room(vec![0xff, 0xff], 16), [0xff, 0xff]);
        assert_eq!(with_room(vec![], 1), [0u8; 0]);
        assert_eq!(at_most(vec![2, 5], 9), [1, 0xff]);
        assert_eq!(at_most(vec![1, 5], 9), [1, 5]);
    }

    #[test]
    fn the_last_bits_of_any_length() {
        assert_eq!(last_bits(&[7, 3, 5], 9), [1, 5]);
        assert_eq!(last_bits(&[5], 16), [0, 5]);
        assert_eq!(last_bits(&[], 12), [0, 0]);
        assert_eq!(last_bits(&[1], 0), [0u8; 0]);
    }

    #[test]
    fn a_cell_keeps_the_last_bits_of_a_number() {
        assert_eq!(cell_of(&BigInt::from(-1), 9), BigUint::from(511u32));
        assert_eq!(cell_of(&BigInt::from(512), 9), BigUint::from(0u32));
        assert_eq!(cell_of(&BigInt::from(-513), 9), BigUint::from(511u32));
    }
}
