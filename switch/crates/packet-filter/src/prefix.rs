//! An IP address, or all that begin alike.

use std::net::IpAddr;

use crate::FilterError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prefix {
    address: IpAddr,
    length: u32,
}

impl Prefix {
    pub(crate) fn covers(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let ((own, own_bits), (other, other_bits)) = (bits(self.address), bits(address));
        own_bits == other_bits && (self.length == 0 || (own ^ other) >> (128 - self.length.min(128)) == 0)
    }
}

pub(crate) fn read(word: &str, text: Option<&str>) -> Result<Prefix, FilterError> {
    let text = text.ok_or_else(|| FilterError(format!("an address is missing behind \"{word}\"")))?;
    let wrong = || FilterError(format!("\"{word} {text}\": expected an address such as 10.0.0.1 or 10.0.0.0/24"));
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let length = length.map_or(Ok(bits), str::parse).map_err(|_| wrong())?;
    if length > bits { Err(wrong()) } else { Ok(Prefix { address, length }) }
}
