//! Entries that the control plane has written, and the members of profiles.

use crate::reference::call::Passed;
use crate::reference::control_plane::{Action, Choice, Entry, Match, Path};
use crate::reference::{Machine, Result, Value, unsupported};
use p4_types::typed::{ExprKind, InstanceId, InstanceOf, Object, Table, Type};

impl Machine<'_> {
    /// The written entry that wins and its position: of those that match the one with the longest prefix, or, where there
    /// are priorities, the greatest one (P4Runtime).
    pub(super) fn written(&self, name: &Path, kinds: &[&str], keys: &[Value]) -> Result<Option<(usize, Entry)>> {
        let mut best: Option<(i64, usize, &Entry)> = None;
        let has_priorities = kinds.iter().any(|kind| !matches!(*kind, "exact" | "lpm"));
        for (position, entry) in self.memory.control_plane.entries.get(name).into_iter().flatten().enumerate() {
            let mut all = true;
            for (key, value) in entry.keys.iter().zip(keys) {
                all &= matches(*key, bits_of(value)?);
            }
            if !all {
                continue;
            }
            let prefix = entry.keys.iter().find_map(|key| match key {
                Match::Prefix { mask, .. } => Some(i64::from(mask.count_ones())),
                _ => None,
            });
            // Of numbers with the same prefix the longest mask is the one with most ones.
            let rank = if has_priorities { i64::from(entry.priority) } else { prefix.unwrap_or_default() };
            if best.is_none_or(|(other, ..)| rank > other) {
                best = Some((rank, position, entry));
            }
        }
        Ok(best.map(|(_, position, entry)| (position, entry.clone())))
    }

    /// The action that an entry stands for; `selecting` are the values and types of the keys of kind `selector`.
    pub(super) fn chosen(&mut self, table: &Table, choice: &Choice, selecting: &[(Value, Type)]) -> Result<Action> {
        let member = match choice {
            Choice::Action(action) => return Ok(action.clone()),
            Choice::Member(member) => *member,
            Choice::Group(group) => self.member_of(table, *group, selecting)?,
        };
        let profile = self.profile_of(table)?;
        let profile = self.memory.control_plane.profiles.get(&self.name_of(profile.index()));
        match profile.and_then(|profile| profile.members.get(&member)) {
            Some(action) => Ok(action.clone()),
            None => unsupported("a member that is not there"),
        }
    }

    /// BMv2: the hash of the selecting keys, modulo the number of members, says which of them in ascending order it is.
    fn member_of(&mut self, table: &Table, group: u32, selecting: &[(Value, Type)]) -> Result<u32> {
        let program = self.program;
        let profile = self.profile_of(table)?;
        let [algorithm, ..] = program[profile].args.as_slice() else { return unsupported("this selector") };
        let Some(algorithm) = &algorithm.value else { return unsupported("this selector") };
        let algorithm = self.algorithm(algorithm)?;
        let hash = algorithm(&self.bytes_of(selecting)?);
        let groups = self.memory.control_plane.profiles.get(&self.name_of(profile.index()));
        let members = groups.and_then(|profile| profile.groups.get(&group)).cloned().unwrap_or_default();
        match hash.checked_rem(members.len() as u64) {
            Some(which) => Ok(members[which as usize]),
            None => unsupported("a group without members"),
        }
    }

    /// The profile or selector of a table.
    fn profile_of(&self, table: &Table) -> Result<InstanceId> {
        let property = table.properties.iter().find(|property| &*property.name == "implementation");
        match property.map(|property| &property.value.kind) {
            Some(ExprKind::Object(Object::Instance(id)))
                if matches!(self.program[*id].of, InstanceOf::Extern { .. }) =>
            {
                Ok(*id)
            }
            _ => unsupported("a table without a profile"),
        }
    }

    /// The data of a written action, as they are passed.
    pub(super) fn data_of(action: &Action) -> Vec<Passed> {
        action.data.iter().map(|data| Passed::In(Value::Bits(*data))).collect()
    }
}

fn bits_of(value: &Value) -> Result<u128> {
    match value {
        Value::Bool(truth) => Ok(u128::from(*truth)),
        other => other.bits(),
    }
}

fn matches(key: Match, value: u128) -> bool {
    match key {
        Match::Exact(number) => value == number,
        Match::Any => true,
        Match::Prefix { value: number, mask } | Match::Mask { value: number, mask } => value & mask == number & mask,
        Match::Range { low, high } => (low..=high).contains(&value),
    }
}
