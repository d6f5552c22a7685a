//! Multicast groups and clone (mirroring) sessions of the packet replication engine.

/// One copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica {
    /// Port it leaves by.
    pub port: u16,
    /// `standard_metadata.egress_rid` of the copy.
    pub rid: u16,
}

/// A multicast group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulticastGroup {
    /// The number that a program writes to `standard_metadata.mcast_grp`; not 0.
    pub id: u16,
    /// The copies, made in this order. No duplicates.
    pub replicas: Vec<Replica>,
    /// For each replica the replicas that take its place while its port is down, in order of preference. The list may
    /// be shorter than `replicas`.
    pub backups: Vec<Vec<Replica>>,
    /// P4Runtime's opaque metadata: kept and given back.
    pub metadata: Vec<u8>,
}

/// A clone session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneSession {
    /// The session argument of `clone()`.
    pub id: u32,
    /// The copies.
    pub replicas: Vec<Replica>,
    /// As for multicast groups.
    pub backups: Vec<Vec<Replica>>,
    /// `standard_metadata.priority` of the copies.
    pub class_of_service: u8,
    /// Copies are cut to so many bytes; 0 = not at all.
    pub max_length: u32,
}
