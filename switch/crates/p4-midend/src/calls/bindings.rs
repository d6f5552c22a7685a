//! What names stand for where the lowering is.

use crate::storage::place::{Binding, ObjectRef};
use p4_types::typed::VarId;
use std::collections::HashMap;

/// The bindings of the bodies around.
#[derive(Default)]
pub struct Bindings {
    /// What variables stand for.
    pub(crate) variables: HashMap<VarId, Binding>,
    /// What parameters of object types stand for.
    pub(crate) objects: HashMap<VarId, ObjectRef>,
    /// Object arguments of the call being bound, by position.
    pub(crate) pending: Vec<(usize, ObjectRef)>,
}
