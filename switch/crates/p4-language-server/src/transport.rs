//! Messages on a stream: a head with the length, and JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// A longer message is skipped.
const MAX_BYTES: u64 = 64 << 20;

/// A message that comes in.
#[derive(Debug)]
pub enum Received {
    /// A JSON value.
    Value(Value),
    /// Something else, and the fault in it; the next message may be right.
    Malformed(String),
}

/// Reads the next message; none at the end of the stream.
///
/// # Errors
/// The stream cannot be read.
pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut length: Option<u64> = None;
    let mut wrong: Option<String> = None;
    loop {
        let mut line = Vec::new();
        // A line without end is not kept whole.
        if stream.by_ref().take(MAX_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => match value.trim().parse() {
                Ok(number) => length = Some(number),
                Err(_) => wrong = Some(format!("the length {:?} is no number", value.trim())),
            },
            Some(_) => {}
            None => wrong = Some("a line of the head has no colon".to_owned()),
        }
    }
    let Some(length) = length else {
        let reason = wrong.unwrap_or_else(|| "the head has no Content-Length".to_owned());
        return Ok(Some(Received::Malformed(reason)));
    };
    if length > MAX_BYTES {
        io::copy(&mut stream.by_ref().take(length), &mut io::sink())?;
        return Ok(Some(Received::Malformed(format!("a message of {length} bytes is too long"))));
    }
    let mut bytes = Vec::new();
    stream.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(value) => Received::Value(value),
        Err(error) => Received::Malformed(format!("the message is no JSON: {error}")),
    }))
}

/// Writes a message.
///
/// # Errors
/// The stream cannot be written.
pub fn write(stream: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(stream, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Ok(Some(received)) = read(&mut bytes) {
            found.push(match received {
                Received::Value(value) => value.to_string(),
                Received::Malformed(_) => "malformed".to_owned(),
            });
        }
        found
    }

    #[test]
    fn what_is_malformed_is_skipped() {
        let right = "Content-Length: 2\r\n\r\n{}";
        assert_eq!(all(format!("{right}content-length:2\n\n[]").as_bytes()), ["{}", "[]"]);
        assert_eq!(all(format!("Content-Length: 3\r\n\r\n{{x}}{right}").as_bytes()), ["malformed", "{}"]);
        assert_eq!(all(format!("Content-Length: x\r\n\r\n{right}").as_bytes()), ["malformed", "{}"]);
        assert_eq!(all(format!("rubbish\r\n\r\n{right}").as_bytes()), ["malformed", "{}"]);
        assert_eq!(all(b"Content-Length: 99999999999999\r\n\r\n{}"), ["malformed"]);
        assert_eq!(all(b"Content-Length: 9\r\n\r\n{}"), Vec::<String>::new());
    }
}
