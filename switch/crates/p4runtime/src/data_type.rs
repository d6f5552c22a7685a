//! `P4Data`: values of registers and digests, by the type that P4Info gives them.
//!
//! The data plane has them as a flat list of [`Leaf`]s, one for each bit-string leaf of the type.

use bytes::Bytes;
use p4runtime_proto::config::{self, P4DataTypeSpec, P4Info, p4_bitstring_like_type_spec, p4_data_type_spec};
use p4runtime_proto::runtime::{
    P4Data, P4Header, P4HeaderStack, P4HeaderUnion, P4HeaderUnionStack, P4StructLike, P4Varbit, p4_data,
};

use crate::bytestring::{padded, read_signed, read_unsigned, shortest_of, to_u64, write_signed};
use crate::failure::{Failure, Outcome};
use crate::translation::Translations;

/// A bit pattern of the data plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// The bits, most significant first.
    pub pattern: &'a [u8],
    /// Whether the header it is in is valid.
    pub valid: bool,
}

impl<'a> Leaf<'a> {
    /// A pattern that is in no header.
    pub fn plain(pattern: &'a [u8]) -> Self {
        Leaf { pattern, valid: true }
    }
}

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
    /// A header union: its headers by name.
    Union(Vec<(String, DataType)>),
    /// A stack of headers or header unions.
    Stack(Box<DataType>, usize),
    /// `varbit<W>`.
    Varbit(u32),
    /// A type of that name whose values look different to the controller (`@p4runtime_translation`).
    Translated(String),
}

/// The data plane keeps enums and errors in this many bits.
const ENUM_WIDTH: u32 = 32;
/// Longest stack: header stacks in P4 are short.
const MAX_STACK: usize = 1024;
/// Types nested deeper than this are refused, also those that contain themselves.
const MAX_DEPTH: usize = 32;

impl DataType {
    /// Resolves a type.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for unknown names.
    pub fn new(spec: Option<&P4DataTypeSpec>, p4info: &P4Info) -> Outcome<Self> {
        resolve(spec, p4info.type_info.as_ref().unwrap_or(&config::P4TypeInfo::default()), MAX_DEPTH)
    }

    /// The widths of the leaves in the data plane, in bits; `None` for a translated one, of which P4Info does not tell.
    pub fn widths(&self) -> Vec<Option<u32>> {
        match self {
            DataType::Bit(width) | DataType::Int(width) | DataType::EnumValue(width) | DataType::Varbit(width) => {
                vec![Some(*width)]
            }
            DataType::Bool => vec![Some(1)],
            DataType::Enum(_) | DataType::Error(_) => vec![Some(ENUM_WIDTH)],
            DataType::Translated(_) => vec![None],
            DataType::Struct(members) | DataType::Tuple(members) | DataType::Header(members) => {
                members.iter().flat_map(DataType::widths).collect()
            }
            DataType::Union(members) => members.iter().flat_map(|(_, header)| header.widths()).collect(),
            DataType::Stack(element, size) => element.widths().repeat(*size),
        }
    }

    /// Writes the next leaves as a value. Missing leaves count as zero.
    pub fn write(&self, leaves: &mut dyn Iterator<Item = Leaf>, translations: &Translations) -> P4Data {
        let mut all =
            |members: &[DataType]| -> Vec<P4Data> { members.iter().map(|m| m.write(leaves, translations)).collect() };
        let data = match self {
            DataType::Struct(members) => p4_data::Data::Struct(P4StructLike { members: all(members) }),
            DataType::Tuple(members) => p4_data::Data::Tuple(P4StructLike { members: all(members) }),
            DataType::Header(members) => p4_data::Data::Header(write_header(members, leaves, translations)),
            DataType::Union(members) => p4_data::Data::HeaderUnion(write_union(members, leaves, translations)),
            DataType::Stack(element, size) => match element.as_ref() {
                DataType::Union(members) => {
                    let entries = (0..*size).map(|_| write_union(members, leaves, translations)).collect();
                    p4_data::Data::HeaderUnionStack(P4HeaderUnionStack { entries })
                }
                DataType::Header(members) => {
                    let entries = (0..*size).map(|_| write_header(members, leaves, translations)).collect();
                    p4_data::Data::HeaderStack(P4HeaderStack { entries })
                }
                // Types are made by `resolve`, which makes no other stacks.
                _ => p4_data::Data::HeaderStack(P4HeaderStack::default()),
            },
            leaf => leaf.write_leaf(leaves.next().map_or(&[], |leaf| leaf.pattern), translations),
        };
        P4Data { data: Some(data) }
    }

    fn write_leaf(&self, pattern: &[u8], translations: &Translations) -> p4_data::Data {
        let name = |names: &[String]| {
            let index = to_u64(pattern).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            names.get(index).cloned().unwrap_or_default()
        };
        match self {
            DataType::Int(width) => p4_data::Data::Bitstring(write_signed(pattern, *width)),
            DataType::Bool => p4_data::Data::Bool(to_u64(pattern) != Some(0)),
            DataType::EnumValue(_) => p4_data::Data::EnumValue(shortest_of(pattern)),
            DataType::Varbit(_) => p4_data::Data::Varbit(P4Varbit {
                bitstring: shortest_of(pattern),
                bitwidth: i32::try_from(pattern.len() * 8).unwrap_or(i32::MAX),
            }),
            DataType::Enum(names) => p4_data::Data::Enum(name(names)),
            DataType::Error(names) => p4_data::Data::Error(name(names)),
            DataType::Translated(name) => {
                p4_data::Data::Bitstring(translations.to_controller(name, &Bytes::copy_from_slice(pattern)))
            }
            _ => p4_data::Data::Bitstring(shortest_of(pattern)),
        }
    }

    /// Reads a value of a type with one leaf (a register's cell) as the data plane keeps it, in `plane_width` bits.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the value is of another type, OUT_OF_RANGE if it does not fit.
    pub fn read_leaf(&self, data: &P4Data, plane_width: u32, translations: &Translations) -> Outcome<Vec<u8>> {
        let unsigned = |value: &Bytes, width| read_unsigned(value, width).map(|value| padded(&value, width));
        match (self, &data.data) {
            (DataType::Bit(width), Some(p4_data::Data::Bitstring(value))) => unsigned(value, *width),
            (DataType::Translated(name), Some(p4_data::Data::Bitstring(value))) => {
                unsigned(&translations.to_data_plane(name, value)?, plane_width)
            }
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
                    (Some(member), [value]) => member.read_leaf(value, plane_width, translations),
                    _ => Err(Failure::invalid("the data has a wrong number of members")),
                }
            }
            (_, None) => Err(Failure::invalid("the data is not set")),
            _ => Err(Failure::invalid("the data is not of the type that P4Info gives")),
        }
    }
}

/// A header is valid if its first field is in a valid one; an invalid one shows no fields.
fn write_header(members: &[DataType], leaves: &mut dyn Iterator<Item = Leaf>, translations: &Translations) -> P4Header {
    let mut is_valid = true;
    let mut bitstrings = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let leaf = leaves.next().unwrap_or(Leaf::plain(&[]));
        if index == 0 {
            is_valid = leaf.valid;
        }
        bitstrings.extend(bitstring(P4Data { data: Some(member.write_leaf(leaf.pattern, translations)) }));
    }
    P4Header { is_valid, bitstrings: if is_valid { bitstrings } else { Vec::new() } }
}

fn write_union(
    members: &[(String, DataType)],
    leaves: &mut dyn Iterator<Item = Leaf>,
    translations: &Translations,
) -> P4HeaderUnion {
    let mut union = P4HeaderUnion::default();
    for (name, member) in members {
        let DataType::Header(fields) = member else { continue };
        let header = write_header(fields, leaves, translations);
        if header.is_valid && union.valid_header.is_none() {
            union = P4HeaderUnion { valid_header_name: name.clone(), valid_header: Some(header) };
        }
    }
    union
}

fn bitstring(data: P4Data) -> Option<Bytes> {
    match data.data {
        Some(p4_data::Data::Bitstring(value) | p4_data::Data::EnumValue(value)) => Some(value),
        Some(p4_data::Data::Varbit(varbit)) => Some(varbit.bitstring),
        _ => None,
    }
}

fn resolve(spec: Option<&P4DataTypeSpec>, types: &config::P4TypeInfo, depth: usize) -> Outcome<DataType> {
    use p4_data_type_spec::TypeSpec;
    let depth = depth.checked_sub(1).ok_or_else(|| Failure::invalid("the type is nested too deeply"))?;
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
        Some(TypeSpec::Header(name)) => header_type(name, types),
        Some(TypeSpec::HeaderUnion(name)) => union_type(name, types),
        Some(TypeSpec::HeaderStack(stack)) => {
            let element = header_type(stack.header.as_ref().unwrap_or(&config::P4NamedType::default()), types)?;
            Ok(DataType::Stack(Box::new(element), stack_size(stack.size)?))
        }
        Some(TypeSpec::HeaderUnionStack(stack)) => {
            let element = union_type(stack.header_union.as_ref().unwrap_or(&config::P4NamedType::default()), types)?;
            Ok(DataType::Stack(Box::new(element), stack_size(stack.size)?))
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
            use config::p4_new_type_spec::Representation;
            let spec = types.new_types.get(&name.name).ok_or_else(|| unknown(&name.name))?;
            match &spec.representation {
                Some(Representation::OriginalType(original)) => resolve(Some(original), types, depth),
                Some(Representation::TranslatedType(_)) => Ok(DataType::Translated(name.name.clone())),
                None => Err(unknown(&name.name)),
            }
        }
    }
}

fn unknown(name: &str) -> Failure {
    Failure::invalid(format!("type_info has no type \"{name}\""))
}

fn header_type(name: &config::P4NamedType, types: &config::P4TypeInfo) -> Outcome<DataType> {
    let spec = types.headers.get(&name.name).ok_or_else(|| unknown(&name.name))?;
    let bit = |spec: &config::p4_header_type_spec::Member| match &spec.type_spec {
        Some(bits) => bit_type(bits),
        None => Err(Failure::invalid("a header field has no type")),
    };
    Ok(DataType::Header(spec.members.iter().map(bit).collect::<Outcome<_>>()?))
}

fn union_type(name: &config::P4NamedType, types: &config::P4TypeInfo) -> Outcome<DataType> {
    let spec = types.header_unions.get(&name.name).ok_or_else(|| unknown(&name.name))?;
    let member = |member: &config::p4_header_union_type_spec::Member| {
        let header = header_type(member.header.as_ref().unwrap_or(&config::P4NamedType::default()), types)?;
        Ok((member.name.clone(), header))
    };
    Ok(DataType::Union(spec.members.iter().map(member).collect::<Outcome<_>>()?))
}

fn stack_size(size: i32) -> Outcome<usize> {
    let size = usize::try_from(size).ok().filter(|size| *size <= MAX_STACK);
    size.ok_or_else(|| Failure::invalid(format!("a stack has more than {MAX_STACK} elements or less than none")))
}

fn bit_type(spec: &config::P4BitstringLikeTypeSpec) -> Outcome<DataType> {
    use p4_bitstring_like_type_spec::TypeSpec;
    let width = |width: i32| u32::try_from(width).map_err(|_| Failure::invalid("a width is negative"));
    match &spec.type_spec {
        Some(TypeSpec::Bit(bits)) => Ok(DataType::Bit(width(bits.bitwidth)?)),
        Some(TypeSpec::Int(bits)) => Ok(DataType::Int(width(bits.bitwidth)?)),
        Some(TypeSpec::Varbit(bits)) => Ok(DataType::Varbit(width(bits.max_bitwidth)?)),
        None => Err(Failure::invalid("a bit string has no type")),
    }
}

#[cfg(test)]
#[path = "data_type_tests.rs"]
mod tests;
