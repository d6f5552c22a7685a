//! Why a command was refused, in the words of `simple_switch_CLI`.

use std::fmt;

use bmv2_runtime::Refusal;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Something is wrong with the words of the line.
    Usage(String),
    /// A match key cannot be read.
    Key(String),
    /// A parameter of an action cannot be read.
    Data(String),
    /// The switch refuses.
    Refused(Refusal),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => write!(f, "Error: {text}"),
            Self::Key(text) => write!(f, "Invalid match key: {text}"),
            Self::Data(text) => write!(f, "Invalid runtime data: {text}"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// `Error: …`
pub(crate) fn usage(text: impl Into<String>) -> Failure {
    Failure::Usage(text.into())
}

/// A refusal that BMv2 has no exception for: the reason alone.
pub(crate) fn only_reason(refusal: Refusal) -> Failure {
    match refusal.reason {
        Some(reason) => Failure::Usage(reason),
        None => Failure::Refused(refusal),
    }
}
