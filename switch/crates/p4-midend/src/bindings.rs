//! What names stand for where the lowering is.

use crate::place::{Binding, ObjectRef};
use p4_types::typed::VarId;
use std::collections::HashMap;

/// The bindings of the bodies around.
#[derive(Default)]
pub struct Bindings {
    /// What variables stand for.
    pub(super) variables: HashMap<VarId, Binding>,
    /// What parameters of object types stand for.
    pub(super) objects: HashMap<VarId, ObjectRef>,
    /// Object arguments of the call being bound, by position.
    pub(super) pending: Vec<(usize, ObjectRef)>,
}
