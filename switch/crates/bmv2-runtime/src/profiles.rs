//! Action profiles and selectors. Handles of members and groups are their ids.

use std::collections::HashSet;

use v1model::{ActionCall, ActionId, ActionProfileId, ActionProfileInfo, GroupMember, ProfileGroup, ProfileMember};

use crate::refusal::table;
use crate::{Code, Kind, Refusal, Runtime};

/// The smallest number that is free.
fn free(mut taken: Vec<u32>) -> u32 {
    taken.sort_unstable();
    (0..).zip(&taken).find(|(number, id)| number != *id).map_or(taken.len() as u32, |(number, _)| number)
}

fn check_selector(info: &ActionProfileInfo) -> Result<(), Refusal> {
    if info.with_selector { Ok(()) } else { Err(Refusal::new(Kind::Table, Code::NoActionProfileSelection)) }
}

impl Runtime<'_> {
    /// The actions that members may have: those of the tables that use the profile.
    #[must_use]
    pub fn actions_of_profile(&self, info: &ActionProfileInfo) -> Vec<ActionId> {
        let tables = info.tables.iter().filter_map(|id| self.table_info(*id));
        let mut actions: Vec<ActionId> = tables.flat_map(|table| table.actions.iter().copied()).collect();
        // Tables that share the profile may have the same action.
        let mut known = HashSet::new();
        actions.retain(|action| known.insert(self.action_name(*action)));
        actions
    }

    /// All members.
    ///
    /// # Errors
    /// There is no such profile.
    pub fn members(&self, id: ActionProfileId) -> Result<Vec<ProfileMember>, Refusal> {
        self.switch.members(id).map_err(table)
    }

    /// The member with this handle.
    ///
    /// # Errors
    /// There is none.
    pub fn member(&self, id: ActionProfileId, member: u32) -> Result<ProfileMember, Refusal> {
        let found = self.switch.member(id, member).map_err(table)?;
        found.ok_or(Refusal::new(Kind::Table, Code::InvalidMemberHandle))
    }

    /// All groups.
    ///
    /// # Errors
    /// There is no such profile.
    pub fn groups(&self, id: ActionProfileId) -> Result<Vec<ProfileGroup>, Refusal> {
        self.switch.groups(id).map_err(table)
    }

    /// The group with this handle.
    ///
    /// # Errors
    /// There is none.
    pub fn group(&self, id: ActionProfileId, group: u32) -> Result<ProfileGroup, Refusal> {
        let found = self.switch.group(id, group).map_err(table)?;
        found.ok_or(Refusal::new(Kind::Table, Code::InvalidGroupHandle))
    }

    /// Adds a member; gives its handle.
    ///
    /// # Errors
    /// The profile is full, or takes no such action.
    pub fn create_member(&mut self, info: &ActionProfileInfo, call: ActionCall) -> Result<u32, Refusal> {
        let id = free(self.members(info.id)?.iter().map(|member| member.id).collect());
        self.switch.member_insert(info.id, ProfileMember { id, call }).map_err(table)?;
        Ok(id)
    }

    /// Gives a member another action.
    ///
    /// # Errors
    /// There is no such member, or the profile takes no such action.
    pub fn modify_member(&mut self, info: &ActionProfileInfo, id: u32, call: ActionCall) -> Result<(), Refusal> {
        self.switch.member_modify(info.id, ProfileMember { id, call }).map_err(table)
    }

    /// Deletes a member.
    ///
    /// # Errors
    /// There is none, or it is in use.
    pub fn delete_member(&mut self, info: &ActionProfileInfo, id: u32) -> Result<(), Refusal> {
        self.switch.member_delete(info.id, id).map_err(table)
    }

    /// Adds an empty group; gives its handle.
    ///
    /// # Errors
    /// The profile has no selector.
    pub fn create_group(&mut self, info: &ActionProfileInfo) -> Result<u32, Refusal> {
        check_selector(info)?;
        let id = free(self.groups(info.id)?.iter().map(|group| group.id).collect());
        self.switch.group_insert(info.id, ProfileGroup { id, max_size: 0, members: vec![] }).map_err(table)?;
        Ok(id)
    }

    /// Deletes a group.
    ///
    /// # Errors
    /// There is none, it is in use, or the profile has no selector.
    pub fn delete_group(&mut self, info: &ActionProfileInfo, id: u32) -> Result<(), Refusal> {
        check_selector(info)?;
        self.switch.group_delete(info.id, id).map_err(table)
    }

    /// Puts a member into a group.
    ///
    /// # Errors
    /// There is no such member or group, it is in there, or the profile has no selector.
    pub fn add_to_group(&mut self, info: &ActionProfileInfo, member: u32, group: u32) -> Result<(), Refusal> {
        check_selector(info)?;
        self.member(info.id, member)?;
        let mut group = self.group(info.id, group)?;
        if group.members.iter().any(|other| other.member == member) {
            return Err(Refusal::new(Kind::Table, Code::MemberAlreadyInGroup));
        }
        group.members.push(GroupMember { member, weight: 1, watch_port: None });
        self.switch.group_modify(info.id, group).map_err(table)
    }

    /// Takes a member out of a group.
    ///
    /// # Errors
    /// There is no such member or group, it is not in there, or the profile has no selector.
    pub fn remove_from_group(&mut self, info: &ActionProfileInfo, member: u32, group: u32) -> Result<(), Refusal> {
        check_selector(info)?;
        self.member(info.id, member)?;
        let mut group = self.group(info.id, group)?;
        let before = group.members.len();
        group.members.retain(|other| other.member != member);
        if group.members.len() == before {
            return Err(Refusal::new(Kind::Table, Code::MemberNotInGroup));
        }
        self.switch.group_modify(info.id, group).map_err(table)
    }
}

#[cfg(test)]
mod tests {
    use super::free;

    #[test]
    fn handles_fill_gaps() {
        assert_eq!([free(vec![]), free(vec![0, 1]), free(vec![2, 0]), free(vec![1])], [0, 2, 1, 0]);
    }
}
