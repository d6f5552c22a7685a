//! The bindings of names at the present point of the lowering.

use crate::storage::place::{Binding, ObjectRef};
use p4_types::typed::VarId;
use std::collections::HashMap;

/// The bindings of the bodies around.
#[derive(Default)]
pub struct Bindings {
    /// The places and values that variables stand for.
    pub(crate) variables: HashMap<VarId, Binding>,
    /// The objects that parameters of object types stand for.
    pub(crate) objects: HashMap<VarId, ObjectRef>,
    /// Object arguments of the call being bound, by position.
    pub(crate) pending: Vec<(usize, ObjectRef)>,
}
