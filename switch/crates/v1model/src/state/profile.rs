//! Action profiles and selectors.

use std::collections::{BTreeMap, HashSet};

use crate::code::ops::ActionEntry;
use crate::types::{ProfileGroup, ProfileMember, Selection};

/// Members and groups of one profile.
#[derive(Debug, Default)]
pub(crate) struct ProfileState {
    pub members: BTreeMap<u32, (ProfileMember, ActionEntry)>,
    pub groups: BTreeMap<u32, (ProfileGroup, Vec<Choice>)>,
    /// Ports that watch ports must not choose.
    pub ports_down: HashSet<u16>,
}

/// A member that a group may choose, once for each unit of weight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub member: u32,
    pub weight: u32,
    pub watch_port: Option<u16>,
}

/// A group inside an entry.
#[derive(Debug, Clone)]
pub(crate) struct OneShot {
    pub actions: Vec<(Choice, ActionEntry)>,
    pub selection: Selection,
}

/// The choice with the `hash mod (sum of weights)`-th unit of weight, among those whose port is up.
fn pick<'a, T>(items: &'a [T], of: impl Fn(&T) -> Choice, hash: u64, down: &HashSet<u16>) -> Option<&'a T> {
    let usable = |choice: &Choice| choice.watch_port.is_none_or(|port| !down.contains(&port));
    let total: u64 = items.iter().map(&of).filter(usable).map(|c| u64::from(c.weight)).sum();
    let mut place = hash.checked_rem(total)?;
    items.iter().find(|item| {
        let choice = of(item);
        if !usable(&choice) {
            return false;
        }
        let found = place < u64::from(choice.weight);
        place = place.wrapping_sub(u64::from(choice.weight));
        found
    })
}

impl ProfileState {
    pub fn member(&self, id: u32) -> Option<&ActionEntry> {
        self.members.get(&id).map(|(_, call)| call)
    }

    /// The member of a group that a hash value chooses; nothing if the group is empty.
    pub fn choose(&self, group: u32, hash: u64) -> Option<&ActionEntry> {
        let (_, choices) = self.groups.get(&group)?;
        let choice = pick(choices, |c| *c, hash, &self.ports_down)?;
        self.member(choice.member)
    }
}

impl OneShot {
    pub fn choose(&self, hash: u64, down: &HashSet<u16>) -> Option<&ActionEntry> {
        pick(&self.actions, |(choice, _)| *choice, hash, down).map(|(_, call)| call)
    }
}
