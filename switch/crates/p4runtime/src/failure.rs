//! [`Failure`]: the fault of one entity, and the gRPC status of a batch of them.

use bytes::Bytes;
use p4runtime_proto::{RpcStatus, runtime};
use prost::Message;
use tonic::{Code, Status};

/// Names the owner of the numeric codes in `p4.v1.Error`; there are none beyond the canonical ones.
const SPACE: &str = "nodectl-v1model";

const TYPE_URL: &str = "type.googleapis.com/p4.v1.Error";

/// Why one update or one read request was refused: a canonical gRPC code and a sentence for the developer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The canonical code the specification asks for in this case.
    pub code: Code,
    /// The fault, naming the entity.
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
    /// The message behind the name of its code: `NOT_FOUND: …`.
    fn named(&self) -> String {
        let code = p4runtime_proto::Code::try_from(self.code as i32).unwrap_or(p4runtime_proto::Code::Unknown);
        format!("{}: {}", code.as_str_name(), self.message)
    }

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

/// The room for the details and the message of a status in the trailing metadata. A gRPC client takes 8 KiB of metadata
/// unless told otherwise. The rest is for the names and for other metadata.
const MAX_METADATA_BYTES: usize = 7_000;

/// A message that is longer is cut; it is in the metadata twice.
const MAX_MESSAGE_BYTES: usize = 600;

/// Packs the outcome of every element of a batch into one status, as the specification's "Error Reporting Messages"
/// says: code UNKNOWN and one `p4.v1.Error` for every element, in order. `Ok` if nothing failed.
///
/// Where that is more than clients take, the details end with the last failure that has room. Its message says how many
/// are not listed. The position of a detail is that of its element all the same. The status's own message always has
/// the first failure, with the name of its code. Of several elements it also says how many failed, and the position.
pub fn batch_status<T>(what: &str, outcomes: &[Outcome<T>]) -> Result<(), Status> {
    let failed = |outcome: &&Outcome<T>| outcome.is_err();
    let failures = outcomes.iter().filter(failed).count();
    let found = outcomes.iter().enumerate().find_map(|(position, outcome)| Some((position, outcome.as_ref().err()?)));
    let Some((position, first)) = found else {
        return Ok(());
    };
    let total = outcomes.len();
    // The status's own code is always UNKNOWN, as the specification has it: many clients print no more than the message.
    let message = match total {
        1 => first.named(),
        _ => format!("{failures} of {total} {what} failed, first (at {position}): {}", first.named()),
    };
    let message = cut(message);
    let errors: Vec<_> = outcomes.iter().map(|outcome| error_message(outcome.as_ref().err())).collect();
    let room = (MAX_METADATA_BYTES - escaped_len(&message)) / 4 * 3;
    let status = RpcStatus { code: Code::Unknown as i32, message: message.clone(), details: listed(errors, room) };
    Err(Status::with_details(Code::Unknown, message, Bytes::from(status.encode_to_vec())))
}

/// The errors as details: all of them if `room` bytes are enough, else as many of the first as end with a failure.
fn listed(errors: Vec<runtime::Error>, room: usize) -> Vec<prost_types::Any> {
    let room = room.saturating_sub(MAX_MESSAGE_BYTES);
    let size = |error: &runtime::Error| {
        let inner = prost::length_delimiter_len(error.encoded_len()) + error.encoded_len();
        let any = TYPE_URL.len() + 3 + inner;
        any + 1 + prost::length_delimiter_len(any)
    };
    let is_failure = |error: &runtime::Error| error.canonical_code != Code::Ok as i32;
    let failures = errors.iter().filter(|error| is_failure(error)).count();
    let (mut used, mut kept, mut kept_failures, mut seen) = (0, 0, 0, 0);
    // One more sentence has to fit in.
    let not_listed = |count: usize| format!("; {count} more failures are not listed");
    let limit = room.saturating_sub(not_listed(failures).len() + 4);
    let all: usize = errors.iter().map(size).sum();
    if all <= limit {
        return errors.iter().map(any).collect();
    }
    for (position, error) in errors.iter().enumerate() {
        used += size(error);
        if used > limit {
            break;
        }
        if is_failure(error) {
            seen += 1;
            (kept, kept_failures) = (position + 1, seen);
        }
    }
    let mut errors = errors;
    errors.truncate(kept);
    if let Some(last) = errors.last_mut()
        && kept_failures < failures
    {
        last.message.push_str(&not_listed(failures - kept_failures));
    }
    errors.iter().map(any).collect()
}

/// The message, cut at a character if it is too long.
fn cut(mut message: String) -> String {
    const MARK: &str = " …";
    if escaped_len(&message) > MAX_MESSAGE_BYTES {
        while escaped_len(&message) + escaped_len(MARK) > MAX_MESSAGE_BYTES && message.pop().is_some() {}
        message.push_str(MARK);
    }
    message
}

/// Bytes of a message in a header, where other bytes than printable ASCII are written as `%41`.
fn escaped_len(message: &str) -> usize {
    message.bytes().map(|byte| if (0x20..0x7f).contains(&byte) && byte != b'%' { 1 } else { 3 }).sum()
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

fn any(message: &runtime::Error) -> prost_types::Any {
    // Not `Any::from_msg`: with generic `bytes` the field type differs between prost versions.
    prost_types::Any { type_url: TYPE_URL.to_owned(), value: message.encode_to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(outcomes: &[Outcome<()>]) -> (String, Vec<runtime::Error>, usize) {
        let Err(status) = batch_status("updates", outcomes) else { panic!("nothing failed") };
        let decoded = RpcStatus::decode(status.details()).unwrap_or_default();
        let errors = decoded.details.iter().map(|any| runtime::Error::decode(&any.value[..]).unwrap_or_default());
        let bytes = status.details().len().div_ceil(3) * 4 + escaped_len(status.message());
        (status.message().to_owned(), errors.collect(), bytes)
    }

    #[test]
    fn small_batches_have_an_error_for_each_element() {
        let (message, errors, _) = details(&[Ok(()), Err(Failure::not_found("no such entry")), Ok(())]);
        assert_eq!(message, "1 of 3 updates failed, first (at 1): NOT_FOUND: no such entry");
        assert_eq!(errors.iter().map(|error| error.canonical_code).collect::<Vec<_>>(), [0, Code::NotFound as i32, 0]);
    }

    #[test]
    fn one_update_says_its_code_and_reason() {
        let (message, errors, _) = details(&[Err(Failure::exists("it is there"))]);
        assert_eq!(message, "ALREADY_EXISTS: it is there");
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn many_failures_fit_what_clients_take() {
        let full = Failure::exhausted("table MyIngress.ipv4_lpm is full (1024)");
        let outcomes: Vec<Outcome<()>> = (0..1000).map(|_| Err(full.clone())).collect();
        let (message, errors, bytes) = details(&outcomes);
        assert!(bytes <= MAX_METADATA_BYTES && bytes > MAX_METADATA_BYTES / 2, "{bytes}");
        let first = "RESOURCE_EXHAUSTED: table MyIngress.ipv4_lpm is full (1024)";
        assert_eq!(message, format!("1000 of 1000 updates failed, first (at 0): {first}"));
        let (last, others) = errors.split_last().unwrap_or_else(|| panic!("no details"));
        assert!(others.len() > 20 && others.iter().all(|error| error.message == full.message));
        assert_eq!(last.message, format!("{}; {} more failures are not listed", full.message, 1000 - errors.len()));
    }

    #[test]
    fn a_late_failure_keeps_its_place_or_is_in_the_message() {
        let late = |position: usize, total: usize| -> Vec<Outcome<()>> {
            (0..total).map(|at| if at == position { Err(Failure::exists("it is there")) } else { Ok(()) }).collect()
        };
        let (_, errors, bytes) = details(&late(60, 1000));
        assert_eq!((errors.len(), errors[60].message.as_str()), (61, "it is there"));
        assert!(bytes <= MAX_METADATA_BYTES);
        let (message, errors, bytes) = details(&late(900, 1000));
        assert_eq!(
            (message.as_str(), errors.len()),
            ("1 of 1000 updates failed, first (at 900): ALREADY_EXISTS: it is there", 0)
        );
        assert!(bytes <= MAX_METADATA_BYTES);
    }

    #[test]
    fn long_messages_are_cut() {
        let long = "ä".repeat(30_000);
        let (message, errors, bytes) = details(&[Err(Failure::invalid(long.clone())), Err(Failure::invalid(long))]);
        assert!(message.ends_with(" …") && bytes <= MAX_METADATA_BYTES, "{bytes}");
        assert!(errors.is_empty());
    }
}
