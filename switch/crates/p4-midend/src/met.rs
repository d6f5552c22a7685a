//! Tables, actions and the like that have been met: each is made once.

use crate::table_state::TableState;
use p4_ir::storage::FieldRef;
use p4_types::typed::{ActionId, TableId, ValueSetId};
use std::collections::HashMap;

/// What has been met so far; the numbers are those of contexts.
#[derive(Default)]
pub struct Met {
    /// Tables.
    pub(super) tables: HashMap<(usize, TableId), TableState>,
    /// Actions.
    pub(super) actions: HashMap<(usize, ActionId), p4_ir::control::ActionId>,
    /// Value sets.
    pub(super) value_sets: HashMap<(usize, ValueSetId), p4_ir::parser::ValueSetId>,
    /// Value sets in the order in which they were met.
    pub(super) value_set_order: Vec<(usize, ValueSetId, u64)>,
    /// Action profiles by name.
    pub(super) profiles: HashMap<String, p4_ir::control::ActionProfile>,
    /// What an action sets that exits within calls that copy out.
    pub(super) exit_flag: Option<FieldRef>,
    /// Destination fields of direct meters.
    pub(super) direct_meter_targets: HashMap<String, FieldRef>,
}
