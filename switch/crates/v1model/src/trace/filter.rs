//! Which packets are traced: `in 1 src 10.0.0.1 dst 10.0.2.0/24 udp dport 4747 count 5`.

use std::str::FromStr;

use packet_filter::{PacketFilter, WORDS, number};

/// Packets of a trace whose filter does not say how many.
const DEFAULT_COUNT: u32 = 10;

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("trace filter: {0}")]
pub struct FilterError(#[from] packet_filter::FilterError);

/// Chooses packets; everything that it names must agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceFilter {
    ingress_port: Option<u16>,
    packet: PacketFilter,
    /// Packets to trace.
    pub(super) count: u32,
    /// Leave statements and conditions out that do nothing but compute.
    pub(super) brief: bool,
}

impl Default for TraceFilter {
    fn default() -> Self {
        Self { ingress_port: None, packet: PacketFilter::default(), count: DEFAULT_COUNT, brief: false }
    }
}

impl FromStr for TraceFilter {
    type Err = FilterError;

    /// The words of a [`PacketFilter`], and besides `in PORT`, `count N`, `brief`. No words: the first ten packets.
    fn from_str(text: &str) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "in" => filter.ingress_port = Some(number(word, words.next())?),
                "count" => filter.count = number(word, words.next())?,
                "brief" => filter.brief = true,
                other => {
                    if !filter.packet.take_word(other, &mut words)? {
                        let problem = format!("\"{other}\" is not known; there are in, {WORDS}, count, brief");
                        return Err(packet_filter::FilterError(problem).into());
                    }
                }
            }
        }
        Ok(filter)
    }
}

impl TraceFilter {
    /// The filter that traces so many packets.
    #[must_use]
    pub fn with_count(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Packets it traces.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn matches(&self, port: u16, frame: &[u8]) -> bool {
        self.ingress_port.is_none_or(|wanted| wanted == port) && self.packet.matches(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooses(text: &str) -> bool {
        text.parse::<TraceFilter>().expect(text).matches(1, &[0; 60])
    }

    #[test]
    fn port_and_packet_must_agree() {
        assert!(chooses("") && chooses("in 1 count 5 brief") && chooses("ethertype 0 in 1"));
        assert!(!chooses("in 2") && !chooses("in 1 arp"));
        assert_eq!("count 5".parse::<TraceFilter>().expect("good").count(), 5);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("fly", "trace filter: \"fly\" is not known; there are in, src"),
            ("in", "missing behind \"in\""),
            ("in 99999", "in 99999"),
            ("src 10.0.0.1/33", "10.0.0.1/33"),
        ] {
            let error = text.parse::<TraceFilter>().expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
