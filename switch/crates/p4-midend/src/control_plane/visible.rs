//! Objects that the control plane gets to see besides tables.

use crate::storage::place::{ExternObject, InPlace};
use p4_syntax::Span;
use p4_types::typed::{ActionId, Type};
use std::collections::HashMap;
use std::rc::Rc;

/// Collected on the way, for P4Info.
#[derive(Default)]
pub struct Visible {
    /// Extern objects in the order in which they were made.
    pub(crate) externs: Vec<Rc<ExternObject>>,
    /// Objects that were made in the property of a table.
    pub(crate) in_place: Vec<InPlace>,
    /// Actions that bodies of controls call: context, action, control-plane name.
    pub(crate) direct_actions: Vec<(usize, ActionId, String)>,
    /// Digests sent, by name.
    pub(crate) digests: Vec<(String, Type)>,
    /// Control-plane names by kind, with the place of the declaration.
    pub(crate) claimed_names: HashMap<(String, String), Span>,
    /// Does any control call an extern function?
    pub(crate) calls_extern_functions: bool,
}
