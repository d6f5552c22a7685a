//! Why something was refused, in BMv2's terms.

use std::fmt;

use v1model::ControlError;

/// The subject of an operation: each has an exception of its own in BMv2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Tables, their entries, members and groups of action profiles.
    Table,
    /// Arrays of counters.
    Counter,
    /// Arrays of meters.
    Meter,
    /// Arrays of registers.
    Register,
    /// Parser value sets.
    ValueSet,
    /// Multicast groups and nodes.
    Multicast,
    /// Mirroring sessions.
    Mirroring,
    /// Parameters of hashes.
    Calculation,
    /// Lists of digests.
    Learning,
    /// Another program.
    Swap,
    /// Ports that come and go.
    Port,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Counter => "counter",
            Self::Meter => "meter",
            Self::Register => "register",
            Self::ValueSet => "parser value set",
            Self::Multicast => "PRE",
            Self::Mirroring => "mirroring",
            Self::Calculation => "crc",
            Self::Learning => "learn",
            Self::Swap => "swap",
            Self::Port => "device manager",
        })
    }
}

macro_rules! codes {
    ($($code:ident $name:literal),+ $(,)?) => {
        /// The reason, by the name that BMv2 has for it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the names say it
        pub enum Code {
            $($code),+
        }

        impl fmt::Display for Code {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$code => $name),+ })
            }
        }
    };
}

codes! {
    AgeingDisabled "AGEING_DISABLED",
    BadActionData "BAD_ACTION_DATA",
    BadMatchKey "BAD_MATCH_KEY",
    BadRatesList "BAD_RATES_LIST",
    CountersDisabled "COUNTERS_DISABLED",
    DefaultEntryIsConst "DEFAULT_ENTRY_IS_CONST",
    DuplicateEntry "DUPLICATE_ENTRY",
    EmptyGroup "EMPTY_GRP",
    Error "ERROR",
    GroupStillUsed "GRP_STILL_USED",
    ImmutableTableEntries "IMMUTABLE_TABLE_ENTRIES",
    InvalidActionName "INVALID_ACTION_NAME",
    InvalidActionProfileName "INVALID_ACTION_PROFILE_NAME",
    InvalidGroupHandle "INVALID_GRP_HANDLE",
    InvalidHandle "INVALID_HANDLE",
    InvalidIndex "INVALID_INDEX",
    InvalidInfoRateValue "INVALID_INFO_RATE_VALUE",
    InvalidBurstSizeValue "INVALID_BURST_SIZE_VALUE",
    InvalidL1Handle "INVALID_L1_HANDLE",
    InvalidListId "INVALID_LIST_ID",
    InvalidMemberHandle "INVALID_MBR_HANDLE",
    InvalidMeterOperation "INVALID_METER_OPERATION",
    InvalidMgid "INVALID_MGID",
    InvalidMgrpHandle "INVALID_MGRP_HANDLE",
    InvalidName "INVALID_NAME",
    InvalidTableName "INVALID_TABLE_NAME",
    MemberAlreadyInGroup "MBR_ALREADY_IN_GRP",
    MemberNotInGroup "MBR_NOT_IN_GRP",
    MemberStillUsed "MBR_STILL_USED",
    MetersDisabled "METERS_DISABLED",
    NoActionProfileSelection "NO_ACTION_PROFILE_SELECTION",
    NoOngoingSwap "NO_ONGOING_SWAP",
    NoTableKey "NO_TABLE_KEY",
    OngoingSwap "ONGOING_SWAP",
    SessionNotFound "SESSION_NOT_FOUND",
    TableFull "TABLE_FULL",
    WrongTableType "WRONG_TABLE_TYPE",
    WrongTypeCalculation "WRONG_TYPE_CALCULATION",
}

/// A refusal. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The subject of the operation.
    pub kind: Kind,
    /// BMv2's name of the reason.
    pub code: Code,
    /// The reason in words, where that name does not say it.
    pub reason: Option<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invalid {} operation ({})", self.kind, self.code)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, "\n{reason}"))
    }
}

impl Refusal {
    /// One that its name says enough of.
    #[must_use]
    pub fn new(kind: Kind, code: Code) -> Self {
        Self { kind, code, reason: None }
    }

    /// One with its reason in words.
    #[must_use]
    pub fn explained(kind: Kind, code: Code, reason: impl Into<String>) -> Self {
        Self { kind, code, reason: Some(reason.into()) }
    }

    /// A refusal of the switch, for which BMv2 has this name.
    pub(crate) fn of_switch(kind: Kind, code: Code, error: &ControlError) -> Self {
        match code {
            Code::Error | Code::BadMatchKey | Code::WrongTableType => Self::explained(kind, code, error.to_string()),
            _ => Self::new(kind, code),
        }
    }
}

/// A refusal of a table operation.
pub(crate) fn table(error: ControlError) -> Refusal {
    let code = match &error {
        ControlError::Full { .. } => Code::TableFull,
        ControlError::Exists(_) => Code::DuplicateEntry,
        ControlError::Constant(what) if what.starts_with("the default") => Code::DefaultEntryIsConst,
        ControlError::Constant(_) => Code::ImmutableTableEntries,
        ControlError::WrongActionKind { .. } => Code::WrongTableType,
        ControlError::ActionNotInTable { .. } => Code::InvalidActionName,
        ControlError::MatchKind { .. } | ControlError::Count { .. } | ControlError::ValueTooWide { .. } => {
            Code::BadMatchKey
        }
        ControlError::Invalid(what) if what.starts_with("key field") => Code::BadMatchKey,
        ControlError::NotFound(what) if what.starts_with("member") => Code::InvalidMemberHandle,
        ControlError::NotFound(what) if what.starts_with("group") => Code::InvalidGroupHandle,
        ControlError::NotFound(_) => Code::InvalidHandle,
        ControlError::InUse(what) if what.starts_with("group") => Code::GroupStillUsed,
        ControlError::InUse(_) => Code::MemberStillUsed,
        ControlError::Unsupported(what) if what.ends_with("has no key and so no entries") => Code::NoTableKey,
        _ => Code::Error,
    };
    Refusal::of_switch(Kind::Table, code, &error)
}

/// A refusal about counters, meters or registers.
pub(crate) fn array(kind: Kind) -> impl Fn(ControlError) -> Refusal {
    move |error| match error {
        ControlError::Index { .. } => Refusal::new(kind, Code::InvalidIndex),
        error => Refusal::explained(kind, Code::Error, error.to_string()),
    }
}
