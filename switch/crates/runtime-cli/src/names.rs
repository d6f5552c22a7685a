//! Names: the end of one is enough, as long as nothing else ends so.

use v1model::{ActionId, ActionProfileId, CounterId, RegisterId, TableId, TableInfo, ValueSetId};

use crate::Command;
use crate::failure::{Failure, usage};

/// The position of the only name that ends with `wanted` at a dot, or is it.
fn position<'n>(names: impl Iterator<Item = &'n str>, wanted: &str) -> Option<usize> {
    let mut same_end = None;
    let mut found = 0;
    for (index, name) in names.enumerate() {
        if name == wanted {
            return Some(index);
        }
        if name.strip_suffix(wanted).is_some_and(|front| front.ends_with('.')) {
            (same_end, found) = (Some(index), found + 1);
        }
    }
    same_end.filter(|_| found == 1)
}

fn missing(kind: &str, name: &str) -> Failure {
    usage(format!("Invalid {kind} name ({name})"))
}

impl Command<'_> {
    pub(crate) fn table(&self, name: &str) -> Result<TableInfo, Failure> {
        let tables = self.program.tables();
        let found = position(tables.iter().map(|table| &table.name[..]), name);
        found.map(|index| tables[index].clone()).ok_or_else(|| missing("table", name))
    }

    /// One of these actions.
    pub(crate) fn action_among(&self, actions: &[ActionId], name: &str) -> Option<ActionId> {
        let all = self.program.actions();
        let names = actions.iter().map(|id| all.get(id.0 as usize).map_or("", |action| &action.name));
        position(names, name).map(|index| actions[index])
    }

    pub(crate) fn profile(&self, name: &str) -> Result<v1model::ActionProfileInfo, Failure> {
        let profiles = self.program.action_profiles();
        let found = position(profiles.iter().map(|profile| &profile.name[..]), name);
        found.map(|index| profiles[index].clone()).ok_or_else(|| missing("action profile", name))
    }

    pub(crate) fn profile_of(&self, id: ActionProfileId) -> Option<&v1model::ActionProfileInfo> {
        self.program.action_profiles().iter().find(|profile| profile.id == id)
    }

    pub(crate) fn counter(&self, name: &str) -> Result<(CounterId, usize), Failure> {
        let (counters, direct) = (self.program.counters(), self.program.direct_counters());
        let names = counters.iter().map(|counter| &counter.name[..]);
        let found = position(names.chain(direct.iter().map(|counter| &counter.name[..])), name);
        let index = found.filter(|index| *index < counters.len()).ok_or_else(|| missing("counter", name))?;
        Ok((CounterId(index as u32), counters[index].size))
    }

    /// The name of the table whose direct counters are called so.
    pub(crate) fn direct_counter_table(&self, name: &str) -> Option<&str> {
        let (counters, direct) = (self.program.counters(), self.program.direct_counters());
        let names = counters.iter().map(|counter| &counter.name[..]);
        let found = position(names.chain(direct.iter().map(|counter| &counter.name[..])), name)?;
        found.checked_sub(counters.len()).map(|index| &direct[index].table[..])
    }

    pub(crate) fn meter(&self, name: &str) -> Result<v1model::MeterInfo, Failure> {
        let meters = self.program.meters();
        let found = position(meters.iter().map(|meter| &meter.name[..]), name);
        found.map(|index| meters[index].clone()).ok_or_else(|| missing("meter", name))
    }

    pub(crate) fn register(&self, name: &str) -> Result<(RegisterId, usize), Failure> {
        let registers = self.program.registers();
        let found = position(registers.iter().map(|register| &register.name[..]), name);
        let register = found.map(|index| &registers[index]).ok_or_else(|| missing("register", name))?;
        Ok((register.id, register.size))
    }

    pub(crate) fn value_set(&self, name: &str) -> Result<(ValueSetId, u32, Vec<u32>), Failure> {
        let sets = self.program.value_sets();
        let found = position(sets.iter().map(|set| &set.name[..]), name);
        let set = found.map(|index| &sets[index]).ok_or_else(|| missing("parser value set", name))?;
        Ok((set.id, set.width, set.fields.clone()))
    }

    /// What an action is called.
    pub(crate) fn action_name(&self, id: ActionId) -> &str {
        self.program.actions().get(id.0 as usize).map_or("", |action| &action.name)
    }

    /// Tables in the order of their names, without those that the compiler makes for statements.
    pub(crate) fn sorted_tables(&self) -> Vec<TableInfo> {
        let shown = |table: &&TableInfo| !(table.keys.is_empty() && table.name.starts_with("tbl_"));
        let mut tables: Vec<TableInfo> = self.program.tables().iter().filter(shown).cloned().collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        tables
    }

    /// The table with these direct counters or this direct meter.
    pub(crate) fn table_info(&self, id: TableId) -> Option<&TableInfo> {
        self.program.tables().iter().find(|table| table.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_names_have_to_be_unique() {
        let names = ["MyIngress.ipv4_lpm", "MyEgress.acl", "MyIngress.acl", "acl2"];
        let find = |wanted| position(names.into_iter(), wanted);
        assert_eq!(find("ipv4_lpm"), Some(0));
        assert_eq!(find("acl"), None);
        assert_eq!(find("MyEgress.acl"), Some(1));
        assert_eq!(find("acl2"), Some(3));
        assert_eq!(find("lpm"), None);
    }
}
