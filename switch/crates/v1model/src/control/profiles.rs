//! Action profiles and selectors.

use super::entries::ActionCall;
use super::error::ControlError;
use super::info::ActionProfileId;
use crate::switch::Switch;

/// A member of an action profile. The control plane chooses the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileMember {
    /// Id, unique in the profile.
    pub id: u32,
    /// What it does.
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

impl Switch {
    /// Adds a member.
    pub fn member_insert(&mut self, profile: ActionProfileId, member: ProfileMember) -> Result<(), ControlError> {
        let _ = (profile, member);
        Err(ControlError::NoProgram)
    }

    /// Gives a member another action or other data.
    pub fn member_modify(&mut self, profile: ActionProfileId, member: ProfileMember) -> Result<(), ControlError> {
        let _ = (profile, member);
        Err(ControlError::NoProgram)
    }

    /// Removes a member that no entry and no group uses.
    pub fn member_delete(&mut self, profile: ActionProfileId, member: u32) -> Result<(), ControlError> {
        let _ = (profile, member);
        Err(ControlError::NoProgram)
    }

    /// All members, by id.
    pub fn members(&self, profile: ActionProfileId) -> Result<Vec<ProfileMember>, ControlError> {
        let _ = profile;
        Err(ControlError::NoProgram)
    }

    /// Adds a group.
    pub fn group_insert(&mut self, profile: ActionProfileId, group: ProfileGroup) -> Result<(), ControlError> {
        let _ = (profile, group);
        Err(ControlError::NoProgram)
    }

    /// Gives a group other members.
    pub fn group_modify(&mut self, profile: ActionProfileId, group: ProfileGroup) -> Result<(), ControlError> {
        let _ = (profile, group);
        Err(ControlError::NoProgram)
    }

    /// Removes a group that no entry uses.
    pub fn group_delete(&mut self, profile: ActionProfileId, group: u32) -> Result<(), ControlError> {
        let _ = (profile, group);
        Err(ControlError::NoProgram)
    }

    /// All groups, by id.
    pub fn groups(&self, profile: ActionProfileId) -> Result<Vec<ProfileGroup>, ControlError> {
        let _ = profile;
        Err(ControlError::NoProgram)
    }

    /// Tells the selectors that a port is up or down (for watch ports). Ports are up until told otherwise.
    pub fn set_port_up(&mut self, port: u16, up: bool) {
        let _ = (port, up);
    }
}
