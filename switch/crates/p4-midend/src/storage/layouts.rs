//! How types and variables are laid out, so far.

use crate::storage::place::Place;
use p4_ir::storage::{HeaderId, HeaderTypeId, UnionTypeId};
use p4_types::typed::{StructId, VarId};
use std::collections::HashMap;
use std::rc::Rc;

/// Types and places that have been laid out.
#[derive(Default)]
pub struct Layouts {
    /// Header types.
    pub(crate) header_types: HashMap<StructId, HeaderTypeId>,
    /// Header unions.
    pub(crate) union_types: HashMap<StructId, UnionTypeId>,
    /// Headers that hold one `varbit` of so many bits.
    pub(crate) varbit_types: HashMap<u32, HeaderTypeId>,
    /// The fields of headers, as places.
    pub(crate) header_places: HashMap<HeaderId, Rc<[Place]>>,
    /// Local variables.
    pub(crate) local_places: HashMap<VarId, Place>,
}
