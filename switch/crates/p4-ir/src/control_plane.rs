//! The control plane's view of a program, in the words of the P4Runtime specification's P4Info.
//!
//! Names are fully qualified control-plane names. Identifiers are not here, unless the program
//! gives one by `@id`: they follow from the names and are worked out by the writer. References
//! (a table's actions, a counter's table) are by name.

use crate::Source;
use crate::control::EntryKey;
use num_bigint::BigInt;

/// Part of the body of a structured annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationValue {
    /// A string.
    Text(String),
    /// A number.
    Number(i64),
    /// A truth value.
    Bool(bool),
}

/// An annotation that P4Info repeats (all but those with a place of their own there).
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// `@name(…)`, as written.
    Text(String),
    /// `@name[value, …]`.
    List(String, Vec<AnnotationValue>),
    /// `@name[key=value, …]`.
    Pairs(String, Vec<(String, AnnotationValue)>),
}

/// Annotations and documentation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Annotations to be repeated.
    pub annotations: Vec<Annotation>,
    /// `@brief`.
    pub brief: Option<String>,
    /// `@description`.
    pub description: Option<String>,
}

/// The part with which every object begins.
#[derive(Clone, Debug, Default)]
pub struct Preamble {
    /// Fully qualified name.
    pub name: String,
    /// `@id`.
    pub id: Option<u32>,
    /// Where `@id` stands.
    pub id_source: Source,
    /// Annotations and documentation.
    pub notes: Notes,
}

/// The program as a whole.
#[derive(Clone, Debug, Default)]
pub struct PackageInfo {
    /// The keys of `@pkginfo`: name, version, arch, organization, contact, url.
    pub fields: Vec<(String, String)>,
    /// The keys of `@platform_property`.
    pub platform: Vec<(String, i64)>,
    /// Annotations and documentation.
    pub notes: Notes,
}

/// How a match field is matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchType {
    /// One that P4Info knows, by its name there (`EXACT`, …).
    Standard(&'static str),
    /// Another one.
    Other(String),
}

/// A field of a table key or of a value set.
#[derive(Clone, Debug)]
pub struct MatchField {
    /// Number within the table.
    pub id: u32,
    /// Name; empty if it has none.
    pub name: String,
    /// Width in bits as the control plane sees it; 0 if it has none.
    pub bits: u32,
    /// How it is matched.
    pub match_type: MatchType,
    /// The name of its `type`, if it has one.
    pub type_name: Option<String>,
    /// Annotations and documentation.
    pub notes: Notes,
}

/// Where an action of a table may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    TableAndDefault,
    /// `@tableonly`.
    TableOnly,
    /// `@defaultonly`.
    DefaultOnly,
}

/// An action in the list of a table.
#[derive(Clone, Debug)]
pub struct ActionRef {
    /// The action.
    pub name: String,
    /// Where it may be used.
    pub scope: Scope,
    /// Annotations of the reference.
    pub notes: Notes,
}

/// The default action of a table.
#[derive(Clone, Debug)]
pub struct DefaultAction {
    /// The action.
    pub name: String,
    /// May not be changed?
    pub constant: bool,
    /// Parameter number, value and width in bits.
    pub args: Vec<(u32, BigInt, u32)>,
}

/// An entry that the program gives a table.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// For each of the table's match fields the value that it matches, and the width in bits.
    pub keys: Vec<(EntryKey, u32)>,
    /// The action.
    pub action: String,
    /// Parameter number, value and width in bits.
    pub args: Vec<(u32, BigInt, u32)>,
    /// As the program has it, or counted down to 1 for constant entries; `None` where priorities do not count.
    pub priority: Option<i64>,
    /// May not be changed?
    pub is_const: bool,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name and so on.
    pub preamble: Preamble,
    /// Its keys without those of kind `selector`.
    pub match_fields: Vec<MatchField>,
    /// Its actions.
    pub action_refs: Vec<ActionRef>,
    /// Its default action.
    pub default_action: Option<DefaultAction>,
    /// Its action profile.
    pub implementation: Option<String>,
    /// Its direct counter.
    pub direct_counter: Option<String>,
    /// Its direct meter.
    pub direct_meter: Option<String>,
    /// Number of entries.
    pub size: u64,
    /// Does it notify the control plane about idle entries?
    pub idle_timeout: bool,
    /// `const entries`?
    pub is_const: bool,
    /// Its entries in the program, those that win first.
    pub entries: Vec<TableEntry>,
}

/// A parameter of an action or a field of a packet-in or packet-out header.
#[derive(Clone, Debug)]
pub struct Param {
    /// Number within the action or header.
    pub id: u32,
    /// Name.
    pub name: String,
    /// Width in bits as the control plane sees it; 0 if it has none.
    pub bits: u32,
    /// The name of its `type`, if it has one.
    pub type_name: Option<String>,
    /// Annotations and documentation.
    pub notes: Notes,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    /// Name and so on.
    pub preamble: Preamble,
    /// Its run-time data.
    pub params: Vec<Param>,
}

/// How the size of a selector is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorSize {
    /// Sum of the members' weights.
    SumOfWeights,
    /// Number of members, and the greatest weight of one (0: not said).
    SumOfMembers(i64),
}

/// An action profile or selector.
#[derive(Clone, Debug)]
pub struct ActionProfile {
    /// Name and so on.
    pub preamble: Preamble,
    /// The tables that use it.
    pub tables: Vec<String>,
    /// Is it a selector?
    pub with_selector: bool,
    /// Number of members.
    pub size: u64,
    /// `@max_group_size`.
    pub max_group_size: Option<i64>,
    /// `@selector_size_semantics`.
    pub selector_size: Option<SelectorSize>,
}

/// A counter or a meter.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Name and so on.
    pub preamble: Preamble,
    /// P4Info's name of the unit: `BYTES`, `PACKETS` or `BOTH`.
    pub unit: &'static str,
    /// Number of elements, if it is not direct.
    pub size: u64,
    /// Its table, if it is direct.
    pub table: Option<String>,
}

/// A header that carries metadata between data plane and controller.
#[derive(Clone, Debug)]
pub struct ControllerHeader {
    /// The header type's name and so on.
    pub preamble: Preamble,
    /// `packet_in` or `packet_out`.
    pub controller_name: String,
    /// Its fields.
    pub fields: Vec<Param>,
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Name and so on.
    pub preamble: Preamble,
    /// Its parts.
    pub fields: Vec<MatchField>,
    /// Number of members.
    pub size: u64,
}

/// A register array.
#[derive(Clone, Debug)]
pub struct Register {
    /// Name and so on.
    pub preamble: Preamble,
    /// Type of an element.
    pub type_spec: TypeSpec,
    /// Number of elements.
    pub size: u64,
}

/// A digest.
#[derive(Clone, Debug)]
pub struct Digest {
    /// Name and so on.
    pub preamble: Preamble,
    /// Type of the data that is sent.
    pub type_spec: TypeSpec,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpec {
    /// `bit<W>`.
    Bit(u32),
    /// `int<W>`.
    Int(u32),
    /// `varbit<W>`.
    Varbit(u32),
    /// `bool`.
    Bool,
    /// `tuple<…>` or `list<…>`.
    Tuple(Vec<TypeSpec>),
    /// A structure of [`TypeInfo::structs`].
    Struct(String),
    /// A header of [`TypeInfo::headers`].
    Header(String),
    /// A header union of [`TypeInfo::header_unions`].
    HeaderUnion(String),
    /// A stack of headers.
    HeaderStack(String, u64),
    /// A stack of header unions.
    HeaderUnionStack(String, u64),
    /// An enumeration of [`TypeInfo::enums`].
    Enum(String),
    /// `error`.
    Error,
    /// A serializable enumeration of [`TypeInfo::serializable_enums`].
    SerializableEnum(String),
    /// A `type` of [`TypeInfo::new_types`].
    NewType(String),
}

/// The type behind a `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum NewType {
    /// Another type.
    Original(TypeSpec),
    /// `@p4runtime_translation` with an URI and a string (`None`) or a number of bits.
    Translated(String, Option<u32>),
}

/// A serializable enumeration.
#[derive(Clone, Debug)]
pub struct SerializableEnum {
    /// Width of its values in bits.
    pub bits: u32,
    /// Members and values.
    pub members: Vec<(String, BigInt)>,
}

/// The named types that the other parts use; each list is in the order of first use and without
/// doubles.
#[derive(Clone, Debug, Default)]
pub struct TypeInfo {
    /// Is it written although it may be empty?
    pub is_present: bool,
    /// Structures and their members.
    pub structs: Vec<(String, Vec<(String, TypeSpec)>)>,
    /// Headers and their fields.
    pub headers: Vec<(String, Vec<(String, TypeSpec)>)>,
    /// Header unions and their members (name and header type).
    pub header_unions: Vec<(String, Vec<(String, String)>)>,
    /// Enumerations and their members.
    pub enums: Vec<(String, Vec<String>)>,
    /// Errors, if any part uses them.
    pub errors: Option<Vec<String>>,
    /// Serializable enumerations.
    pub serializable_enums: Vec<(String, SerializableEnum)>,
    /// New types and their annotations.
    pub new_types: Vec<(String, NewType, Notes)>,
}

/// All that the control plane sees.
#[derive(Clone, Debug, Default)]
pub struct ControlPlane {
    /// The program as a whole, if it has a `main`.
    pub package: Option<PackageInfo>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Actions.
    pub actions: Vec<Action>,
    /// Action profiles and selectors.
    pub action_profiles: Vec<ActionProfile>,
    /// Counters, direct ones too.
    pub counters: Vec<Counted>,
    /// Meters, direct ones too.
    pub meters: Vec<Counted>,
    /// Packet-in and packet-out headers.
    pub controller_headers: Vec<ControllerHeader>,
    /// Value sets.
    pub value_sets: Vec<ValueSet>,
    /// Registers.
    pub registers: Vec<Register>,
    /// Digests.
    pub digests: Vec<Digest>,
    /// Named types.
    pub types: TypeInfo,
}
