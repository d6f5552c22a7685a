//! Action profiles and selectors.

use crate::code::Program;
use crate::code::ops::ActionEntry;
use crate::code::pipeline::END;
use crate::state::{Choice, Chosen, ProfileState, encode_params};
use crate::switch::Switch;
use crate::types::{ActionCall, ActionProfileId, ActionProfileInfo, ControlError, ProfileGroup, ProfileMember};

impl Switch {
    fn profile(&self, id: ActionProfileId) -> Result<(&Program, &ActionProfileInfo, &ProfileState), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let unknown = || ControlError::Unknown { kind: "action profile", name: id.0.to_string() };
        let info = program.action_profiles.get(id.index()).ok_or_else(unknown)?;
        Ok((program, info, self.profiles.get(id.index()).ok_or_else(unknown)?))
    }

    /// Checks a member's action and encodes it.
    fn encode_member(&self, id: ActionProfileId, call: &ActionCall) -> Result<(ActionEntry, ActionCall), ControlError> {
        let (program, info, _) = self.profile(id)?;
        let allowed =
            |action: u32| info.tables.iter().any(|t| program.tables[t.index()].actions.iter().any(|a| a.0 == action));
        if !allowed(call.action.0) {
            return Err(ControlError::ActionNotInTable {
                table: info.name.clone(),
                action: program
                    .actions
                    .get(call.action.index())
                    .map_or_else(|| call.action.0.to_string(), |a| a.name.clone()),
            });
        }
        let (data, written) = encode_params(program, call)?;
        // Where to go on depends on the table; it looks it up.
        Ok((ActionEntry { action: call.action.0, data, next: END }, written))
    }

    /// Adds a member.
    pub fn member_insert(&mut self, profile: ActionProfileId, member: ProfileMember) -> Result<(), ControlError> {
        let (entry, call) = self.encode_member(profile, &member.call)?;
        let (_, info, state) = self.profile(profile)?;
        if state.members.contains_key(&member.id) {
            return Err(ControlError::Exists(format!("member {} of {}", member.id, info.name)));
        }
        if info.max_size > 0 && state.members.len() >= info.max_size {
            return Err(ControlError::Full { what: format!("action profile {}", info.name), size: info.max_size });
        }
        let id = member.id;
        self.profiles[profile.index()].members.insert(id, (ProfileMember { id, call }, entry));
        Ok(())
    }

    /// Gives a member another action or other data.
    pub fn member_modify(&mut self, profile: ActionProfileId, member: ProfileMember) -> Result<(), ControlError> {
        let (entry, call) = self.encode_member(profile, &member.call)?;
        let id = member.id;
        match self.profiles[profile.index()].members.get_mut(&id) {
            Some(present) => *present = (ProfileMember { id, call }, entry),
            None => return Err(ControlError::NotFound(format!("member {id}"))),
        }
        Ok(())
    }

    /// Whether an entry or default action of one of the profile's tables satisfies a condition.
    fn used_by_table(&self, profile: ActionProfileId, uses: impl Fn(&Chosen) -> bool) -> Result<bool, ControlError> {
        let (_, info, _) = self.profile(profile)?;
        Ok(info.tables.iter().filter_map(|t| self.tables.get(t.index())).any(|table| {
            table.default.as_ref().is_some_and(&uses) || table.entries.iter().flatten().any(|e| uses(&e.chosen))
        }))
    }

    /// Removes a member that no entry and no group uses.
    pub fn member_delete(&mut self, profile: ActionProfileId, member: u32) -> Result<(), ControlError> {
        let (_, _, state) = self.profile(profile)?;
        if !state.members.contains_key(&member) {
            return Err(ControlError::NotFound(format!("member {member}")));
        }
        let in_group = state.groups.values().any(|(_, choices)| choices.iter().any(|c| c.member == member));
        if in_group || self.used_by_table(profile, |c| matches!(c, Chosen::Member(m) if *m == member))? {
            return Err(ControlError::InUse(format!("member {member}")));
        }
        self.profiles[profile.index()].members.remove(&member);
        Ok(())
    }

    /// How many members there are.
    pub fn member_count(&self, profile: ActionProfileId) -> Result<usize, ControlError> {
        Ok(self.profile(profile)?.2.members.len())
    }

    /// One member.
    pub fn member(&self, profile: ActionProfileId, member: u32) -> Result<Option<ProfileMember>, ControlError> {
        Ok(self.profile(profile)?.2.members.get(&member).map(|(member, _)| member.clone()))
    }

    /// One group.
    pub fn group(&self, profile: ActionProfileId, group: u32) -> Result<Option<ProfileGroup>, ControlError> {
        Ok(self.profile(profile)?.2.groups.get(&group).map(|(group, _)| group.clone()))
    }

    /// Whether an entry of one of the profile's tables has a one-shot action set.
    pub fn has_one_shots(&self, profile: ActionProfileId) -> Result<bool, ControlError> {
        self.used_by_table(profile, |chosen| matches!(chosen, Chosen::OneShot(_)))
    }

    /// All members, by id.
    pub fn members(&self, profile: ActionProfileId) -> Result<Vec<ProfileMember>, ControlError> {
        Ok(self.profile(profile)?.2.members.values().map(|(member, _)| member.clone()).collect())
    }

    /// Checks a group's members.
    fn encode_group(&self, profile: ActionProfileId, group: &ProfileGroup) -> Result<Vec<Choice>, ControlError> {
        let (_, info, state) = self.profile(profile)?;
        if !info.with_selector {
            return Err(ControlError::Unsupported(format!("action profile {} has no groups", info.name)));
        }
        let choices = group.members.iter().map(|m| {
            if !state.members.contains_key(&m.member) {
                return Err(ControlError::NotFound(format!("member {}", m.member)));
            }
            if m.weight == 0 {
                return Err(ControlError::Invalid("the weight of a member must be at least 1".to_owned()));
            }
            Ok(Choice { member: m.member, weight: m.weight, watch_port: m.watch_port })
        });
        let choices: Vec<Choice> = choices.collect::<Result<_, _>>()?;
        let total: u64 = choices.iter().map(|c| u64::from(c.weight)).sum();
        if group.max_size > 0 && total > u64::from(group.max_size) {
            return Err(ControlError::Full { what: format!("group {}", group.id), size: group.max_size as usize });
        }
        Ok(choices)
    }

    /// Adds a group.
    pub fn group_insert(&mut self, profile: ActionProfileId, group: ProfileGroup) -> Result<(), ControlError> {
        let choices = self.encode_group(profile, &group)?;
        let groups = &mut self.profiles[profile.index()].groups;
        if groups.contains_key(&group.id) {
            return Err(ControlError::Exists(format!("group {}", group.id)));
        }
        groups.insert(group.id, (group, choices));
        Ok(())
    }

    /// Gives a group other members.
    pub fn group_modify(&mut self, profile: ActionProfileId, group: ProfileGroup) -> Result<(), ControlError> {
        let choices = self.encode_group(profile, &group)?;
        match self.profiles[profile.index()].groups.get_mut(&group.id) {
            Some(present) => *present = (group, choices),
            None => return Err(ControlError::NotFound(format!("group {}", group.id))),
        }
        Ok(())
    }

    /// Removes a group that no entry uses.
    pub fn group_delete(&mut self, profile: ActionProfileId, group: u32) -> Result<(), ControlError> {
        if !self.profile(profile)?.2.groups.contains_key(&group) {
            return Err(ControlError::NotFound(format!("group {group}")));
        }
        if self.used_by_table(profile, |c| matches!(c, Chosen::Group(g) if *g == group))? {
            return Err(ControlError::InUse(format!("group {group}")));
        }
        self.profiles[profile.index()].groups.remove(&group);
        Ok(())
    }

    /// All groups, by id.
    pub fn groups(&self, profile: ActionProfileId) -> Result<Vec<ProfileGroup>, ControlError> {
        Ok(self.profile(profile)?.2.groups.values().map(|(group, _)| group.clone()).collect())
    }

    /// Tells the selectors that a port is up or down (for watch ports). Ports are up until told otherwise.
    pub fn set_port_up(&mut self, port: u16, up: bool) {
        let known = self.profiles.iter_mut().map(|profile| &mut profile.ports_down);
        for ports in known.chain([&mut self.ports_down]) {
            if up {
                ports.remove(&port);
            } else {
                ports.insert(port);
            }
        }
    }
}
