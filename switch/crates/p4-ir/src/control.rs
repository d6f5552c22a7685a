//! Pipelines: actions, tables, and the graph between them.

use crate::Source;
use crate::expr::Expr;
use crate::index_type;
use crate::ops::{CalculationId, Stmt};
use crate::storage::{FieldRef, HeaderId};
use num_bigint::BigInt;

index_type!(
    /// An [`Action`].
    ActionId
);
index_type!(
    /// A [`Table`].
    TableId
);
index_type!(
    /// A [`Node`] of one pipeline.
    NodeId
);

/// Code that a table runs.
#[derive(Clone, Debug)]
pub struct Action {
    /// Control-plane name (several actions may share one).
    pub name: String,
    /// The data that come with a table entry: name and width in bits.
    pub params: Vec<(String, u32)>,
    /// Straight code with forward jumps.
    pub body: Vec<Stmt>,
    /// The declaration.
    pub source: Source,
}

/// How a key is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// All bits.
    Exact,
    /// Longest prefix.
    Lpm,
    /// Value and mask.
    Ternary,
    /// Lower and upper bound.
    Range,
    /// All bits or nothing.
    Optional,
}

impl MatchKind {
    /// P4's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
        }
    }
}

/// The target of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyTarget {
    /// A field.
    Field(FieldRef),
    /// The validity of a header, as one bit.
    Valid(HeaderId),
}

/// One key of a table.
#[derive(Clone, Debug)]
pub struct Key {
    /// The field or validity that is matched.
    pub target: KeyTarget,
    /// How it is matched.
    pub kind: MatchKind,
    /// Control-plane name.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Bits of the target that count, if not all.
    pub mask: Option<BigInt>,
}

/// The value of one key in a table entry of the program.
#[derive(Clone, Debug)]
pub enum EntryKey {
    /// Exactly this.
    Exact(BigInt),
    /// Value and prefix length in bits.
    Lpm(BigInt, u32),
    /// Value and mask.
    Ternary(BigInt, BigInt),
    /// Lower and upper bound, both included.
    Range(BigInt, BigInt),
}

/// A table entry of the program.
#[derive(Clone, Debug)]
pub struct Entry {
    /// One for each key.
    pub keys: Vec<EntryKey>,
    /// The action that it runs.
    pub action: ActionId,
    /// The action's data.
    pub args: Vec<BigInt>,
    /// Smaller numbers win.
    pub priority: i64,
    /// The entry.
    pub source: Source,
}

/// The default action of a table.
#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// The action that it runs.
    pub action: ActionId,
    /// The action's data.
    pub args: Vec<BigInt>,
    /// May the control plane change it?
    pub constant: bool,
}

/// A match-action table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Control-plane name.
    pub name: String,
    /// In order, without selector keys.
    pub keys: Vec<Key>,
    /// Actions that may run.
    pub actions: Vec<ActionId>,
    /// The action that runs without a match.
    pub default: Option<DefaultAction>,
    /// Entries in the program.
    pub entries: Option<Vec<Entry>>,
    /// Are they constant?
    pub const_entries: bool,
    /// Number of entries it must have room for.
    pub size: u64,
    /// Idle time-outs?
    pub support_timeout: bool,
    /// Name of its action profile or selector.
    pub profile: Option<String>,
    /// Direct counters?
    pub with_counters: bool,
    /// Name of its direct meter.
    pub direct_meter: Option<String>,
    /// Made by the compiler, unknown to the control plane?
    pub synthesized: bool,
    /// The declaration.
    pub source: Source,
}

/// The successors of a table.
#[derive(Clone, Debug)]
pub enum TableNext {
    /// Always this (`None`: the end of the pipeline).
    Always(Option<NodeId>),
    /// By hit or miss.
    HitMiss {
        /// After a hit.
        hit: Option<NodeId>,
        /// After a miss.
        miss: Option<NodeId>,
    },
    /// By the action that was run.
    Actions {
        /// Those with a branch of their own, by position in the table's `actions`.
        cases: Vec<(usize, Option<NodeId>)>,
        /// All others.
        otherwise: Option<NodeId>,
    },
}

/// A node of a pipeline's graph.
#[derive(Clone, Debug)]
pub enum Node {
    /// Applies a table.
    Table {
        /// The table.
        table: TableId,
        /// Its successors.
        next: TableNext,
    },
    /// Decides on a condition.
    If {
        /// Name, unique in the program.
        name: String,
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Option<NodeId>,
        /// If not.
        otherwise: Option<NodeId>,
        /// The condition's place.
        source: Source,
    },
}

/// `ingress` or `egress`.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// Name.
    pub name: String,
    /// The graph; without circles.
    pub nodes: Vec<Node>,
    /// Where it starts (`None`: it does nothing).
    pub start: Option<NodeId>,
    /// Action profiles of this pipeline's tables.
    pub profiles: Vec<ActionProfile>,
    /// The declaration.
    pub source: Source,
}

/// An action profile or selector.
#[derive(Clone, Debug)]
pub struct ActionProfile {
    /// Control-plane name.
    pub name: String,
    /// Number of members.
    pub size: u64,
    /// Hash algorithm and its inputs, if it is a selector.
    pub selector: Option<(String, Vec<Expr>)>,
    /// The instance.
    pub source: Source,
}

/// A counter array, or the counters of a table.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Control-plane name.
    pub name: String,
    /// Number of counters; 0 if direct.
    pub size: u64,
    /// The table, if direct.
    pub direct: Option<String>,
    /// The instance.
    pub source: Source,
}

/// The unit of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterUnit {
    /// Packets a second.
    Packets,
    /// Bytes a second.
    Bytes,
}

/// A meter array, or the meters of a table.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Control-plane name.
    pub name: String,
    /// Number of meters.
    pub size: u64,
    /// The unit of its rates.
    pub unit: MeterUnit,
    /// The table and the field for the colour, if direct.
    pub direct: Option<(String, FieldRef)>,
    /// The instance.
    pub source: Source,
}

/// A register array.
#[derive(Clone, Debug)]
pub struct Register {
    /// Control-plane name.
    pub name: String,
    /// Number of elements.
    pub size: u64,
    /// Width of an element in bits.
    pub width: u32,
    /// The instance.
    pub source: Source,
}

/// One part of a calculation's input.
#[derive(Clone, Debug)]
pub enum CalculationInput {
    /// A field (of any kind).
    Field(FieldRef),
    /// A constant of so many bits.
    Const(BigInt, u32),
    /// A whole header.
    Header(HeaderId),
    /// The rest of the packet.
    Payload,
}

/// Something to be hashed or summed.
#[derive(Clone, Debug)]
pub struct Calculation {
    /// Name, unique in the program.
    pub name: String,
    /// BMv2's name of the algorithm.
    pub algorithm: String,
    /// In order.
    pub input: Vec<CalculationInput>,
    /// The call.
    pub source: Source,
}

/// A checksum that is verified before ingress or updated before deparsing.
#[derive(Clone, Debug)]
pub struct Checksum {
    /// Name, unique in the program.
    pub name: String,
    /// Compared with, or set.
    pub target: FieldRef,
    /// How it is computed.
    pub calculation: CalculationId,
    /// Verify (before ingress) or update (before deparsing)?
    pub verify: bool,
    /// Only under this condition.
    pub condition: Expr,
    /// The call.
    pub source: Source,
}
