//! From names to ids.

use crate::switch::Switch;
use crate::types::{ActionId, ActionProfileId, CounterId, MeterId, RegisterId, TableId, ValueSetId};

impl Switch {
    /// The table of that name.
    #[must_use]
    pub fn table_id(&self, name: &str) -> Option<TableId> {
        let tables = self.program.as_ref()?.tables();
        tables.iter().find(|t| t.name == name).map(|t| t.id)
    }

    /// The action of that name among the table's actions.
    #[must_use]
    pub fn action_id(&self, table: TableId, name: &str) -> Option<ActionId> {
        let program = self.program.as_ref()?;
        let table = program.tables().get(table.index())?;
        table.actions.iter().copied().find(|a| program.actions().get(a.index()).is_some_and(|i| i.name == name))
    }

    /// The action profile or selector of that name.
    #[must_use]
    pub fn action_profile_id(&self, name: &str) -> Option<ActionProfileId> {
        let profiles = self.program.as_ref()?.action_profiles();
        profiles.iter().find(|p| p.name == name).map(|p| p.id)
    }

    /// The indirect counter of that name.
    #[must_use]
    pub fn counter_id(&self, name: &str) -> Option<CounterId> {
        let index = self.program.as_ref()?.counters().iter().position(|c| c.name == name)?;
        Some(CounterId(u32::try_from(index).ok()?))
    }

    /// The meter (direct or indirect) of that name.
    #[must_use]
    pub fn meter_id(&self, name: &str) -> Option<MeterId> {
        self.program.as_ref()?.meters().iter().find(|m| m.name == name).map(|m| m.id)
    }

    /// The register of that name.
    #[must_use]
    pub fn register_id(&self, name: &str) -> Option<RegisterId> {
        self.program.as_ref()?.registers().iter().find(|r| r.name == name).map(|r| r.id)
    }

    /// The parser value set of that name.
    #[must_use]
    pub fn value_set_id(&self, name: &str) -> Option<ValueSetId> {
        self.program.as_ref()?.value_sets().iter().find(|v| v.name == name).map(|v| v.id)
    }
}
