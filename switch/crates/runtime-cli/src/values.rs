//! Values as people write them, and bytes as the commands show them.

use std::net::Ipv6Addr;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::integer::{decimal as decimal_number, of_any_base};

/// The bytes of a number, an IPv4, IPv6 or MAC address for a field of so many bits.
///
/// # Errors
/// The error in it.
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

/// `0a:00:01`
pub(crate) fn with_colons(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

/// `0a0001`
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
