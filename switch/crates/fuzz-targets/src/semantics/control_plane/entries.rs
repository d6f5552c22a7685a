//! Entries of tables that have none in the program, and the members and groups of their profiles.

use std::collections::BTreeSet;

use fuzz_oracle::random::Random;
use fuzz_oracle::reference::{Action, Choice, Entry, Match, Memory, Path, Profile};
use p4_types::typed::{ExprKind, InstanceId, Object, Program, Table};
use v1model::{
    ActionCall, ActionSpec, GroupMember, KeyMatch, ProfileGroup, ProfileMember, Switch, TableEntry, TableId,
};

use super::objects::{Named, Objects};

/// A table of the switch.
pub(super) struct Target {
    pub name: String,
    pub path: Path,
    pub id: TableId,
    pub with_counters: bool,
    /// Keys and priorities of the entries that were written.
    pub entries: Vec<(Vec<KeyMatch>, i32)>,
}

/// The tables that were written to.
#[derive(Default)]
pub(super) struct Written {
    pub tables: Vec<Target>,
}

impl Written {
    pub fn len(&self) -> usize {
        self.tables.iter().map(|table| table.entries.len()).sum()
    }
}

/// Writes random entries to all tables that have none.
pub(super) fn write(
    program: &Program,
    objects: &Objects,
    random: &mut Random,
    switch: &mut Switch,
    memory: &mut Memory,
) -> Result<Written, String> {
    let mut written = Written::default();
    for named in &objects.tables {
        let table = &program[named.id];
        if !table.entries.is_empty() || table.keys.is_empty() {
            continue;
        }
        // A table that is never applied is not in the compiled program.
        let Some(id) = switch.table_id(&named.name) else { continue };
        let mut writer = Writer { program, table, named, id, random: &mut *random, switch: &mut *switch };
        let profile = match property(table, "implementation") {
            Some(instance) => Some(writer.profile(objects, instance, memory)?),
            None => None,
        };
        let mut entries = vec![];
        for entry in writer.entries(profile.as_ref()) {
            entries.push(writer.insert(&entry)?);
            memory.control_plane.entries.entry(named.path.clone()).or_default().push(entry);
        }
        if !table.default_is_const {
            writer.default(memory)?;
        }
        let with_counters = property(table, "counters").is_some();
        let (name, path) = (named.name.clone(), named.path.clone());
        written.tables.push(Target { name, path, id, with_counters, entries });
    }
    Ok(written)
}

/// The object that is a property of a table.
fn property(table: &Table, name: &str) -> Option<InstanceId> {
    let property = table.properties.iter().find(|property| &*property.name == name)?;
    match property.value.kind {
        ExprKind::Object(Object::Instance(id)) => Some(id),
        _ => None,
    }
}

struct Writer<'a> {
    program: &'a Program,
    table: &'a Table,
    named: &'a Named<p4_types::typed::TableId>,
    id: TableId,
    random: &'a mut Random,
    switch: &'a mut Switch,
}

impl Writer<'_> {
    /// Random entries with different keys and priorities.
    fn entries(&mut self, profile: Option<&Profile>) -> Vec<Entry> {
        let (program, table) = (self.program, self.table);
        let mut entries = vec![];
        let mut seen = BTreeSet::new();
        let first = self.random.below(50);
        for number in 0..self.random.below(7) {
            let mut keys = vec![];
            for key in &table.keys {
                let width = program.width(&key.value.ty).unwrap_or_default() as u32;
                keys.extend(self.key(&program[key.match_kind].name, width));
            }
            let Some(action) = self.choice(profile) else { continue };
            if seen.insert(format!("{keys:?}")) {
                entries.push(Entry { keys, priority: (1 + (first + number * 7) % 50) as i32, action });
            }
        }
        entries
    }

    fn key(&mut self, kind: &str, width: u32) -> Option<Match> {
        let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let draw = |random: &mut Random| u128::from(random.draw()) & all;
        let value = draw(self.random);
        Some(match kind {
            "selector" => return None,
            "ternary" => {
                let mask = draw(self.random);
                Match::Mask { value: value & mask, mask }
            }
            "lpm" => {
                let mask = all & (all << self.random.below(width as usize + 1));
                Match::Prefix { value: value & mask, mask }
            }
            "range" => {
                let other = draw(self.random);
                Match::Range { low: value.min(other), high: value.max(other) }
            }
            "optional" if self.random.one_in(4) => Match::Any,
            _ => Match::Exact(value),
        })
    }

    fn choice(&mut self, profile: Option<&Profile>) -> Option<Choice> {
        let Some(profile) = profile else { return self.action().map(Choice::Action) };
        let groups: Vec<u32> = profile.groups.keys().copied().collect();
        let members: Vec<u32> = profile.members.keys().copied().collect();
        if let (false, Some(group)) = (self.random.one_in(4), self.random.pick(&groups)) {
            return Some(Choice::Group(*group));
        }
        self.random.pick(&members).copied().map(Choice::Member)
    }

    /// One of the table's actions with random data.
    fn action(&mut self) -> Option<Action> {
        let (program, table) = (self.program, self.table);
        let listed: Vec<usize> = (0..table.actions.len()).filter(|action| table.actions[*action].is_listed).collect();
        let action = *self.random.pick(&listed)?;
        let bound = table.actions[action].bound_args.len();
        let params = program[table.actions[action].action].params.iter().skip(bound);
        let widths: Vec<u64> = params.map(|param| program.width(&param.ty).unwrap_or_default()).collect();
        let data = widths.into_iter().map(|width| {
            let value = u128::from(self.random.draw()) << 64 | u128::from(self.random.draw());
            if width >= 128 { value } else { value & ((1 << width) - 1) }
        });
        Some(Action { action, data: data.collect() })
    }

    /// Members, and groups if it is a selector, of the table's profile.
    fn profile(&mut self, objects: &Objects, instance: InstanceId, memory: &mut Memory) -> Result<Profile, String> {
        let around = &self.named.path[..self.named.path.len() - 1];
        let found = objects
            .externs
            .iter()
            .find(|(named, _)| named.id == instance && named.path.split_last().is_some_and(|(_, path)| path == around));
        let Some((named, kind)) = found else { return Err("a profile that is not there".to_owned()) };
        let id = self.switch.action_profile_id(&named.name).ok_or_else(|| format!("no profile {}", named.name))?;
        let mut profile = Profile::default();
        for number in 0..4u32 {
            let Some(action) = self.action() else { continue };
            // In no order.
            let member = 1 + number * 5 % 7;
            let call = self.call(&action)?;
            self.switch.member_insert(id, ProfileMember { id: member, call }).map_err(|error| error.to_string())?;
            profile.members.insert(member, action);
        }
        if kind == "action_selector" {
            for group in 1..3u32 {
                let members: Vec<u32> =
                    profile.members.keys().copied().filter(|member| group == 1 || member % 2 == 0).collect();
                if members.is_empty() {
                    continue;
                }
                let of = |member: &u32| GroupMember { member: *member, weight: 1, watch_port: None };
                let own = ProfileGroup { id: group, max_size: 0, members: members.iter().map(of).collect() };
                self.switch.group_insert(id, own).map_err(|error| error.to_string())?;
                profile.groups.insert(group, members);
            }
        }
        memory.control_plane.profiles.insert(named.path.clone(), profile.clone());
        Ok(profile)
    }

    /// The action of the switch.
    fn call(&self, action: &Action) -> Result<ActionCall, String> {
        let program = self.program;
        let called = &program[program[self.named.id].actions[action.action].action];
        let name = format!("{}.{}", self.named.within, called.name);
        // One of the top level is in no control.
        let id = self.switch.action_id(self.id, &name).or_else(|| self.switch.action_id(self.id, &called.name));
        let id = id.ok_or_else(|| format!("no action {name}"))?;
        Ok(ActionCall { action: id, params: action.data.iter().map(|data| bytes(*data)).collect() })
    }

    /// Writes an entry to the switch: its key and priority there.
    fn insert(&mut self, entry: &Entry) -> Result<(Vec<KeyMatch>, i32), String> {
        let key: Vec<KeyMatch> = entry.keys.iter().zip(self.kinds()).map(|(key, kind)| shown(*key, kind)).collect();
        let action = match &entry.action {
            Choice::Action(action) => ActionSpec::Call(self.call(action)?),
            Choice::Member(member) => ActionSpec::Member(*member),
            Choice::Group(group) => ActionSpec::Group(*group),
        };
        let priority = entry.priority;
        let own = TableEntry { key: key.clone(), priority, action, idle_timeout_ns: 0, metadata: vec![] };
        self.switch.table_insert(self.id, own, 0).map_err(|error| format!("{}: {error}", self.named.name))?;
        Ok((key, priority))
    }

    /// Gives the table another default action.
    fn default(&mut self, memory: &mut Memory) -> Result<(), String> {
        let Some(action) = self.action() else { return Ok(()) };
        let own = ActionSpec::Call(self.call(&action)?);
        self.switch.table_set_default(self.id, own).map_err(|error| format!("{}: {error}", self.named.name))?;
        memory.control_plane.defaults.insert(self.named.path.clone(), action);
        Ok(())
    }

    /// The kinds of the keys that entries have.
    fn kinds(&self) -> impl Iterator<Item = &str> {
        let kinds = self.table.keys.iter().map(|key| &*self.program[key.match_kind].name);
        kinds.filter(|kind| *kind != "selector")
    }
}

/// The key of an entry of the switch.
fn shown(key: Match, kind: &str) -> KeyMatch {
    match key {
        Match::Exact(value) if kind == "optional" => KeyMatch::Optional(Some(bytes(value))),
        Match::Exact(value) => KeyMatch::Exact(bytes(value)),
        Match::Any => KeyMatch::Optional(None),
        Match::Prefix { value, mask } => KeyMatch::Lpm { value: bytes(value), prefix_len: mask.count_ones() },
        Match::Mask { value, mask } => KeyMatch::Ternary { value: bytes(value), mask: bytes(mask) },
        Match::Range { low, high } => KeyMatch::Range { low: bytes(low), high: bytes(high) },
    }
}

fn bytes(value: u128) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}
