//! The contents of Thrift messages, as they are: a tree of values, whose meaning the calls know.
//!
//! The `thrift` crate reads and writes the bytes. Its compiler would make structures of the services' description instead, some ten
//! thousand lines for these calls. A build of the switch would need that compiler, or those lines would have to be trusted.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{ProtocolErrorKind, new_protocol_error};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// The result of a call that gives nothing.
    Void,
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    Double(f64),
    /// Text too.
    Bytes(Vec<u8>),
    /// Elements of one type, which an empty list has as well.
    List(TType, Vec<Value>),
    Struct(Fields),
    /// Of texts, the only ones that the services have.
    TextMap(Vec<(String, String)>),
}

/// The fields of a structure by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fields(Vec<(i16, Value)>);

impl Fields {
    pub(crate) fn of<const N: usize>(fields: [(i16, Value); N]) -> Self {
        Self(fields.into())
    }

    pub(crate) fn set(&mut self, number: i16, value: Value) {
        self.0.push((number, value));
    }

    pub(crate) fn get(&self, number: i16) -> Option<&Value> {
        self.0.iter().find(|(other, _)| *other == number).map(|(_, value)| value)
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Self {
        Self::Struct(fields)
    }
}

/// Text.
pub(crate) fn text(text: impl Into<String>) -> Value {
    Value::Bytes(text.into().into_bytes())
}

/// A list of structures.
pub(crate) fn structs(fields: impl IntoIterator<Item = Fields>) -> Value {
    Value::List(TType::Struct, fields.into_iter().map(Value::from).collect())
}

/// A list of byte strings.
pub(crate) fn byte_strings(strings: impl IntoIterator<Item = Vec<u8>>) -> Value {
    Value::List(TType::String, strings.into_iter().map(Value::Bytes).collect())
}

/// Structures and lists in one another; the services have three.
const MOST_LEVELS: u8 = 8;

/// Reads the values of one message, of which there may be so many more.
pub(crate) struct Reader<'p, P> {
    protocol: &'p mut P,
    left: usize,
}

impl<'p, P: TInputProtocol> Reader<'p, P> {
    pub(crate) fn new(protocol: &'p mut P, most: usize) -> Self {
        Self { protocol, left: most }
    }

    /// A structure, as deep in others.
    pub(crate) fn fields(&mut self, level: u8) -> thrift::Result<Fields> {
        if level > MOST_LEVELS {
            return Err(new_protocol_error(ProtocolErrorKind::DepthLimit, "structures in structures, too many"));
        }
        self.protocol.read_struct_begin()?;
        let mut fields = Fields::default();
        loop {
            let TFieldIdentifier { field_type, id, .. } = self.protocol.read_field_begin()?;
            if field_type == TType::Stop {
                break;
            }
            let value = self.value(field_type, level)?;
            self.protocol.read_field_end()?;
            fields.set(id.unwrap_or_default(), value);
        }
        self.protocol.read_struct_end()?;
        Ok(fields)
    }

    fn value(&mut self, of_type: TType, level: u8) -> thrift::Result<Value> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            new_protocol_error(ProtocolErrorKind::SizeLimit, "more values in one message than it may have")
        })?;
        Ok(match of_type {
            TType::Bool => Value::Bool(self.protocol.read_bool()?),
            TType::I08 => Value::I8(self.protocol.read_i8()?),
            TType::I16 => Value::I16(self.protocol.read_i16()?),
            TType::I32 => Value::I32(self.protocol.read_i32()?),
            TType::I64 => Value::I64(self.protocol.read_i64()?),
            TType::Double => Value::Double(self.protocol.read_double()?),
            TType::String => Value::Bytes(self.protocol.read_bytes()?),
            TType::Struct => Value::Struct(self.fields(level + 1)?),
            TType::List if level < MOST_LEVELS => {
                let TListIdentifier { element_type, size } = self.protocol.read_list_begin()?;
                let elements = (0..size).map(|_| self.value(element_type, level + 1));
                let elements = elements.collect::<thrift::Result<_>>()?;
                self.protocol.read_list_end()?;
                Value::List(element_type, elements)
            }
            other => {
                let message = format!("no call of these services takes a value of the type {other}");
                return Err(new_protocol_error(ProtocolErrorKind::NotImplemented, message));
            }
        })
    }
}

/// Writes a structure.
pub(crate) fn write_fields(protocol: &mut impl TOutputProtocol, fields: &Fields) -> thrift::Result<()> {
    protocol.write_struct_begin(&TStructIdentifier::new(""))?;
    for (number, value) in &fields.0 {
        let Some(field_type) = type_of(value) else { continue };
        protocol.write_field_begin(&TFieldIdentifier::new("", field_type, *number))?;
        write(protocol, value)?;
        protocol.write_field_end()?;
    }
    protocol.write_field_stop()?;
    protocol.write_struct_end()
}

/// Of a value that is written at all.
fn type_of(value: &Value) -> Option<TType> {
    Some(match value {
        Value::Void => return None,
        Value::Bool(_) => TType::Bool,
        Value::I8(_) => TType::I08,
        Value::I16(_) => TType::I16,
        Value::I32(_) => TType::I32,
        Value::I64(_) => TType::I64,
        Value::Double(_) => TType::Double,
        Value::Bytes(_) => TType::String,
        Value::List(..) => TType::List,
        Value::Struct(_) => TType::Struct,
        Value::TextMap(_) => TType::Map,
    })
}

fn size(length: usize) -> thrift::Result<i32> {
    i32::try_from(length).map_err(|_| new_protocol_error(ProtocolErrorKind::SizeLimit, "the answer is too long"))
}

fn write(protocol: &mut impl TOutputProtocol, value: &Value) -> thrift::Result<()> {
    match value {
        Value::Void => Ok(()),
        Value::Bool(truth) => protocol.write_bool(*truth),
        Value::I8(number) => protocol.write_i8(*number),
        Value::I16(number) => protocol.write_i16(*number),
        Value::I32(number) => protocol.write_i32(*number),
        Value::I64(number) => protocol.write_i64(*number),
        Value::Double(number) => protocol.write_double(*number),
        Value::Bytes(bytes) => protocol.write_bytes(bytes),
        Value::Struct(fields) => write_fields(protocol, fields),
        Value::List(element_type, elements) => {
            protocol.write_list_begin(&TListIdentifier::new(*element_type, size(elements.len())?))?;
            elements.iter().try_for_each(|element| write(protocol, element))?;
            protocol.write_list_end()
        }
        Value::TextMap(entries) => {
            protocol.write_map_begin(&TMapIdentifier::new(TType::String, TType::String, size(entries.len())?))?;
            for (key, entry) in entries {
                protocol.write_string(key)?;
                protocol.write_string(entry)?;
            }
            protocol.write_map_end()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use thrift::TConfiguration;
    use thrift::protocol::{TBinaryInputProtocol, TBinaryOutputProtocol};

    use super::*;

    fn read(bytes: &[u8], most: usize) -> thrift::Result<Fields> {
        let mut input = TBinaryInputProtocol::with_config(Cursor::new(bytes), true, TConfiguration::default());
        Reader::new(&mut input, most).fields(0)
    }

    fn written(fields: &Fields) -> Vec<u8> {
        let mut bytes = Vec::new();
        let written = write_fields(&mut TBinaryOutputProtocol::new(&mut bytes, true), fields);
        assert!(written.is_ok(), "{written:?}");
        bytes
    }

    #[test]
    fn values_come_back_as_they_were_written() {
        let inner = Fields::of([(1, Value::Double(0.5)), (2, Value::Bool(true)), (3, Value::I8(-1))]);
        let fields = Fields::of([
            (1, Value::I16(-2)),
            (2, text("table")),
            (3, structs([inner.clone(), Fields::default()])),
            (4, byte_strings([vec![0, 1]])),
            (5, Value::I64(i64::MIN)),
            (6, inner.into()),
        ]);
        assert_eq!(read(&written(&fields), 20).ok(), Some(fields));
    }

    #[test]
    fn limits_hold() {
        let numbers = Value::List(TType::I32, vec![Value::I32(1); 5]);
        let bytes = written(&Fields::of([(1, numbers)]));
        assert!(read(&bytes, 6).is_ok() && read(&bytes, 5).is_err(), "the list is a value too");
        let mut deep = Fields::default();
        for _ in 0..MOST_LEVELS {
            deep = Fields::of([(1, deep.into())]);
        }
        assert!(read(&written(&deep), 100).is_ok());
        assert!(read(&written(&Fields::of([(1, deep.into())])), 100).is_err());
        assert!(read(&[0x0b, 0, 1, 0x7f, 0xff, 0xff, 0xff], 100).is_err(), "a string without end");
        assert!(read(&[0x63, 0, 1], 100).is_err(), "an unknown type");
    }
}
