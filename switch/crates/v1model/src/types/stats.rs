//! Counters of a switch.

/// Counts since the switch was made or its program was loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SwitchStats {
    /// Frames that came in, packet-outs included.
    pub received: u64,
    /// Frames given out by [`Switch::egress`](crate::Switch::egress).
    pub sent: u64,
    /// Packets dropped by the program in ingress.
    pub ingress_drops: u64,
    /// Packets dropped by the program in egress.
    pub egress_drops: u64,
    /// Packets the traffic manager did not take.
    pub queue_rejects: u64,
    /// Packets that left the parser with an error.
    pub parser_errors: u64,
    /// Packets given up because they were resubmitted too often in a row.
    pub resubmit_limit_drops: u64,
    /// Failed `assert`s and `assume`s (the packet is dropped and the place logged).
    pub assertion_failures: u64,
    /// Digests thrown away because nobody fetched them.
    pub digests_lost: u64,
}
