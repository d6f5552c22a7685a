//! Where in the program the lowering is.

use crate::calls::call::CopyBack;
use crate::code::structured::BlockLabel;
use crate::statements::exit::TableAction;
use crate::storage::place::Place;
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

/// The surroundings of the statement being lowered.
#[derive(Default)]
pub struct Enclosing {
    /// The instance of a parser or control, by its number.
    pub(crate) context: usize,
    /// The block of the architecture.
    pub(crate) stage: Stage,
    /// Number of actions around.
    pub(crate) action_depth: u32,
    /// Where `return` goes, with the place of the result.
    pub(crate) returns: Vec<(BlockLabel, Place)>,
    /// Where `break` and `continue` go.
    pub(crate) loops: Vec<(BlockLabel, BlockLabel)>,
    /// The copies that the calls around make when they end, the innermost last.
    pub(crate) copies: Vec<Vec<CopyBack>>,
    /// The table's action around.
    pub(crate) table_action: Option<TableAction>,
    /// Conditions around the statement, in checksum controls.
    pub(crate) conditions: Vec<Expr>,
    /// Number of conditions around the statement, in the deparser.
    pub(crate) branches: u32,
    /// Did a block outside of the pipelines `exit`?
    pub(crate) exited: bool,
}
