//! `P4Data`: values of registers and digests, by the type that P4Info gives them.
//!
//! The data plane has them as a flat list of bit patterns, one for each bit-string leaf of the type.

use bytes::Bytes;
use p4runtime_proto::config::{self, P4DataTypeSpec, P4Info, p4_bitstring_like_type_spec, p4_data_type_spec};
use p4runtime_proto::runtime::{P4Data, P4Header, P4StructLike, p4_data};

use crate::bytestring::{padded, read_signed, read_unsigned, shortest_of, to_u64, write_signed};
use crate::failure::{Failure, Outcome};

/// A type of `P4Data`, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataType {
    /// `bit<W>`.
    Bit(u32),
    /// `int<W>`.
    Int(u32),
    /// `bool`.
    Bool,
    /// A serializable enum, by its width.
    EnumValue(u32),
    /// An enum: the names of its values.
    Enum(Vec<String>),
    /// `error`: the names.
    Error(Vec<String>),
    /// A struct.
    Struct(Vec<DataType>),
    /// A tuple.
    Tuple(Vec<DataType>),
    /// A header.
    Header(Vec<DataType>),
}

/// The data plane keeps enums and errors in this many bits.
const ENUM_WIDTH: u32 = 32;
/// Types nested deeper than this are refused, also those that contain themselves.
const MAX_DEPTH: usize = 32;

impl DataType {
    /// Resolves a type.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for unknown names; UNIMPLEMENTED for what v1model keeps in no register and no digest (unions, stacks,
    /// varbits).
    pub fn new(spec: Option<&P4DataTypeSpec>, p4info: &P4Info) -> Outcome<Self> {
        resolve(spec, p4info.type_info.as_ref().unwrap_or(&config::P4TypeInfo::default()), MAX_DEPTH)
    }

    /// The widths of the leaves, in bits.
    pub fn widths(&self) -> Vec<u32> {
        match self {
            DataType::Bit(width) | DataType::Int(width) | DataType::EnumValue(width) => vec![*width],
            DataType::Bool => vec![1],
            DataType::Enum(_) | DataType::Error(_) => vec![ENUM_WIDTH],
            DataType::Struct(members) | DataType::Tuple(members) | DataType::Header(members) => {
                members.iter().flat_map(DataType::widths).collect()
            }
        }
    }

    /// Writes the next leaves as a value. Missing leaves count as zero.
    pub fn write(&self, leaves: &mut dyn Iterator<Item = &[u8]>) -> P4Data {
        let mut all = |members: &[DataType]| -> Vec<P4Data> { members.iter().map(|m| m.write(leaves)).collect() };
        let data = match self {
            DataType::Struct(members) => p4_data::Data::Struct(P4StructLike { members: all(members) }),
            DataType::Tuple(members) => p4_data::Data::Tuple(P4StructLike { members: all(members) }),
            DataType::Header(members) => {
                let bitstrings = all(members).into_iter().filter_map(bitstring).collect();
                p4_data::Data::Header(P4Header { is_valid: true, bitstrings })
            }
            leaf => leaf.write_leaf(leaves.next().unwrap_or(&[])),
        };
        P4Data { data: Some(data) }
    }

    fn write_leaf(&self, pattern: &[u8]) -> p4_data::Data {
        let name = |names: &[String]| {
            let index = to_u64(pattern).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            names.get(index).cloned().unwrap_or_default()
        };
        match self {
            DataType::Int(width) => p4_data::Data::Bitstring(write_signed(pattern, *width)),
            DataType::Bool => p4_data::Data::Bool(to_u64(pattern) != Some(0)),
            DataType::EnumValue(_) => p4_data::Data::EnumValue(shortest_of(pattern)),
            DataType::Enum(names) => p4_data::Data::Enum(name(names)),
            DataType::Error(names) => p4_data::Data::Error(name(names)),
            _ => p4_data::Data::Bitstring(shortest_of(pattern)),
        }
    }

    /// Reads a value of a type with one leaf (a register's cell) as the data plane keeps it.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the value is of another type, OUT_OF_RANGE if it does not fit.
    pub fn read_leaf(&self, data: &P4Data) -> Outcome<Vec<u8>> {
        let unsigned = |value: &Bytes, width| read_unsigned(value, width).map(|value| padded(&value, width));
        match (self, &data.data) {
            (DataType::Bit(width), Some(p4_data::Data::Bitstring(value))) => unsigned(value, *width),
            (DataType::Int(width), Some(p4_data::Data::Bitstring(value))) => read_signed(value, *width),
            (DataType::Bool, Some(p4_data::Data::Bool(value))) => Ok(vec![u8::from(*value)]),
            (DataType::EnumValue(width), Some(p4_data::Data::EnumValue(value))) => unsigned(value, *width),
            (DataType::Enum(names), Some(p4_data::Data::Enum(value)))
            | (DataType::Error(names), Some(p4_data::Data::Error(value))) => {
                let index = names.iter().position(|name| name == value);
                let index = index.and_then(|index| u32::try_from(index).ok());
                let index = index.ok_or_else(|| Failure::invalid(format!("there is no value \"{value}\"")))?;
                Ok(index.to_be_bytes().to_vec())
            }
            (DataType::Struct(members) | DataType::Tuple(members), Some(given)) if members.len() == 1 => {
                let (p4_data::Data::Struct(given) | p4_data::Data::Tuple(given)) = given else {
                    return Err(Failure::invalid("the data is not a struct or tuple as P4Info says"));
                };
                match (members.first(), given.members.as_slice()) {
                    (Some(member), [value]) => member.read_leaf(value),
                    _ => Err(Failure::invalid("the data has a wrong number of members")),
                }
            }
            (_, None) => Err(Failure::invalid("the data is not set")),
            _ => Err(Failure::invalid("the data is not of the type that P4Info gives")),
        }
    }
}

fn bitstring(data: P4Data) -> Option<Bytes> {
    match data.data {
        Some(p4_data::Data::Bitstring(value) | p4_data::Data::EnumValue(value)) => Some(value),
        _ => None,
    }
}

fn resolve(spec: Option<&P4DataTypeSpec>, types: &config::P4TypeInfo, depth: usize) -> Outcome<DataType> {
    use p4_data_type_spec::TypeSpec;
    let depth = depth.checked_sub(1).ok_or_else(|| Failure::invalid("the type is nested too deeply"))?;
    let unknown = |name: &str| Failure::invalid(format!("type_info has no type \"{name}\""));
    match spec.and_then(|spec| spec.type_spec.as_ref()) {
        None => Err(Failure::invalid("the type is not given")),
        Some(TypeSpec::Bitstring(bits)) => bit_type(bits),
        Some(TypeSpec::Bool(_)) => Ok(DataType::Bool),
        Some(TypeSpec::Error(_)) => {
            Ok(DataType::Error(types.error.as_ref().map(|error| error.members.clone()).unwrap_or_default()))
        }
        Some(TypeSpec::Tuple(tuple)) => {
            let members = tuple.members.iter().map(|member| resolve(Some(member), types, depth));
            Ok(DataType::Tuple(members.collect::<Outcome<_>>()?))
        }
        Some(TypeSpec::Struct(name)) => {
            let spec = types.structs.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            let members = spec.members.iter().map(|member| resolve(member.type_spec.as_ref(), types, depth));
            Ok(DataType::Struct(members.collect::<Outcome<_>>()?))
        }
        Some(TypeSpec::Header(name)) => {
            let spec = types.headers.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            let bit = |spec: &config::p4_header_type_spec::Member| match &spec.type_spec {
                Some(bits) => bit_type(bits),
                None => Err(Failure::invalid("a header field has no type")),
            };
            Ok(DataType::Header(spec.members.iter().map(bit).collect::<Outcome<_>>()?))
        }
        Some(TypeSpec::Enum(name)) => {
            let spec = types.enums.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            Ok(DataType::Enum(spec.members.iter().map(|member| member.name.clone()).collect()))
        }
        Some(TypeSpec::SerializableEnum(name)) => {
            let spec = types.serializable_enums.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            let width = spec.underlying_type.as_ref().and_then(|bits| u32::try_from(bits.bitwidth).ok()).unwrap_or(0);
            Ok(DataType::EnumValue(width))
        }
        Some(TypeSpec::NewType(name)) => {
            use config::{p4_new_type_spec::Representation, p4_new_type_translation::SdnType};
            let spec = types.new_types.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            match &spec.representation {
                Some(Representation::OriginalType(original)) => resolve(Some(original), types, depth),
                Some(Representation::TranslatedType(translated)) => match &translated.sdn_type {
                    Some(SdnType::SdnBitwidth(width)) => Ok(DataType::Bit(u32::try_from(*width).unwrap_or(0))),
                    _ => Err(Failure::unimplemented("values translated to strings are not supported here")),
                },
                None => Err(unknown(&name.name)),
            }
        }
        Some(TypeSpec::HeaderUnion(_) | TypeSpec::HeaderStack(_) | TypeSpec::HeaderUnionStack(_)) => {
            Err(Failure::unimplemented("header unions and stacks are not supported here"))
        }
    }
}

fn bit_type(spec: &config::P4BitstringLikeTypeSpec) -> Outcome<DataType> {
    use p4_bitstring_like_type_spec::TypeSpec;
    let width = |width: i32| u32::try_from(width).map_err(|_| Failure::invalid("a width is negative"));
    match &spec.type_spec {
        Some(TypeSpec::Bit(bits)) => Ok(DataType::Bit(width(bits.bitwidth)?)),
        Some(TypeSpec::Int(bits)) => Ok(DataType::Int(width(bits.bitwidth)?)),
        Some(TypeSpec::Varbit(_)) => Err(Failure::unimplemented("varbits are not supported here")),
        None => Err(Failure::invalid("a bit string has no type")),
    }
}

#[cfg(test)]
#[path = "data_type_tests.rs"]
mod tests;
