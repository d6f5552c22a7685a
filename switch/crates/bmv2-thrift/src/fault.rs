//! Why a call fails: an exception that its description names, or Thrift's general one.

use bmv2_runtime::{Code, Kind, Refusal};
use engine::EngineError;
use thrift::ApplicationErrorKind;

/// A failure of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The switch refuses.
    Refused(Refusal),
    /// Thrift's general exception, with a message for people.
    Application(ApplicationErrorKind, String),
    /// The names of resources have an exception of their own: its code.
    IdLookup(i32),
    /// The switch has ended: so does the connection.
    Stopped,
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Stopped => Self::Stopped,
            EngineError::UnknownDevice(_) => Self::failed(error.to_string()),
        }
    }
}

impl Fault {
    /// A failure for which no exception of the call has a code.
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self::Application(ApplicationErrorKind::InternalError, why.into())
    }

    /// An argument is missing, or not of the type that the call takes.
    pub(crate) fn argument(why: impl Into<String>) -> Self {
        Self::Application(ApplicationErrorKind::ProtocolError, why.into())
    }
}

/// The number of a code in the enumeration of its kind of exception, if it is in there.
pub(crate) fn number(kind: Kind, code: Code) -> Option<i32> {
    Some(match (kind, code) {
        (Kind::Table, Code::TableFull) => 1,
        (Kind::Table, Code::InvalidHandle) => 2,
        (Kind::Table, Code::CountersDisabled) => 4,
        (Kind::Table, Code::MetersDisabled) => 5,
        (Kind::Table, Code::AgeingDisabled) => 6,
        (Kind::Table, Code::InvalidTableName) => 7,
        (Kind::Table, Code::InvalidActionName) => 8,
        (Kind::Table, Code::WrongTableType) => 9,
        (Kind::Table, Code::InvalidMemberHandle) => 10,
        (Kind::Table, Code::MemberStillUsed) => 11,
        (Kind::Table, Code::MemberAlreadyInGroup) => 12,
        (Kind::Table, Code::MemberNotInGroup) => 13,
        (Kind::Table, Code::InvalidGroupHandle) => 14,
        (Kind::Table, Code::GroupStillUsed) => 15,
        (Kind::Table, Code::EmptyGroup) => 16,
        (Kind::Table, Code::DuplicateEntry) => 17,
        (Kind::Table, Code::BadMatchKey) => 18,
        (Kind::Table, Code::InvalidMeterOperation) => 19,
        (Kind::Table, Code::DefaultEntryIsConst) => 21,
        (Kind::Table, Code::InvalidActionProfileName) => 23,
        (Kind::Table, Code::NoActionProfileSelection) => 24,
        (Kind::Table, Code::ImmutableTableEntries) => 25,
        (Kind::Table, Code::BadActionData) => 26,
        (Kind::Table, Code::NoTableKey) => 27,
        (Kind::Table, Code::Error) => 100,
        (Kind::Multicast, Code::TableFull) => 1,
        (Kind::Multicast, Code::InvalidMgid) => 2,
        (Kind::Multicast, Code::InvalidMgrpHandle) => 3,
        (Kind::Multicast, Code::InvalidL1Handle) => 4,
        (Kind::Multicast, Code::Error) => 5,
        (Kind::Meter, Code::BadRatesList) => 3,
        (Kind::Meter, Code::InvalidInfoRateValue) => 4,
        (Kind::Meter, Code::InvalidBurstSizeValue) => 5,
        (Kind::Meter, Code::Error) => 6,
        (Kind::Calculation, Code::WrongTypeCalculation) => 2,
        (Kind::Calculation, Code::Error) => 3,
        (Kind::Swap, Code::OngoingSwap) => 2,
        (Kind::Swap, Code::NoOngoingSwap) => 3,
        (Kind::Learning, Code::InvalidListId)
        | (Kind::Mirroring, Code::SessionNotFound)
        | (Kind::Port, Code::Error) => 1,
        (Kind::ValueSet, Code::Error) => 2,
        (Kind::Counter | Kind::Register | Kind::Learning, Code::Error) => 3,
        (Kind::Counter | Kind::Meter | Kind::Register | Kind::ValueSet | Kind::Calculation, Code::InvalidName) => 1,
        (Kind::Counter | Kind::Meter | Kind::Register, Code::InvalidIndex) => 2,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_their_exceptions() {
        assert_eq!(number(Kind::Table, Code::Error), Some(100));
        assert_eq!(number(Kind::Meter, Code::InvalidIndex), Some(2));
        assert_eq!(number(Kind::Multicast, Code::InvalidL1Handle), Some(4));
        // A mirroring session out of range has no code: it becomes Thrift's general exception.
        assert_eq!(number(Kind::Mirroring, Code::Error), None);
    }
}
