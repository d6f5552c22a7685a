//! Bit fields read and written at all offsets.

use super::*;
use crate::phv::mask64;

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut buffer = bytes.to_vec();
    buffer.extend_from_slice(&[0; PADDING]);
    buffer
}

#[test]
fn reads_what_is_there() {
    let bytes: Vec<u8> = (0..24u8).map(|i| i.wrapping_mul(37) ^ 0x5a).collect();
    let buffer = padded(&bytes);
    let bit = |i: usize| u64::from(bytes[i / 8] >> (7 - i % 8) & 1);
    for start in 0..70 {
        for width in 1..=64u32 {
            let slow = (0..width as usize).fold(0, |v, i| v << 1 | bit(start + i));
            assert_eq!(read_u64(&buffer, start, width), slow, "{width} bits at {start}");
        }
    }
    let mut limbs = [0; 3];
    read_limbs(&buffer, 5, 150, &mut limbs);
    assert_eq!(limbs[0], read_u64(&buffer, 5 + 86, 64));
    assert_eq!(limbs[1], read_u64(&buffer, 5 + 22, 64));
    assert_eq!(limbs[2], read_u64(&buffer, 5, 22));
    assert_eq!(read_u64(&buffer, 100_000, 8), 0);
}

#[test]
fn writes_what_was_read() {
    let bytes: Vec<u8> = (0..40u8).map(|i| i.wrapping_mul(91) ^ 0x33).collect();
    let buffer = padded(&bytes);
    for pattern in [&[4u32, 4, 8, 16][..], &[1, 2, 3, 13, 29], &[64, 64], &[63, 1, 64], &[3, 61, 7, 57], &[33, 31, 8]] {
        let mut out = Vec::new();
        let mut writer = BitWriter::new(&mut out);
        let mut at = 0;
        while at < 320 {
            for width in pattern {
                let width = (*width).min(320 - at as u32);
                // Bits above the width must not get in.
                writer.push(read_u64(&buffer, at, width) | !mask64(width), width);
                at += width as usize;
            }
        }
        writer.finish();
        assert_eq!(out, bytes, "{pattern:?}");
    }
}

#[test]
fn fills_the_last_byte_with_zeros() {
    let mut out = vec![9];
    let mut writer = BitWriter::new(&mut out);
    writer.push_limbs(&[0x1234_5678_9abc_def0, 0x5], 67);
    writer.finish();
    assert_eq!(out, [9, 0b1010_0010, 0x46, 0x8a, 0xcf, 0x13, 0x57, 0x9b, 0xde, 0b0000_0000]);
}
