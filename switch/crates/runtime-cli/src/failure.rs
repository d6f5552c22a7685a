//! Why a command was refused, in the words of `simple_switch_CLI`.

use std::fmt;

use v1model::ControlError;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Something is wrong with the words of the line.
    Usage(String),
    /// A match key cannot be read.
    Key(String),
    /// A parameter of an action cannot be read.
    Data(String),
    /// The switch refuses: of what kind the operation was, and the reason by BMv2's name.
    Operation(&'static str, &'static str),
    /// The same where that name does not say the reason: the reason in words is on a line of its own.
    Explained(&'static str, &'static str, String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => write!(f, "Error: {text}"),
            Self::Key(text) => write!(f, "Invalid match key: {text}"),
            Self::Data(text) => write!(f, "Invalid runtime data: {text}"),
            Self::Operation(kind, code) => write!(f, "Invalid {kind} operation ({code})"),
            Self::Explained(kind, code, reason) => write!(f, "Invalid {kind} operation ({code})\n{reason}"),
        }
    }
}

/// `Error: …`
pub(crate) fn usage(text: impl Into<String>) -> Failure {
    Failure::Usage(text.into())
}

/// A refusal of the switch, which BMv2 has this name for.
pub(crate) fn refused(kind: &'static str, code: &'static str, error: &ControlError) -> Failure {
    match code {
        "ERROR" | "BAD_MATCH_KEY" | "WRONG_TABLE_TYPE" => Failure::Explained(kind, code, error.to_string()),
        _ => Failure::Operation(kind, code),
    }
}

/// A refusal of a table operation.
pub(crate) fn table(error: ControlError) -> Failure {
    let code = match &error {
        ControlError::Full { .. } => "TABLE_FULL",
        ControlError::Exists(_) => "DUPLICATE_ENTRY",
        ControlError::Constant(what) if what.starts_with("the default") => "DEFAULT_ENTRY_IS_CONST",
        ControlError::Constant(_) => "IMMUTABLE_TABLE_ENTRIES",
        ControlError::WrongActionKind { .. } => "WRONG_TABLE_TYPE",
        ControlError::ActionNotInTable { .. } => "INVALID_ACTION_NAME",
        ControlError::MatchKind { .. } | ControlError::Count { .. } | ControlError::ValueTooWide { .. } => {
            "BAD_MATCH_KEY"
        }
        ControlError::Invalid(what) if what.starts_with("key field") => "BAD_MATCH_KEY",
        ControlError::NotFound(what) if what.starts_with("member") => "INVALID_MBR_HANDLE",
        ControlError::NotFound(what) if what.starts_with("group") => "INVALID_GRP_HANDLE",
        ControlError::NotFound(_) => "INVALID_HANDLE",
        ControlError::InUse(what) if what.starts_with("group") => "GRP_STILL_USED",
        ControlError::InUse(_) => "MBR_STILL_USED",
        ControlError::Unsupported(what) if what.ends_with("has no key and so no entries") => "NO_TABLE_KEY",
        _ => "ERROR",
    };
    refused("table", code, &error)
}

/// A refusal about counters, meters or registers.
pub(crate) fn array(kind: &'static str) -> impl Fn(ControlError) -> Failure {
    move |error| match error {
        ControlError::Index { .. } => Failure::Operation(kind, "INVALID_INDEX"),
        error => usage(error.to_string()),
    }
}
