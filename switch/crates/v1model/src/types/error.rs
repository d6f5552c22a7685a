//! Why a control operation was refused.

/// Why a control operation was refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// No program is loaded.
    #[error("no program is loaded")]
    NoProgram,
    /// Nothing of that kind and name or id.
    #[error("there is no {kind} {name}")]
    Unknown {
        /// `table`, `register`, …
        kind: &'static str,
        /// Name or id, as asked for.
        name: String,
    },
    /// The action is not one of the table's.
    #[error("action {action} is not one of table {table}'s actions")]
    ActionNotInTable {
        /// Table name.
        table: String,
        /// Action name or id.
        action: String,
    },
    /// The table keeps its actions elsewhere (member instead of action, …).
    #[error("table {table}: {message}")]
    WrongActionKind {
        /// Table name.
        table: String,
        /// The kind of action that was expected.
        message: String,
    },
    /// Wrong number of match fields or parameters.
    #[error("{place} takes {expected} values, {got} were given")]
    Count {
        /// `key of table T`, `action A`.
        place: String,
        /// How many it has.
        expected: usize,
        /// How many came.
        got: usize,
    },
    /// A match of another kind than the field's.
    #[error("{place} is matched as {expected}")]
    MatchKind {
        /// Which field.
        place: String,
        /// The field's match kind.
        expected: String,
    },
    /// The value does not fit.
    #[error("{place} has {width} bits: the value {value} does not fit")]
    ValueTooWide {
        /// Which field or parameter.
        place: String,
        /// Its bits.
        width: u32,
        /// The value in hexadecimal.
        value: String,
    },
    /// Something else is wrong with an argument.
    #[error("{0}")]
    Invalid(String),
    /// An entry, member or group with that key is there already.
    #[error("{0} exists already")]
    Exists(String),
    /// No entry, member or group with that key.
    #[error("{0} does not exist")]
    NotFound(String),
    /// The table, profile or value set is full.
    #[error("{what} is full ({size})")]
    Full {
        /// The table, profile or value set.
        what: String,
        /// Its size.
        size: usize,
    },
    /// The program fixes this.
    #[error("{0} is constant: the program fixes it")]
    Constant(String),
    /// Still used by an entry or a group.
    #[error("{0} is still in use")]
    InUse(String),
    /// An index behind the end.
    #[error("{what} has {size} cells: there is no index {index}")]
    Index {
        /// Which array.
        what: String,
        /// Its size.
        size: usize,
        /// The index that was asked for.
        index: usize,
    },
    /// The table has no direct counter, meter, timeout…
    #[error("{0}")]
    Unsupported(String),
}
