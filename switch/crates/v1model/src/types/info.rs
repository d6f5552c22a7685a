//! The objects of a program, for the control plane.

macro_rules! id_type {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => { $(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+ };
}

id_type!(
    /// Index into [`Program::tables`](crate::Program::tables).
    TableId,
    /// Index into [`Program::actions`](crate::Program::actions).
    ActionId,
    /// Index into [`Program::action_profiles`](crate::Program::action_profiles).
    ActionProfileId,
    /// Index into [`Program::counters`](crate::Program::counters).
    CounterId,
    /// Index into [`Program::meters`](crate::Program::meters).
    MeterId,
    /// Index into [`Program::registers`](crate::Program::registers).
    RegisterId,
    /// Index into [`Program::value_sets`](crate::Program::value_sets).
    ValueSetId,
);

/// How one key field is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Equal.
    Exact,
    /// Longest prefix.
    Lpm,
    /// Value and mask.
    Ternary,
    /// From low to high, both included.
    Range,
    /// Equal, or anything.
    Optional,
    /// A header's validity (old compilers only).
    Valid,
}

/// One key field of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The name the control plane knows (the `@name` of the key, else the expression).
    pub name: String,
    /// The field itself: `header.field`, or `header_valid`.
    pub field: String,
    /// Bits.
    pub width: u32,
    /// How it is matched.
    pub kind: MatchKind,
}

/// Where a table keeps its actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// In the entries.
    Direct,
    /// In the members of an action profile.
    Profile(ActionProfileId),
    /// In the members and groups of an action selector.
    Selector(ActionProfileId),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// Its id.
    pub id: TableId,
    /// Fully qualified name, as in P4Info.
    pub name: String,
    /// Key fields in order; none for a table without key.
    pub keys: Vec<KeyInfo>,
    /// Whether entries have priorities (a key field is ternary, range or optional).
    pub has_priority: bool,
    /// The actions it may run.
    pub actions: Vec<ActionId>,
    /// Where its actions are kept.
    pub kind: TableKind,
    /// Largest number of entries.
    pub max_size: usize,
    /// Whether it has direct counters.
    pub with_counters: bool,
    /// Its direct meter.
    pub direct_meter: Option<MeterId>,
    /// Whether its entries can time out.
    pub support_timeout: bool,
    /// Whether its entries are fixed by the program (`const entries`).
    pub const_entries: bool,
    /// Whether the default action is fixed by the program (`const default_action`).
    pub const_default_action: bool,
}

/// A parameter of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: u32,
}

/// An action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionInfo {
    /// Its id.
    pub id: ActionId,
    /// Fully qualified name, as in P4Info. Not unique: see [`Program::actions`](crate::Program::actions).
    pub name: String,
    /// The values that the control plane gives it.
    pub params: Vec<ParamInfo>,
}

/// An action profile or selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionProfileInfo {
    /// Its id.
    pub id: ActionProfileId,
    /// Fully qualified name.
    pub name: String,
    /// Largest number of members.
    pub max_size: usize,
    /// Whether it has groups.
    pub with_selector: bool,
    /// The tables that use it.
    pub tables: Vec<TableId>,
}

/// An indirect counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayInfo {
    /// Fully qualified name.
    pub name: String,
    /// Number of cells.
    pub size: usize,
}

/// The counters of a table's entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectCounterInfo {
    /// Fully qualified name.
    pub name: String,
    /// The table's name.
    pub table: String,
}

/// The unit that a meter counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterKind {
    /// Bytes.
    Bytes,
    /// Packets.
    Packets,
}

/// A meter array, or a table's direct meter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeterInfo {
    /// Its id.
    pub id: MeterId,
    /// Fully qualified name.
    pub name: String,
    /// The unit it counts in.
    pub kind: MeterKind,
    /// Number of cells; for a direct meter, the table's size.
    pub size: usize,
    /// For a direct meter, its table.
    pub table: Option<TableId>,
}

/// A register array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterInfo {
    /// Its id.
    pub id: RegisterId,
    /// Fully qualified name.
    pub name: String,
    /// Bits of a cell.
    pub width: u32,
    /// Number of cells.
    pub size: usize,
}

/// A parser value set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSetInfo {
    /// Its id.
    pub id: ValueSetId,
    /// Fully qualified name.
    pub name: String,
    /// Bits of all its fields together.
    pub width: u32,
    /// Bits of each field, in order. A member's bytes have each field rounded up to whole bytes.
    pub fields: Vec<u32>,
    /// Largest number of members; 0 if the program does not say.
    pub max_size: usize,
}
