//! Which frames are meant: `src 10.0.0.1 dst 10.0.2.0/24 udp dport 53`.
//!
//! A filter looks at the bytes of a frame (Ethernet, VLAN tags, IPv4, IPv6, TCP, UDP), whatever a P4 program makes of them.

mod headers;
mod prefix;

use std::fmt::{self, Display};
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use headers::{ARP, ICMP, IPV4, IPV6, TCP, UDP, look_at};
use prefix::Prefix;

/// A filter that cannot be read; the message quotes the mistake and describes the right form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(pub String);

/// The words of the language, for messages.
pub const WORDS: &str = "src, dst, host, ip, ip6, arp, ethertype, tcp, udp, icmp, proto, sport, dport, port";

/// Chooses frames; everything that it names must agree. The default names nothing and chooses every frame.
///
/// As text and in JSON: words `src|dst|host ADDRESS[/LENGTH]`, `ip|ip6|arp|ethertype N`, `tcp|udp|icmp|proto N`,
/// `sport|dport|port N`; `and` may stand between them. Numbers are decimal or `0x…`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PacketFilter {
    source: Option<Prefix>,
    destination: Option<Prefix>,
    /// Either address.
    host: Option<Prefix>,
    ether_type: Option<u16>,
    protocol: Option<u8>,
    source_port: Option<u16>,
    destination_port: Option<u16>,
    /// Either port.
    port: Option<u16>,
    /// As it was written, a space between words.
    text: String,
}

impl PacketFilter {
    /// Takes one word, and the words it needs from `rest`, into the filter. Returns whether the word belongs to this
    /// language, so that a language with further words can be made of it.
    ///
    /// # Errors
    /// The value behind the word is missing or impossible.
    pub fn take_word<'a>(
        &mut self,
        word: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<bool, FilterError> {
        let mut given = None;
        let mut next = || {
            given = rest.next();
            given
        };
        match word {
            "src" => self.source = Some(prefix::read(word, next())?),
            "dst" => self.destination = Some(prefix::read(word, next())?),
            "host" => self.host = Some(prefix::read(word, next())?),
            "ip" => self.ether_type = Some(IPV4),
            "ip6" => self.ether_type = Some(IPV6),
            "arp" => self.ether_type = Some(ARP),
            "ethertype" => self.ether_type = Some(number(word, next())?),
            "tcp" => self.protocol = Some(TCP),
            "udp" => self.protocol = Some(UDP),
            "icmp" => self.protocol = Some(ICMP),
            "proto" => self.protocol = Some(number(word, next())?),
            "sport" => self.source_port = Some(number(word, next())?),
            "dport" => self.destination_port = Some(number(word, next())?),
            "port" => self.port = Some(number(word, next())?),
            "and" | "all" => {}
            _ => return Ok(false),
        }
        for part in [word].into_iter().chain(given) {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(part);
        }
        Ok(true)
    }

    /// Whether the filter chooses this Ethernet frame.
    #[must_use]
    pub fn matches(&self, frame: &[u8]) -> bool {
        let seen = look_at(frame);
        let agrees = |wanted: Option<u16>, is: Option<u16>| wanted.is_none() || wanted == is;
        let (from, to) = (seen.addresses.map(|a| a.0), seen.addresses.map(|a| a.1));
        let covers = |prefix: Option<Prefix>, addresses: &[Option<IpAddr>]| {
            prefix.is_none_or(|prefix| addresses.iter().flatten().any(|address| prefix.covers(*address)))
        };
        let (from_port, to_port) = (seen.ports.map(|p| p.0), seen.ports.map(|p| p.1));
        agrees(self.ether_type, seen.ether_type)
            && (self.protocol.is_none() || self.protocol == seen.protocol)
            && covers(self.source, &[from])
            && covers(self.destination, &[to])
            && covers(self.host, &[from, to])
            && agrees(self.source_port, from_port)
            && agrees(self.destination_port, to_port)
            && (self.port.is_none() || self.port == from_port || self.port == to_port)
    }
}

impl FromStr for PacketFilter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            if !filter.take_word(word, &mut words)? {
                return Err(FilterError(format!("\"{word}\" is not known; there are {WORDS}")));
            }
        }
        Ok(filter)
    }
}

impl Display for PacketFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for PacketFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for PacketFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Reads the number behind a word, decimal or `0x…`.
///
/// # Errors
/// It is missing, or no number of this type.
pub fn number<T: TryFrom<u64>>(word: &str, text: Option<&str>) -> Result<T, FilterError> {
    let text = text.ok_or_else(|| FilterError(format!("a number is missing behind \"{word}\"")))?;
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let wrong = || FilterError(format!("\"{word} {text}\": this is not a number that can stand here"));
    value.ok().and_then(|value| T::try_from(value).ok()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
