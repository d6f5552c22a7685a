//! The order in which a port's queues are served.

use serde::{Deserialize, Serialize};

use crate::config::{LinkConfigError, problem};
use crate::round_robin::RoundRobin;

/// Most queues that are served in turn; Linux's `fq_codel` has as many by default.
const MOST_IN_TURN: u16 = 1024;
/// Most queues that packets of one order wait in.
const MOST_RANKED: u16 = 64;
/// Most of a weight, and of a quantum in bytes: a round stays far below an overflow.
const MOST_WEIGHT: u32 = 1_000_000;

/// How the next packet of a port is chosen. The program names a packet's queue, from 0, and its rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheduler {
    /// The queue of the highest priority first: the link's `priorities` are the queues.
    #[default]
    Strict,
    /// Deficit round robin (Shreedhar and Varghese 1995), as RFC 8290 has it: a queue whose deficit is positive sends, and
    /// the packet's bytes are taken off afterwards.
    Drr(Drr),
    /// Weighted round robin: so many packets of each queue in turn.
    Wrr(Wrr),
    /// The packet of the smallest rank first, of equal ones that which came first (Sivaraman et al. 2016).
    Pifo(Pifo),
}

/// Settings of deficit round robin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drr {
    /// How many queues.
    pub queues: u16,
    /// Bytes of a queue of weight 1 in a round.
    #[serde(default = "ethernet_frame")]
    pub quantum_bytes: u32,
    /// Weights of the first queues; the others have 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// Whether a queue that was empty is served before those that were not, for one quantum (RFC 8290, section 4.2).
    #[serde(default)]
    pub new_first: bool,
}

/// Settings of weighted round robin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrr {
    /// Packets of each queue in a round; as many queues as weights.
    pub weights: Vec<u32>,
}

/// Settings of a queue in the order of ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pifo {
    /// How many queues, for limits and lengths; the order is one.
    #[serde(default = "one")]
    pub queues: u16,
}

fn ethernet_frame() -> u32 {
    1514
}

fn one() -> u16 {
    1
}

impl Scheduler {
    /// How many queues a port has.
    pub(crate) fn queues(&self, priorities: u8) -> u16 {
        match self {
            Self::Strict => u16::from(priorities),
            Self::Drr(drr) => drr.queues,
            Self::Wrr(wrr) => u16::try_from(wrr.weights.len()).unwrap_or(u16::MAX),
            Self::Pifo(pifo) => pifo.queues,
        }
    }

    pub(crate) fn is_strict(&self) -> bool {
        *self == Self::Strict
    }

    pub(crate) fn validate(&self) -> Result<(), LinkConfigError> {
        match self {
            Self::Strict => Ok(()),
            Self::Drr(drr) => {
                check_number("scheduler.drr.queues", drr.queues, MOST_IN_TURN)?;
                check_weight("scheduler.drr.quantum_bytes", drr.quantum_bytes)?;
                if drr.weights.len() > usize::from(drr.queues) {
                    return problem("scheduler.drr.weights", format!("has more than the {} of queues", drr.queues));
                }
                check_weights("scheduler.drr.weights", &drr.weights)
            }
            Self::Wrr(wrr) => {
                check_number("scheduler.wrr.weights", wrr.weights.len(), usize::from(MOST_IN_TURN))?;
                check_weights("scheduler.wrr.weights", &wrr.weights)
            }
            Self::Pifo(pifo) => check_number("scheduler.pifo.queues", pifo.queues, MOST_RANKED),
        }
    }

    /// The turns of so many queues with nothing waiting; `None` where the order follows from the queues themselves.
    pub(crate) fn turns(&self, count: usize) -> Option<RoundRobin> {
        match self {
            Self::Strict | Self::Pifo(_) => None,
            Self::Drr(drr) => {
                let shares = shares(count, &drr.weights, drr.quantum_bytes);
                Some(RoundRobin::of_bytes(shares, drr.new_first))
            }
            Self::Wrr(wrr) => Some(RoundRobin::of_packets(shares(count, &wrr.weights, 1))),
        }
    }
}

/// The share of each queue in a round.
fn shares(queues: usize, weights: &[u32], quantum: u32) -> Vec<i64> {
    let weights = weights.iter().copied().chain(std::iter::repeat(1));
    weights.take(queues).map(|weight| i64::from(weight) * i64::from(quantum)).collect()
}

fn check_number<N>(field: &str, number: N, most: N) -> Result<(), LinkConfigError>
where
    N: PartialOrd + From<u8> + std::fmt::Display,
{
    if number < N::from(1) || number > most {
        return problem(field, format!("must be 1 to {most}, not {number}"));
    }
    Ok(())
}

fn check_weight(field: &str, weight: u32) -> Result<(), LinkConfigError> {
    check_number(field, weight, MOST_WEIGHT)
}

fn check_weights(field: &str, weights: &[u32]) -> Result<(), LinkConfigError> {
    weights.iter().enumerate().try_for_each(|(index, weight)| check_weight(&format!("{field}[{index}]"), *weight))
}
