//! Values as people write them, and bytes as the commands show them.

use std::net::{Ipv4Addr, Ipv6Addr};

use num_bigint::BigUint;
use num_traits::Num;

/// The bytes of a number, an IPv4, IPv6 or MAC address for a field of so many bits.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn bytes_of(text: &str, width: u32) -> Result<Vec<u8>, String> {
    match width {
        32 if text.contains('.') => {
            let address: Ipv4Addr = text.parse().map_err(|_| "Invalid IPv4 address".to_owned())?;
            return Ok(address.octets().to_vec());
        }
        48 if text.contains(':') => {
            let parts: Option<Vec<u8>> = text.split(':').map(|part| u8::from_str_radix(part, 16).ok()).collect();
            return parts.filter(|bytes| bytes.len() == 6).ok_or_else(|| "Invalid MAC address".to_owned());
        }
        128 if text.contains(':') => {
            let address: Ipv6Addr = text.parse().map_err(|_| "Invalid IPv6 address".to_owned())?;
            return Ok(address.octets().to_vec());
        }
        _ => {}
    }
    let number = big(text).ok_or("Invalid input, could not cast to integer, try in hex with 0x prefix")?;
    let length = width.div_ceil(8) as usize;
    let digits = if number == BigUint::ZERO { vec![] } else { number.to_bytes_be() };
    if digits.len() > length {
        return Err("Parameter is too large".to_owned());
    }
    Ok([vec![0; length - digits.len()], digits].concat())
}

/// A number with Python's prefixes.
pub(crate) fn big(text: &str) -> Option<BigUint> {
    let lower = text.to_ascii_lowercase().replace('_', "");
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let found = prefixes.into_iter().find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, radix)));
    let (digits, radix) = found.unwrap_or((&lower, 10));
    BigUint::from_str_radix(digits, radix).ok()
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
        assert!(bytes_of("1.2.3", 32).is_err() && bytes_of("x", 8).is_err() && bytes_of("-1", 8).is_err());
    }
}
