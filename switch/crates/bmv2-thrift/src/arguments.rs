//! Arguments of a call, by the numbers of their fields.

use bmv2_runtime::{Code, Kind, Refusal};

use crate::fault::Fault;
use crate::value::{Fields, Value};

/// A handle or an index; that of nothing where the number is negative.
pub(crate) fn position(number: i32) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A member's or group's handle; that of nothing where the number is negative.
pub(crate) fn handle(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Fields {
    fn wrong(number: i16, what: &str) -> Fault {
        Fault::argument(format!("field {number} has to be {what}"))
    }

    pub(crate) fn bool(&self, number: i16) -> Result<bool, Fault> {
        match self.get(number) {
            Some(Value::Bool(truth)) => Ok(*truth),
            _ => Err(Self::wrong(number, "a truth value")),
        }
    }

    pub(crate) fn i16(&self, number: i16) -> Result<i16, Fault> {
        match self.get(number) {
            Some(Value::I16(value)) => Ok(*value),
            _ => Err(Self::wrong(number, "a number of 16 bits")),
        }
    }

    pub(crate) fn i32(&self, number: i16) -> Result<i32, Fault> {
        match self.get(number) {
            Some(Value::I32(value)) => Ok(*value),
            _ => Err(Self::wrong(number, "a number of 32 bits")),
        }
    }

    /// A number that may be left out.
    pub(crate) fn optional_i32(&self, number: i16) -> Result<Option<i32>, Fault> {
        self.get(number).map(|_| self.i32(number)).transpose()
    }

    pub(crate) fn i64(&self, number: i16) -> Result<i64, Fault> {
        match self.get(number) {
            Some(Value::I64(value)) => Ok(*value),
            _ => Err(Self::wrong(number, "a number of 64 bits")),
        }
    }

    pub(crate) fn double(&self, number: i16) -> Result<f64, Fault> {
        match self.get(number) {
            Some(Value::Double(value)) => Ok(*value),
            _ => Err(Self::wrong(number, "a floating-point number")),
        }
    }

    pub(crate) fn bytes(&self, number: i16) -> Result<&[u8], Fault> {
        match self.get(number) {
            Some(Value::Bytes(bytes)) => Ok(bytes),
            _ => Err(Self::wrong(number, "a byte string")),
        }
    }

    pub(crate) fn text(&self, number: i16) -> Result<&str, Fault> {
        std::str::from_utf8(self.bytes(number)?).map_err(|_| Self::wrong(number, "text in UTF-8"))
    }

    pub(crate) fn fields(&self, number: i16) -> Result<&Fields, Fault> {
        match self.get(number) {
            Some(Value::Struct(fields)) => Ok(fields),
            _ => Err(Self::wrong(number, "a structure")),
        }
    }

    pub(crate) fn list(&self, number: i16) -> Result<&[Value], Fault> {
        match self.get(number) {
            Some(Value::List(_, elements)) => Ok(elements),
            _ => Err(Self::wrong(number, "a list")),
        }
    }

    /// A list of structures.
    pub(crate) fn structs(&self, number: i16) -> Result<Vec<&Fields>, Fault> {
        let elements = self.list(number)?.iter().map(|element| match element {
            Value::Struct(fields) => Ok(fields),
            _ => Err(Self::wrong(number, "a list of structures")),
        });
        elements.collect()
    }

    /// A list of byte strings.
    pub(crate) fn byte_strings(&self, number: i16) -> Result<Vec<&[u8]>, Fault> {
        let elements = self.list(number)?.iter().map(|element| match element {
            Value::Bytes(bytes) => Ok(&bytes[..]),
            _ => Err(Self::wrong(number, "a list of byte strings")),
        });
        elements.collect()
    }

    /// A port, or a number of as many bits; else a refusal of that kind.
    pub(crate) fn u16(&self, number: i16, kind: Kind, what: &str) -> Result<u16, Fault> {
        let value = self.i32(number)?;
        let range = |_| Refusal::explained(kind, Code::Error, format!("{what} must be 0 to {}, not {value}", u16::MAX));
        Ok(u16::try_from(value).map_err(range)?)
    }
}
