//! Known values of the hash algorithms.

use super::*;

/// The check value of each CRC's entry in the catalogue of parametrised CRC algorithms.
const CHECK: &[u8] = b"123456789";

fn hash(algorithm: &str, data: &[u8]) -> u64 {
    Algorithm::from_name(algorithm).map_or(u64::MAX, |a| a.compute(data, &mut 0, || 0))
}

#[test]
fn crcs() {
    assert_eq!(hash("crc16", CHECK), 0xbb3d);
    assert_eq!(hash("crc32", CHECK), 0xcbf4_3926);
    assert_eq!(hash("crcCCITT", CHECK), 0x29b1);
    assert_eq!(hash("crc8_custom", CHECK), 0xf4);
    assert_eq!(hash("crc16_custom", CHECK), 0xbb3d);
    assert_eq!(hash("crc32_custom", CHECK), 0xcbf4_3926);
}

#[test]
fn internet_checksum() {
    // RFC 1071, section 3: the sum of these is ddf2.
    assert_eq!(csum16(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    assert_eq!(csum16(&[]), 0xffff);
    assert_eq!(csum16(&[0x12]), !0x1200);
    assert_eq!(csum16(&[0xff, 0xff, 0x00, 0x01]), 0xfffe);
    assert_eq!(csum16(&[1, 2, 3, 4, 5, 6, 7]), !(0x0102 + 0x0304 + 0x0506 + 0x0700));
}

#[test]
fn exclusive_or_and_identity() {
    assert_eq!(hash("xor16", &[0x12, 0x34, 0xab, 0xcd, 0x0f]), 0x1234 ^ 0xabcd ^ 0x0f00);
    assert_eq!(hash("xor32", &[1, 2, 3, 4, 5]), 0x0102_0304 ^ 0x0500_0000);
    assert_eq!(hash("identity", &[1, 2, 3]), 0x01_0203);
    assert_eq!(hash("identity", &[1, 2, 3, 4, 5, 6, 7, 8, 9]), 0x0102_0304_0506_0708);
}

#[test]
fn xxh64_of_known_inputs() {
    // Values of the reference implementation's documentation and test-suite.
    assert_eq!(hash("xxh64", b""), 0xef46_db37_51d8_e999);
    assert_eq!(hash("xxh64", b"a"), 0xd24e_c4f1_a98c_6e5b);
    assert_eq!(hash("xxh64", b"abc"), 0x44bc_2cf5_ad77_0999);
    assert_eq!(hash("xxh64", b"Nobody inspects the spammish repetition"), 0xfbce_a83c_8a37_8bf1);
}

#[test]
fn round_robin_counts() {
    let mut counter = 0;
    let values: Vec<u64> = (0..3).map(|_| Algorithm::RoundRobin.compute(b"x", &mut counter, || 0)).collect();
    assert_eq!(values, [0, 1, 2]);
}
