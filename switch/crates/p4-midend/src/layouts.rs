//! How types and variables are laid out, so far.

use crate::place::Place;
use p4_ir::storage::{HeaderId, HeaderTypeId, UnionTypeId};
use p4_types::typed::{StructId, VarId};
use std::collections::HashMap;
use std::rc::Rc;

/// Types and places that have been laid out.
#[derive(Default)]
pub struct Layouts {
    /// Header types.
    pub(super) header_types: HashMap<StructId, HeaderTypeId>,
    /// Header unions.
    pub(super) union_types: HashMap<StructId, UnionTypeId>,
    /// Headers that hold one `varbit` of so many bits.
    pub(super) varbit_types: HashMap<u32, HeaderTypeId>,
    /// The fields of headers, as places.
    pub(super) header_places: HashMap<HeaderId, Rc<[Place]>>,
    /// Local variables.
    pub(super) local_places: HashMap<VarId, Place>,
}
