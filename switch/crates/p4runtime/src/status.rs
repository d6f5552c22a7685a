//! The switch's errors as P4Runtime's.

use tonic::Code;
use v1model::ControlError;

use crate::failure::Failure;

/// The canonical code of a refusal by the switch.
pub fn control_failure(error: ControlError) -> Failure {
    let code = match &error {
        ControlError::NoProgram | ControlError::InUse(_) => Code::FailedPrecondition,
        ControlError::NotFound(_) => Code::NotFound,
        ControlError::Exists(_) => Code::AlreadyExists,
        ControlError::Full { .. } => Code::ResourceExhausted,
        ControlError::Constant(_) => Code::PermissionDenied,
        ControlError::Index { .. } | ControlError::ValueTooWide { .. } => Code::OutOfRange,
        ControlError::Unknown { .. }
        | ControlError::ActionNotInTable { .. }
        | ControlError::WrongActionKind { .. }
        | ControlError::Count { .. }
        | ControlError::MatchKind { .. }
        | ControlError::Invalid(_)
        | ControlError::Unsupported(_) => Code::InvalidArgument,
    };
    Failure { code, message: error.to_string() }
}
