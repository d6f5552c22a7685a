//! Members and groups of action profiles and selectors.

use super::entries::ActionCall;

/// A member of an action profile. The control plane chooses the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileMember {
    /// Id, unique in the profile.
    pub id: u32,
    /// The action that it runs.
    pub call: ActionCall,
}

/// A member's place in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMember {
    /// Id of the [`ProfileMember`].
    pub member: u32,
    /// How often it is chosen, relative to the others; at least 1.
    pub weight: u32,
    /// Only chosen while this port is up.
    pub watch_port: Option<u16>,
}

/// A group of an action selector. The control plane chooses the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileGroup {
    /// Id, unique in the profile.
    pub id: u32,
    /// Largest sum of weights, as declared; 0 = the profile's. Kept and given back.
    pub max_size: u32,
    /// The members.
    pub members: Vec<GroupMember>,
}
