//! Tables that have been met.

use p4_ir::control::TableId as IrTable;
use p4_ir::expr::Ty;
use p4_ir::storage::FieldRef;
use p4_types::typed::ActionId;

/// A table that has been met.
#[derive(Clone, Debug)]
pub struct TableState {
    /// In the program.
    pub id: IrTable,
    /// What the control plane sees.
    pub visible: p4_ir::control_plane::Table,
    /// Actions that the control plane sees, with their names.
    pub actions: Vec<(ActionId, String)>,
    /// Where keys that are not plain fields are kept (with the selector's keys).
    pub(super) keys: Vec<Option<(FieldRef, Ty)>>,
}
