//! [`Failure`]: what went wrong with one entity, and how a batch of them becomes a gRPC status.

use bytes::Bytes;
use p4runtime_proto::{RpcStatus, runtime};
use prost::{Message, Name};
use tonic::{Code, Status};

/// Names the owner of the numeric codes in `p4.v1.Error`; there are none beyond the canonical ones.
const SPACE: &str = "nodectl-v1model";

/// Why one update or one read request was refused: a canonical gRPC code and a sentence for the developer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The canonical code the specification asks for in this case.
    pub code: Code,
    /// What is wrong, naming the entity.
    pub message: String,
}

/// The result of handling one entity.
pub type Outcome<T> = Result<T, Failure>;

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident;)*) => {
        impl Failure {
            $($(#[$doc])*
            pub fn $name(message: impl Into<String>) -> Self {
                Failure { code: Code::$code, message: message.into() }
            })*
        }
    };
}

constructors! {
    /// The request does not make sense whatever the state of the switch.
    invalid => InvalidArgument;
    /// The entity is not there.
    not_found => NotFound;
    /// The entity is there already.
    exists => AlreadyExists;
    /// A value does not fit.
    out_of_range => OutOfRange;
    /// The client may not do this.
    denied => PermissionDenied;
    /// A table, profile or set is full.
    exhausted => ResourceExhausted;
    /// The state of the switch does not allow this now.
    precondition => FailedPrecondition;
    /// The server does not do this.
    unimplemented => Unimplemented;
    /// The server failed.
    internal => Internal;
    /// The update was undone, or never tried, because of another one.
    aborted => Aborted;
}

impl Failure {
    /// Puts `context` (the entity) before the message.
    #[must_use]
    pub fn within(mut self, context: impl std::fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        Status::new(failure.code, failure.message)
    }
}

/// Packs the outcome of every element of a batch into one status, as the specification's "Error Reporting Messages"
/// says: code UNKNOWN and one `p4.v1.Error` for every element, in order. `Ok` if nothing failed.
pub fn batch_status<T>(what: &str, outcomes: &[Outcome<T>]) -> Result<(), Status> {
    let failures = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    let Some(first) = outcomes.iter().find_map(|outcome| outcome.as_ref().err()) else {
        return Ok(());
    };
    let message = format!("{failures} of {} {what} failed, first: {}", outcomes.len(), first.message);
    let details = outcomes.iter().map(|outcome| any(&error_message(outcome.as_ref().err()))).collect();
    let status = RpcStatus { code: Code::Unknown as i32, message: message.clone(), details };
    Err(Status::with_details(Code::Unknown, message, Bytes::from(status.encode_to_vec())))
}

fn error_message(failure: Option<&Failure>) -> runtime::Error {
    match failure {
        None => runtime::Error::default(),
        Some(failure) => runtime::Error {
            canonical_code: failure.code as i32,
            message: failure.message.clone(),
            space: SPACE.to_owned(),
            code: failure.code as i32,
            details: None,
        },
    }
}

fn any<M: Message + Name>(message: &M) -> prost_types::Any {
    // Not `Any::from_msg`: with generic `bytes` the field type differs between prost versions.
    prost_types::Any { type_url: format!("type.googleapis.com/{}", M::full_name()), value: message.encode_to_vec() }
}
