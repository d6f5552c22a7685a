//! Tables with their initial entries; a control plane there is not.

use crate::call::Passed;
use crate::{Machine, Result, Value, unsupported};
use num_bigint::BigInt;
use p4_types::typed::{ActionCall, ActionId, Expr, KeySet, Table, TableEntry, TableId, Type};

/// What applying a table did.
pub(crate) struct Applied {
    pub hit: bool,
    pub action: ActionId,
}

impl Machine<'_> {
    /// Looks the keys up and runs the action of the entry, or the default action.
    pub(crate) fn apply_table(&mut self, id: TableId) -> Result<Applied> {
        self.step()?;
        let table: &Table = &self.program[id];
        let mut keys = vec![];
        for key in &table.keys {
            keys.push((self.evaluate(&key.value)?, key.value.ty.clone()));
        }
        let entry = self.look_up(table, &keys)?;
        let Some(call) = entry.map(|entry| &entry.action).or(table.default_action.as_ref()) else {
            return unsupported("a table without a default action");
        };
        let action = self.run_action(table, call)?;
        Ok(Applied { hit: entry.is_some(), action })
    }

    fn run_action(&mut self, table: &Table, call: &ActionCall) -> Result<ActionId> {
        let listed = &table.actions[call.action];
        let action = &self.program[listed.action];
        let (bound, data) = action.params.split_at(listed.bound_args.len());
        let mut passed = self.pass(bound, &listed.bound_args)?;
        for (_, value) in data.iter().zip(&call.args) {
            passed.push(Passed::In(self.evaluate(value)?));
        }
        self.run(&action.params, passed, &[], &action.body)?;
        Ok(listed.action)
    }

    /// The entry that wins.
    fn look_up<'t>(&mut self, table: &'t Table, keys: &[(Value, Type)]) -> Result<Option<&'t TableEntry>> {
        if keys.is_empty() {
            return Ok(None);
        }
        let mut best: Option<(Rank, &TableEntry)> = None;
        for (position, entry) in table.entries.iter().enumerate() {
            if self.contains_all(&entry.keys, keys)? {
                let rank = self.rank(table, position, entry)?;
                if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                    best = Some((rank, entry));
                }
            }
        }
        Ok(best.map(|(_, entry)| entry))
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
