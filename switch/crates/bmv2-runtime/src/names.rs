//! Names: the end of one is enough, as long as nothing else ends so.

use v1model::{
    ActionId, ActionProfileId, ActionProfileInfo, CounterId, MeterInfo, RegisterInfo, TableId, TableInfo, ValueSetInfo,
};

use crate::Runtime;

/// The position of the only name that ends with `wanted` at a dot, or is it.
pub fn only_with_end<'n>(names: impl Iterator<Item = &'n str>, wanted: &str) -> Option<usize> {
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

fn named<'i, T>(infos: &'i [T], name_of: fn(&T) -> &str, wanted: &str) -> Option<&'i T> {
    only_with_end(infos.iter().map(name_of), wanted).map(|index| &infos[index])
}

impl Runtime<'_> {
    /// The table of that name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<TableInfo> {
        named(self.program.tables(), |table| &table.name, name).cloned()
    }

    /// The table with that id.
    #[must_use]
    pub fn table_info(&self, id: TableId) -> Option<&TableInfo> {
        self.program.tables().iter().find(|table| table.id == id)
    }

    /// One of these actions.
    #[must_use]
    pub fn action_among(&self, actions: &[ActionId], name: &str) -> Option<ActionId> {
        only_with_end(actions.iter().map(|id| self.action_name(*id)), name).map(|index| actions[index])
    }

    /// The name of an action.
    #[must_use]
    pub fn action_name(&self, id: ActionId) -> &str {
        self.program.actions().get(id.0 as usize).map_or("", |action| &action.name)
    }

    /// The action profile or selector of that name.
    #[must_use]
    pub fn profile(&self, name: &str) -> Option<ActionProfileInfo> {
        named(self.program.action_profiles(), |profile| &profile.name, name).cloned()
    }

    /// The action profile or selector with that id.
    #[must_use]
    pub fn profile_of(&self, id: ActionProfileId) -> Option<&ActionProfileInfo> {
        self.program.action_profiles().iter().find(|profile| profile.id == id)
    }

    /// The array of counters of that name with its size.
    #[must_use]
    pub fn counter_array(&self, name: &str) -> Option<(CounterId, usize)> {
        let counters = self.program.counters();
        let index = self.any_counter(name).filter(|index| *index < counters.len())?;
        Some((CounterId(u32::try_from(index).ok()?), counters[index].size))
    }

    /// The name of the table whose direct counters are called so.
    #[must_use]
    pub fn direct_counter_table(&self, name: &str) -> Option<&str> {
        let found = self.any_counter(name)?.checked_sub(self.program.counters().len())?;
        Some(&self.program.direct_counters()[found].table)
    }

    /// Arrays and direct counters share their names.
    fn any_counter(&self, name: &str) -> Option<usize> {
        let direct = self.program.direct_counters().iter().map(|counter| &counter.name[..]);
        only_with_end(self.program.counters().iter().map(|counter| &counter.name[..]).chain(direct), name)
    }

    /// The array of meters, or the direct meter, of that name.
    #[must_use]
    pub fn meter(&self, name: &str) -> Option<MeterInfo> {
        named(self.program.meters(), |meter| &meter.name, name).cloned()
    }

    /// The array of registers of that name.
    #[must_use]
    pub fn register(&self, name: &str) -> Option<RegisterInfo> {
        named(self.program.registers(), |register| &register.name, name).cloned()
    }

    /// The parser value set of that name.
    #[must_use]
    pub fn value_set(&self, name: &str) -> Option<ValueSetInfo> {
        named(self.program.value_sets(), |set| &set.name, name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_names_have_to_be_unique() {
        let names = ["MyIngress.ipv4_lpm", "MyEgress.acl", "MyIngress.acl", "acl2"];
        let find = |wanted| only_with_end(names.into_iter(), wanted);
        assert_eq!(find("ipv4_lpm"), Some(0));
        assert_eq!(find("acl"), None);
        assert_eq!(find("MyEgress.acl"), Some(1));
        assert_eq!(find("acl2"), Some(3));
        assert_eq!(find("lpm"), None);
    }
}
