//! One client: calls in, answers out.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Take, Write};
use std::net::TcpStream;
use std::time::Duration;

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
};
use thrift::{ApplicationError, ApplicationErrorKind, TConfiguration};

use crate::Services;
use crate::calls::{self, Answer};
use crate::fault::{Fault, number};
use crate::value::{Fields, Reader, Value, write_fields};

/// No message is longer: the longest have a program.
const MAX_MESSAGE_BYTES: u64 = 32 << 20;
/// Values in one message: an entry has about ten.
const MAX_VALUES: usize = 1 << 18;
/// A client that does not take an answer for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

type Input = TBinaryInputProtocol<Take<BufReader<TcpStream>>>;
type Output = TBinaryOutputProtocol<BufWriter<TcpStream>>;

/// Answers calls until one side ends.
pub(crate) fn serve(services: &Services, client: TcpStream) {
    let peer = client.peer_addr().map_or_else(|_| "a client".to_owned(), |address| address.to_string());
    let port = services.port;
    match answer_calls(services, client) {
        Ok(()) => {}
        // Clients go without a word, and are not told when the switch goes.
        Err(thrift::Error::Transport(error)) if is_gone(&error) => {
            tracing::debug!(%peer, port, ?error, "a Thrift client has gone");
        }
        Err(error) => {
            let error = message_of(&error);
            tracing::warn!(%peer, port, error, "not a Thrift call: the connection is closed");
        }
    }
}

/// The message in the error. The error's own text is its kind alone.
fn message_of(error: &thrift::Error) -> &str {
    match error {
        thrift::Error::Transport(error) => &error.message,
        thrift::Error::Protocol(error) => &error.message,
        thrift::Error::Application(error) => &error.message,
        _ => "it cannot be read",
    }
}

fn is_gone(error: &thrift::TransportError) -> bool {
    // A connection that ends in the midst of a message has sent a wrong message.
    error.kind != thrift::TransportErrorKind::EndOfFile
}

fn answer_calls(services: &Services, client: TcpStream) -> thrift::Result<()> {
    client.set_nodelay(true)?;
    client.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let length = usize::try_from(MAX_MESSAGE_BYTES).ok();
    let limits = TConfiguration::builder().max_frame_size(length).max_message_size(length).max_string_size(length);
    let limits = limits.max_container_size(Some(MAX_VALUES)).build()?;
    let reader = BufReader::new(client.try_clone()?).take(0);
    let mut input = TBinaryInputProtocol::with_config(reader, true, limits);
    let mut output = TBinaryOutputProtocol::with_config(BufWriter::new(client), true, TConfiguration::no_limits());
    while has_more(&mut input)? {
        let message = input.read_message_begin()?;
        match message.message_type {
            TMessageType::Call | TMessageType::OneWay => {}
            other => {
                let message = format!("a message that is no call: {other:?}");
                return Err(thrift::new_protocol_error(thrift::ProtocolErrorKind::InvalidData, message));
            }
        }
        let arguments = Reader::new(&mut input, MAX_VALUES).fields(0)?;
        input.read_message_end()?;
        let answer = match calls::find(&message.name) {
            Some(call) => call.run(services, arguments),
            None => Err(unknown(&message.name)),
        };
        if answer == Err(Fault::Stopped) {
            return Ok(());
        }
        if message.message_type == TMessageType::Call {
            write_answer(&mut output, &message, answer)?;
        }
    }
    Ok(())
}

/// Waits for the next message; there is none if the client has gone.
fn has_more(input: &mut Input) -> io::Result<bool> {
    input.transport.set_limit(MAX_MESSAGE_BYTES);
    Ok(!input.transport.fill_buf()?.is_empty())
}

fn unknown(name: &str) -> Fault {
    let services: Vec<&str> = calls::SERVICES.iter().map(|(service, _)| *service).collect();
    let what = match name.split_once(':') {
        Some((service, call)) if services.contains(&service) => format!("the service {service} has no call {call}"),
        _ => format!("{name}: calls are SERVICE:CALL, and the services are {}", services.join(", ")),
    };
    Fault::Application(ApplicationErrorKind::UnknownMethod, what)
}

fn write_answer(output: &mut Output, call: &TMessageIdentifier, answer: Answer) -> thrift::Result<()> {
    // The answer is by the call's name alone.
    let name = call.name.split_once(':').map_or(&call.name[..], |(_, name)| name);
    let result = match answer {
        Ok(value) => Ok(Fields::of([(0, value)])),
        Err(fault) => declared(name, fault),
    };
    let kind = if result.is_ok() { TMessageType::Reply } else { TMessageType::Exception };
    output.write_message_begin(&TMessageIdentifier::new(name, kind, call.sequence_number))?;
    match result {
        Ok(fields) => write_fields(output, &fields)?,
        Err(error) => thrift::Error::write_application_error_to_out_protocol(&error, output)?,
    }
    output.write_message_end()?;
    output.flush()?;
    output.transport.flush().map_err(Into::into)
}

/// The exception that the call's description names, or Thrift's general one.
fn declared(call: &str, fault: Fault) -> Result<Fields, ApplicationError> {
    let code = match fault {
        Fault::Refused(refusal) => {
            tracing::debug!(call, %refusal, "refused");
            match number(refusal.kind, refusal.code) {
                Some(code) => code,
                None => {
                    let why = refusal.reason.unwrap_or_else(|| refusal.code.to_string());
                    return Err(ApplicationError::new(ApplicationErrorKind::InternalError, why));
                }
            }
        }
        Fault::IdLookup(code) => code,
        Fault::Application(kind, message) => return Err(ApplicationError::new(kind, message)),
        Fault::Stopped => return Err(ApplicationError::new(ApplicationErrorKind::Unknown, "the switch has ended")),
    };
    Ok(Fields::of([(1, Fields::of([(1, Value::I32(code))]).into())]))
}
