//! Objects by their names, or the message that there is no such object.

use bmv2_runtime::{Counters, Meters};
use v1model::{ActionProfileInfo, RegisterInfo, TableInfo, ValueSetInfo};

use crate::Command;
use crate::failure::{Failure, usage};

fn found<T>(what: Option<T>, kind: &str, name: &str) -> Result<T, Failure> {
    what.ok_or_else(|| usage(format!("Invalid {kind} name ({name})")))
}

impl Command<'_> {
    pub(crate) fn table(&self, name: &str) -> Result<TableInfo, Failure> {
        found(self.runtime.table(name), "table", name)
    }

    pub(crate) fn profile(&self, name: &str) -> Result<ActionProfileInfo, Failure> {
        found(self.runtime.profile(name), "action profile", name)
    }

    pub(crate) fn counters(&self, name: &str) -> Result<Counters, Failure> {
        found(self.runtime.counters(name), "counter", name)
    }

    pub(crate) fn meters(&self, name: &str) -> Result<Meters, Failure> {
        found(self.runtime.meters(name), "meter", name)
    }

    pub(crate) fn register(&self, name: &str) -> Result<RegisterInfo, Failure> {
        found(self.runtime.register(name), "register", name)
    }

    pub(crate) fn value_set(&self, name: &str) -> Result<ValueSetInfo, Failure> {
        found(self.runtime.value_set(name), "parser value set", name)
    }

    /// Tables in the order of their names, without those that the compiler makes for statements.
    pub(crate) fn sorted_tables(&self) -> Vec<TableInfo> {
        let shown = |table: &&TableInfo| !(table.keys.is_empty() && table.name.starts_with("tbl_"));
        let mut tables: Vec<TableInfo> = self.runtime.program.tables().iter().filter(shown).cloned().collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        tables
    }
}
