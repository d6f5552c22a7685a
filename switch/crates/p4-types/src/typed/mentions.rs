//! The uses of names in the source.

use super::{ActionId, InstanceId, TableId, ValueSetId, VarId};
use std::collections::{HashMap, HashSet};

/// The names that the source uses, their declarations apart.
///
/// Folding can leave nothing of a use (`false && t.apply().hit`, `stack.size`), so that the bodies alone do not tell
/// whether something is unused.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// Actions that a table lists or a body calls.
    pub actions: HashSet<ActionId>,
    /// Tables that are applied.
    pub tables: HashSet<TableId>,
    /// Instances.
    pub instances: HashSet<InstanceId>,
    /// Value sets.
    pub value_sets: HashSet<ValueSetId>,
    /// Variables and parameters, each with how often it is named. (Places would not do: all tokens out of one use of a
    /// macro have the same place.)
    pub variables: HashMap<VarId, usize>,
}
