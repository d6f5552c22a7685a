//! P4Runtime messages as files: protobuf's text form, JSON or binary.
//!
//! The back end writes text. The other two forms are made from it by way of the message itself, so all three say the same.

use clap::ValueEnum;
use p4runtime_proto::DESCRIPTORS;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use std::path::{Path, PathBuf};

/// The type of P4Info.
pub const P4INFO: &str = "p4.config.v1.P4Info";
/// The type of the message with the entries of a program's tables.
pub const ENTRIES: &str = "p4.v1.WriteRequest";

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Protobuf's binary form.
    Binary,
    /// Protobuf's JSON form.
    Json,
    /// Protobuf's text form.
    Text,
}

/// Endings of file names, with their formats.
const ENDINGS: [(&str, Format); 5] = [
    (".txtpb", Format::Text),
    (".txt", Format::Text),
    (".prototext", Format::Text),
    (".json", Format::Json),
    (".bin", Format::Binary),
];

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Where.
    pub path: PathBuf,
    /// How.
    pub format: Format,
}

impl Output {
    /// A file whose name says its format.
    ///
    /// # Errors
    /// A message for the user, if it does not.
    pub fn named(path: &Path) -> Result<Self, String> {
        let name = path.to_string_lossy();
        match ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)) {
            Some((_, format)) => Ok(Self { path: path.to_owned(), format: *format }),
            None => {
                let known: Vec<&str> = ENDINGS.iter().map(|(ending, _)| *ending).collect();
                let known = known.join(", ");
                Err(format!("the name of the file '{name}' does not say its format; it must end in one of {known}"))
            }
        }
    }
}

/// The bytes of a file: the message of type `name` that `text` says, in another form.
///
/// # Errors
/// If the text is no such message.
pub fn encode(name: &str, text: &str, format: Format) -> Result<Vec<u8>, String> {
    if format == Format::Text {
        return Ok(text.as_bytes().to_vec());
    }
    let pool = DescriptorPool::decode(DESCRIPTORS).map_err(|e| format!("the P4Runtime descriptors: {e}"))?;
    let descriptor = pool.get_message_by_name(name).ok_or_else(|| format!("P4Runtime has no message {name}"))?;
    let message =
        DynamicMessage::parse_text_format(descriptor, text).map_err(|e| format!("the {name} message: {e}"))?;
    match format {
        Format::Json => {
            let mut json = serde_json::to_string_pretty(&message).map_err(|e| format!("the {name} message: {e}"))?;
            json.push('\n');
            Ok(json.into_bytes())
        }
        _ => Ok(message.encode_to_vec()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may panic

    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        let format = |name: &str| Output::named(Path::new(name)).map(|output| output.format);
        assert_eq!(format("a.p4info.txt"), Ok(Format::Text));
        assert_eq!(format("a.txtpb"), Ok(Format::Text));
        assert_eq!(format("dir.json/a.prototext"), Ok(Format::Text));
        assert_eq!(format("a.json"), Ok(Format::Json));
        assert_eq!(format("a.bin"), Ok(Format::Binary));
        for wrong in ["a", "a.JSON", "a.p4info", "json"] {
            assert!(format(wrong).unwrap_err().contains("does not say its format"), "{wrong}");
        }
    }

    #[test]
    fn all_forms_say_the_same() {
        let text = "pkg_info { name: \"n\\303\\244me \\\"x\\\"\" arch: \"v1model\" }\n\
                    tables { preamble { id: 33554433 } size: 18446744073 }\n\
                    registers { type_spec { bitstring { bit { bitwidth: 9 } } } }\n\
                    type_info { structs { key: \"s\" value { members { name: \"f\" type_spec { bool { } } } } } }\n";
        let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
        let descriptor = pool.get_message_by_name(P4INFO).unwrap();
        let meant = DynamicMessage::parse_text_format(descriptor.clone(), text).unwrap();
        let binary = encode(P4INFO, text, Format::Binary).unwrap();
        assert_eq!(DynamicMessage::decode(descriptor.clone(), &binary[..]).unwrap(), meant);
        let json = encode(P4INFO, text, Format::Json).unwrap();
        let mut reader = serde_json::Deserializer::from_slice(&json);
        assert_eq!(DynamicMessage::deserialize(descriptor, &mut reader).unwrap(), meant);
        assert!(String::from_utf8(json).unwrap().contains("\"size\": \"18446744073\""));
    }
}
