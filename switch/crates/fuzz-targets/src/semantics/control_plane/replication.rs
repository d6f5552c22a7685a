//! Multicast groups and clone sessions.

use fuzz_oracle::reference::Memory;
use v1model::{CloneSession, MulticastGroup, Replica, Switch};

/// Ports and replica numbers of multicast groups 1, 2, … and of clone sessions with the same numbers; there is none with
/// number 0.
const REPLICAS: [&[(u16, u16)]; 3] = [&[(2, 1)], &[(3, 5), (4, 6), (3, 7)], &[]];

/// Sets up the same multicast groups and clone sessions in the switch and for the reference.
///
/// # Errors
/// A change that the switch refuses.
pub(super) fn set_up(switch: &mut Switch, memory: &mut Memory) -> Result<(), String> {
    for (number, replicas) in (1u16..).zip(REPLICAS) {
        let own: Vec<Replica> = replicas.iter().map(|&(port, rid)| Replica { port, rid }).collect();
        let other: Vec<_> = replicas.iter().map(|&(port, rid)| fuzz_oracle::reference::Replica { port, rid }).collect();
        let group = MulticastGroup { id: number, replicas: own.clone(), backups: vec![], metadata: vec![] };
        switch.multicast_insert(group).map_err(|error| error.to_string())?;
        let id = u32::from(number);
        let session = CloneSession { id, replicas: own, backups: vec![], class_of_service: 0, max_length: 0 };
        switch.clone_session_insert(session).map_err(|error| error.to_string())?;
        memory.control_plane.groups.insert(number, other.clone());
        memory.control_plane.sessions.insert(id, other);
    }
    Ok(())
}
