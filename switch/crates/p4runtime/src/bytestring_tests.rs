#![allow(clippy::unwrap_used)]

use super::*;

fn unsigned(value: &[u8], width: u32) -> Outcome<Bytes> {
    read_unsigned(&Bytes::copy_from_slice(value), width)
}

#[test]
fn accepts_the_specifications_valid_examples() {
    assert_eq!(unsigned(b"\x63", 8).unwrap(), &b"\x63"[..]);
    assert_eq!(unsigned(b"\x00\x63", 16).unwrap(), &b"\x63"[..]);
    assert_eq!(unsigned(b"\x00\x30\x64", 16).unwrap(), &b"\x30\x64"[..]);
    assert_eq!(unsigned(b"\x00\x00\x63", 12).unwrap(), &b"\x63"[..]);
    assert_eq!(unsigned(b"\x00", 1).unwrap(), &b"\x00"[..]);
    assert_eq!(read_signed(b"\x63", 8).unwrap(), b"\x63");
    assert_eq!(read_signed(b"\xff\x9d", 8).unwrap(), b"\x9d");
    assert_eq!(read_signed(b"\xfd\x1d", 12).unwrap(), b"\x0d\x1d");
    assert_eq!(read_signed(b"\x00\x00", 16).unwrap(), b"\x00\x00");
}

#[test]
fn refuses_the_specifications_invalid_examples() {
    for (value, width) in
        [(&b"\x01\x63"[..], 8), (b"", 8), (b"\x01\x00\x63", 16), (b"\x10\x63", 12), (b"\x00\x40\x63", 12)]
    {
        assert_eq!(unsigned(value, width).unwrap_err().code, tonic::Code::OutOfRange);
    }
    for (value, width) in [(&b"\x00\x9d"[..], 8), (b"\x8d\x1d", 12), (b"", 16)] {
        assert_eq!(read_signed(value, width).unwrap_err().code, tonic::Code::OutOfRange);
    }
}

#[test]
fn writes_signed_values_shortest() {
    assert_eq!(write_signed(b"\x9d", 8), &b"\x9d"[..]);
    assert_eq!(write_signed(b"\x0d\x1d", 12), &b"\xfd\x1d"[..]);
    assert_eq!(write_signed(b"\xff\xff\xff\xff", 32), &b"\xff"[..]);
    assert_eq!(write_signed(b"\x00\x00\x00\x80", 32), &b"\x00\x80"[..]);
    assert_eq!(write_signed(b"\x00", 8), &b"\x00"[..]);
    assert_eq!(write_signed(b"\x01", 1), &b"\xff"[..]);
}

#[test]
fn makes_prefix_masks() {
    assert_eq!(prefix_mask(24, 32), [0xff, 0xff, 0xff, 0]);
    assert_eq!(prefix_mask(0, 32), [0; 4]);
    assert_eq!(prefix_mask(3, 9), [0x01, 0xc0]);
    assert_eq!(ones(9), [0x01, 0xff]);
}

#[test]
fn counts_and_converts() {
    assert_eq!(significant_bits(b"\x00\x01\x00"), 9);
    assert_eq!(significant_bits(b"\x00"), 0);
    assert_eq!(to_u64(b"\x00\x01\x00"), Some(256));
    assert_eq!(to_u64(&[1; 9]), None);
    assert_eq!(from_u64(0), &b"\x00"[..]);
    assert_eq!(padded(b"\x05", 9), [0, 5]);
}
