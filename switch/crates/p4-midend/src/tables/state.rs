//! Tables, actions and action profiles that have been lowered: each is made once.

use crate::storage::temporaries::Temporaries;
use p4_ir::control::{ActionProfile, TableId as IrTable};
use p4_ir::expr::Ty;
use p4_ir::storage::FieldRef;
use p4_types::typed::{ActionId, TableId};
use std::collections::HashMap;

/// A table that has been lowered.
#[derive(Clone, Debug)]
pub struct TableState {
    /// In the program.
    pub id: IrTable,
    /// The table as the control plane sees it.
    pub visible: p4_ir::control_plane::Table,
    /// Actions that the control plane sees, with their names.
    pub actions: Vec<(ActionId, String)>,
    /// Where keys that are not plain fields are kept (with the selector's keys).
    pub keys: Vec<Option<(FieldRef, Ty)>>,
}

/// The tables, actions and profiles lowered so far; the first number of a key is that of its context.
#[derive(Default)]
pub struct Tables {
    tables: HashMap<(usize, TableId), TableState>,
    actions: HashMap<(usize, ActionId), p4_ir::control::ActionId>,
    profiles: HashMap<String, ActionProfile>,
    /// Temporaries of actions. Actions exist once and run wherever their table is applied, whichever temporaries are in
    /// use there.
    temporaries: Temporaries,
}

impl Tables {
    /// A table.
    pub fn get(&self, context: usize, id: TableId) -> Option<&TableState> {
        self.tables.get(&(context, id))
    }

    /// Notes a table.
    pub fn insert(&mut self, context: usize, id: TableId, state: TableState) {
        self.tables.insert((context, id), state);
    }

    /// All tables, in the order in which they were made.
    pub fn in_order(&self) -> Vec<&TableState> {
        let mut tables: Vec<&TableState> = self.tables.values().collect();
        tables.sort_by_key(|state| state.id);
        tables
    }

    /// An action without bound arguments.
    pub fn action(&self, context: usize, id: ActionId) -> Option<p4_ir::control::ActionId> {
        self.actions.get(&(context, id)).copied()
    }

    /// Notes an action without bound arguments.
    pub fn insert_action(&mut self, context: usize, id: ActionId, made: p4_ir::control::ActionId) {
        self.actions.insert((context, id), made);
    }

    /// An action profile or selector.
    pub fn profile(&self, name: &str) -> Option<&ActionProfile> {
        self.profiles.get(name)
    }

    /// Notes an action profile or selector by its name.
    pub fn insert_profile(&mut self, profile: ActionProfile) {
        self.profiles.insert(profile.name.clone(), profile);
    }

    /// Exchanges the temporaries in use with those of actions: before and after an action is lowered.
    pub fn swap_temporaries(&mut self, temporaries: &mut Temporaries) {
        std::mem::swap(temporaries, &mut self.temporaries);
    }
}
