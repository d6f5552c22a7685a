//! Values as people write them, and bytes as the commands show them.

use std::net::Ipv6Addr;

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use crate::integer::{decimal as decimal_number, of_any_base};

/// The bytes of a number, an IPv4, IPv6 or MAC address for a field of so many bits.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn bytes_of(text: &str, width: u32) -> Result<Vec<u8>, String> {
    match width {
        32 if text.contains('.') => {
            let parts: Option<Vec<u8>> = text.split('.').map(|part| decimal_number(part)?.to_u8()).collect();
            return parts.filter(|bytes| bytes.len() == 4).ok_or_else(|| "Invalid IPv4 address".to_owned());
        }
        48 if text.contains(':') => {
            let byte = |part: &str| u8::from_str_radix(part.strip_prefix("0x").unwrap_or(part), 16).ok();
            let parts: Option<Vec<u8>> = text.split(':').map(byte).collect();
            return parts.filter(|bytes| bytes.len() == 6).ok_or_else(|| "Invalid MAC address".to_owned());
        }
        128 if text.contains(':') => {
            let address: Ipv6Addr = text.parse().map_err(|_| "Invalid IPv6 address".to_owned())?;
            return Ok(address.octets().to_vec());
        }
        _ => {}
    }
    let number = of_any_base(text).ok_or("Invalid input, could not cast to integer, try in hex with 0x prefix")?;
    let number = number.to_biguint().ok_or("Parameter is negative")?;
    let length = width.div_ceil(8) as usize;
    let digits = if number == BigUint::ZERO { vec![] } else { number.to_bytes_be() };
    if digits.len() > length {
        return Err("Parameter is too large".to_owned());
    }
    Ok([vec![0; length - digits.len()], digits].concat())
}

/// Of bytes that [`bytes_of`] has read, the bits that a field of so many has room for: more may be set in the first byte, and BMv2 does
/// not look at them.
pub(crate) fn with_room(mut bytes: Vec<u8>, width: u32) -> Vec<u8> {
    if let (Some(first), 1..) = (bytes.first_mut(), width % 8) {
        *first &= (1 << (width % 8)) - 1;
    }
    bytes
}

/// The largest number that a field of so many bits has room for, where bytes that [`bytes_of`] has read are a larger one.
pub(crate) fn at_most(bytes: Vec<u8>, width: u32) -> Vec<u8> {
    let fits = with_room(bytes.clone(), width) == bytes;
    if fits { bytes } else { with_room(vec![0xff; bytes.len()], width) }
}

/// What a number leaves in a cell of so many bits: of a negative one its two's complement.
pub(crate) fn cell_of(number: &BigInt, width: u32) -> BigUint {
    let cells = BigInt::from(1u8) << width;
    ((number % &cells + &cells) % cells).to_biguint().unwrap_or_default()
}

/// `0a:00:01`
pub(crate) fn with_colons(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

/// `0a0001`
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of the same number without zeros before it; one is left.
pub(crate) fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros.min(bytes.len().saturating_sub(1))..]
}

/// The number that bytes are, in decimal.
pub(crate) fn decimal(bytes: &[u8]) -> String {
    BigUint::from_bytes_be(bytes).to_string()
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
    fn values_are_read_as_python_reads_them() {
        assert_eq!(bytes_of("10.0.1.1", 32), Ok(vec![10, 0, 1, 1]));
        assert_eq!(bytes_of("00:aa:bb:00:00:01", 48), Ok(vec![0, 0xaa, 0xbb, 0, 0, 1]));
        assert_eq!(bytes_of("::1", 128).map(|bytes| bytes[15]), Ok(1));
        assert_eq!(bytes_of("0x1ff", 9), Ok(vec![1, 0xff]));
        assert_eq!(bytes_of("0", 9), Ok(vec![0, 0]));
        assert_eq!(bytes_of("0b101", 3), Ok(vec![5]));
        assert_eq!(bytes_of("256", 8), Err("Parameter is too large".to_owned()));
        assert_eq!(bytes_of("-1", 8), Err("Parameter is negative".to_owned()));
        assert_eq!(bytes_of("010.000.001.001", 32), Ok(vec![10, 0, 1, 1]));
        assert!(bytes_of("1.2.3", 32).is_err() && bytes_of("x", 8).is_err() && bytes_of("010", 8).is_err());
        assert!(bytes_of("1.2.3.256", 32).is_err() && bytes_of("1.2.3.-1", 32).is_err());
    }

    #[test]
    fn bits_without_room_are_cut_off() {
        assert_eq!(bytes_of("0x3ff", 9).map(|bytes| with_room(bytes, 9)), Ok(vec![1, 0xff]));
        assert_eq!(with_room(vec![0xff, 0xff], 16), [0xff, 0xff]);
        assert_eq!(with_room(vec![], 1), [0u8; 0]);
        assert_eq!(at_most(vec![2, 5], 9), [1, 0xff]);
        assert_eq!(at_most(vec![1, 5], 9), [1, 5]);
        assert_eq!(cell_of(&BigInt::from(-1), 9), BigUint::from(511u32));
        assert_eq!(cell_of(&BigInt::from(512), 9), BigUint::from(0u32));
        assert_eq!(cell_of(&BigInt::from(-513), 9), BigUint::from(511u32));
    }
}
