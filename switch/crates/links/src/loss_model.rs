//! Which packets a wire loses, as it is described.

use std::fmt;

use packet_filter::PacketFilter;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::LinkConfigError;
use crate::config::problem;

/// Which packets are lost. In JSON a number is [`Independent`](Self::Independent), everything else an object with one
/// field: `{"per_byte": 1e-6}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
pub enum LossModel {
    /// Each packet by itself, with this probability.
    Independent(f64),
    /// Each byte of the frame by itself, with this probability; a packet of which a byte is lost is lost: 1 − (1 − p)^bytes.
    PerByte(f64),
    /// The same for each bit.
    PerBit(f64),
    /// Bursts.
    GilbertElliott(GilbertElliott),
    /// Each packet whose number can be divided by this one. The first packet is number 1.
    Every(u64),
    /// The packets with these numbers, ascending. The first packet is number 1.
    Packets(Vec<u64>),
}

/// The two-state Markov chain of Gilbert (Bell System Technical Journal 39, 1960) and Elliott (42, 1963), a step for each
/// packet: the packet is lost with the probability of the state, then the state changes. It starts in the good state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of going from the good state to the bad one.
    pub p: f64,
    /// Probability of going from the bad state to the good one.
    pub r: f64,
    /// Probability of losing a packet in the good state.
    #[serde(default)]
    pub loss_good: f64,
    /// Probability of losing a packet in the bad state.
    #[serde(default = "certain")]
    pub loss_bad: f64,
}

fn certain() -> f64 {
    1.0
}

/// Losses of some packets alone, besides those of the link's `loss`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilteredLoss {
    /// Which packets.
    pub filter: PacketFilter,
    /// Which of them are lost; they alone are counted.
    pub loss: LossModel,
}

impl Default for LossModel {
    fn default() -> Self {
        Self::Independent(0.0)
    }
}

impl LossModel {
    /// Whether it never loses anything.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Independent(p) | Self::PerByte(p) | Self::PerBit(p) => *p == 0.0,
            Self::GilbertElliott(chain) => chain.loss_good == 0.0 && (chain.loss_bad == 0.0 || chain.p == 0.0),
            Self::Every(_) => false,
            Self::Packets(numbers) => numbers.is_empty(),
        }
    }

    /// Checks the ranges; `field` is the place in the description.
    pub(crate) fn validate(&self, field: &str) -> Result<(), LinkConfigError> {
        let probability = |name: &str, p: f64| {
            if (0.0..=1.0).contains(&p) {
                return Ok(());
            }
            problem(format!("{field}{name}"), format!("is a probability, 0 to 1, not {p}"))
        };
        match self {
            Self::Independent(p) => probability("", *p),
            Self::PerByte(p) => probability(".per_byte", *p),
            Self::PerBit(p) => probability(".per_bit", *p),
            Self::GilbertElliott(GilbertElliott { p, r, loss_good, loss_bad }) => {
                probability(".gilbert_elliott.p", *p)?;
                probability(".gilbert_elliott.r", *r)?;
                probability(".gilbert_elliott.loss_good", *loss_good)?;
                probability(".gilbert_elliott.loss_bad", *loss_bad)
            }
            Self::Every(0) => problem(format!("{field}.every"), "must be at least 1"),
            Self::Every(_) => Ok(()),
            Self::Packets(numbers) => {
                let is_ascending = numbers.first() != Some(&0) && numbers.windows(2).all(|pair| pair[0] < pair[1]);
                if is_ascending {
                    return Ok(());
                }
                problem(format!("{field}.packets"), "must be ascending numbers; the first packet is number 1")
            }
        }
    }
}

impl Serialize for LossModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Independent(p) => serializer.serialize_f64(*p),
            other => Self::serialize(other, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for LossModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrModel)
    }
}

struct NumberOrModel;

impl<'de> Visitor<'de> for NumberOrModel {
    type Value = LossModel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a probability, or an object such as {\"per_byte\": 1e-6}")
    }

    fn visit_f64<E>(self, p: f64) -> Result<LossModel, E> {
        Ok(LossModel::Independent(p))
    }

    fn visit_u64<E>(self, p: u64) -> Result<LossModel, E> {
        Ok(LossModel::Independent(p as f64))
    }

    fn visit_i64<E>(self, p: i64) -> Result<LossModel, E> {
        Ok(LossModel::Independent(p as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LossModel, A::Error> {
        LossModel::deserialize(MapAccessDeserializer::new(map))
    }
}
