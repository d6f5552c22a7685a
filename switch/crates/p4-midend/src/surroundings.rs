//! Where in the program the lowering is.

use crate::call::CopyBack;
use crate::code::BlockLabel;
use crate::exit::TableAction;
use crate::place::Place;
use p4_ir::expr::Expr;

/// Which block of the architecture is being lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// The parser.
    #[default]
    Parser,
    /// Checksums before ingress.
    VerifyChecksum,
    /// The ingress pipeline.
    Ingress,
    /// The egress pipeline.
    Egress,
    /// Checksums after egress.
    ComputeChecksum,
    /// The deparser.
    Deparser,
}

/// What is around the statement being lowered.
#[derive(Default)]
pub struct Surroundings {
    /// The instance of a parser or control, by its number.
    pub(super) context: usize,
    /// The block of the architecture.
    pub(super) stage: Stage,
    /// Number of actions around.
    pub(super) action_depth: u32,
    /// Where `return` goes, with the place of the result.
    pub(super) returns: Vec<(BlockLabel, Place)>,
    /// Where `break` and `continue` go.
    pub(super) loops: Vec<(BlockLabel, BlockLabel)>,
    /// What the calls around copy out when they end, the innermost last.
    pub(super) copies: Vec<Vec<CopyBack>>,
    /// The table's action around.
    pub(super) table_action: Option<TableAction>,
    /// Conditions around the statement, in checksum controls.
    pub(super) conditions: Vec<Expr>,
    /// Number of conditions around the statement, in the deparser.
    pub(super) branches: u32,
    /// Did a block outside of the pipelines `exit`?
    pub(super) exited: bool,
}
