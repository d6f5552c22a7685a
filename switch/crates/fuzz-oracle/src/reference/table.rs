//! Tables, with initial entries and those that the control plane has written.

use crate::reference::call::Passed;
use crate::reference::{Machine, Result, Value, unsupported};
use num_bigint::BigInt;
use p4_types::typed::{ActionId, Expr, KeySet, Table, TableEntry, TableId, Type};

/// The result of applying a table.
pub(super) struct Applied {
    pub hit: bool,
    pub action: ActionId,
}

impl Machine<'_> {
    /// Looks the keys up and runs the action of the entry, or the default action.
    pub(super) fn apply_table(&mut self, id: TableId) -> Result<Applied> {
        self.step()?;
        let table: &Table = &self.program[id];
        let (mut keys, mut selecting, mut kinds) = (vec![], vec![], vec![]);
        for key in &table.keys {
            let value = (self.evaluate(&key.value)?, key.value.ty.clone());
            match &*self.program[key.match_kind].name {
                "selector" => selecting.push(value),
                kind => {
                    kinds.push(kind);
                    keys.push(value);
                }
            }
        }
        let name = self.name_of(id.index());
        let values: Vec<Value> = keys.iter().map(|(value, _)| value.clone()).collect();
        if let Some((position, entry)) = self.written(&name, &kinds, &values)? {
            let action = self.chosen(table, &entry.action, &selecting)?;
            self.passage.entry = Some((name, position));
            let action = self.run_action(table, action.action, Self::data_of(&action))?;
            return Ok(Applied { hit: true, action });
        }
        let entry = self.look_up(table, &keys)?;
        if let (None, Some(action)) = (entry, self.memory.control_plane.defaults.get(&name).cloned()) {
            self.passage.entry = None;
            let action = self.run_action(table, action.action, Self::data_of(&action))?;
            return Ok(Applied { hit: false, action });
        }
        self.passage.entry = entry.map(|(position, _)| (name, position));
        let Some(call) = entry.map(|(_, entry)| &entry.action).or(table.default_action.as_ref()) else {
            return unsupported("a table without a default action");
        };
        let data = call.args.iter().map(|value| self.evaluate(value).map(Passed::In)).collect::<Result<_>>()?;
        let action = self.run_action(table, call.action, data)?;
        Ok(Applied { hit: entry.is_some(), action })
    }

    fn run_action(&mut self, table: &Table, action: usize, data: Vec<Passed>) -> Result<ActionId> {
        let listed = &table.actions[action];
        let action = &self.program[listed.action];
        let bound = &action.params[..listed.bound_args.len()];
        let mut passed = self.pass(bound, &listed.bound_args)?;
        passed.extend(data);
        self.run(&action.params, passed, &[], &action.body)?;
        Ok(listed.action)
    }

    /// The entry that wins, and its position.
    fn look_up<'t>(&mut self, table: &'t Table, keys: &[(Value, Type)]) -> Result<Option<(usize, &'t TableEntry)>> {
        if keys.is_empty() {
            return Ok(None);
        }
        let mut best: Option<(Rank, usize, &TableEntry)> = None;
        for (position, entry) in table.entries.iter().enumerate() {
            if self.contains_all(&entry.keys, keys)? {
                let rank = self.rank(table, position, entry)?;
                if best.as_ref().is_none_or(|(other, ..)| rank > *other) {
                    best = Some((rank, position, entry));
                }
            }
        }
        Ok(best.map(|(_, position, entry)| (position, entry)))
    }

    /// Among entries that match, the one with the greatest rank wins.
    fn rank(&mut self, table: &Table, position: usize, entry: &TableEntry) -> Result<Rank> {
        let kind_of = |key: usize| &*self.program[table.keys[key].match_kind].name;
        let kinds: Vec<&str> = (0..table.keys.len()).map(kind_of).collect();
        let has_priorities = kinds.iter().any(|kind| !matches!(*kind, "exact" | "lpm"));
        if !has_priorities && let Some(lpm) = kinds.iter().position(|kind| *kind == "lpm") {
            return Ok(Rank::Number(BigInt::from(self.prefix(&entry.keys[lpm])?)));
        }
        Ok(match &entry.priority {
            Some(priority) if table.largest_priority_wins == Some(false) => Rank::Number(-priority),
            Some(priority) => Rank::Number(priority.clone()),
            None => Rank::Order(std::cmp::Reverse(position)),
        })
    }

    /// Length of the prefix that an entry of an `lpm` key gives.
    fn prefix(&mut self, set: &KeySet) -> Result<u32> {
        let ones = |machine: &mut Self, mask: &Expr| Ok(machine.evaluate(mask)?.bits()?.count_ones());
        match set {
            KeySet::Any => Ok(0),
            KeySet::Mask(_, mask) => ones(self, mask),
            // Longer than every mask that is not all ones; with one that is, the two would be the same entry.
            _ => Ok(u32::MAX),
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Order(std::cmp::Reverse<usize>),
    Number(BigInt),
}
