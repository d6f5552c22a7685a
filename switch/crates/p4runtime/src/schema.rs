//! [`Schema`]: a P4Info matched with the program that the data plane runs, indexed by id.

use std::collections::BTreeMap;

use p4runtime_proto::config::{self, P4Info, Preamble};

use crate::data_type::DataType;
use crate::failure::{Failure, Outcome};
use crate::header::ControllerHeader;
use crate::translation::Translations;
use v1model::{
    ActionId, ActionProfileId, CounterId, MatchKind, MeterId, Program, RegisterId, TableId, TableInfo, TableKind,
    ValueSetId,
};

/// Everything the server looks up by P4Info id.
#[derive(Debug)]
pub struct Schema {
    /// Tables.
    pub tables: BTreeMap<u32, TableSchema>,
    /// Actions.
    pub actions: BTreeMap<u32, ActionSchema>,
    /// Action profiles and selectors.
    pub profiles: BTreeMap<u32, ProfileSchema>,
    /// Indirect counters.
    pub counters: BTreeMap<u32, ArraySchema<CounterId>>,
    /// Indirect meters.
    pub meters: BTreeMap<u32, ArraySchema<MeterId>>,
    /// Registers.
    pub registers: BTreeMap<u32, RegisterSchema>,
    /// Parser value sets.
    pub value_sets: BTreeMap<u32, ValueSetSchema>,
    /// Digests.
    pub digests: BTreeMap<u32, DigestSchema>,
    /// The header of packets to the controller.
    pub packet_in: ControllerHeader,
    /// The header of packets from the controller.
    pub packet_out: ControllerHeader,
    /// Translated types.
    pub translations: Translations,
}

/// A table.
#[derive(Debug)]
pub struct TableSchema {
    /// P4Info id.
    pub id: u32,
    /// Fully qualified name.
    pub name: String,
    /// Its place in the data plane.
    pub slot: TableId,
    /// The fields of its key, in the data plane's order.
    pub fields: Vec<FieldSchema>,
    /// The actions it may run.
    pub actions: Vec<ActionRefSchema>,
    /// Is its default action constant?
    pub const_default: bool,
    /// The profile it takes its actions from.
    pub profile: Option<u32>,
    /// Does every entry have a counter?
    pub has_counter: bool,
    /// The meter of every entry.
    pub meter: Option<MeterKind>,
    /// Does it notice idle entries?
    pub idle_timeout: bool,
    /// Are its entries constant?
    pub is_const: bool,
    /// The number that the data plane adds to the priorities of constant entries. The specification counts those from
    /// the number of entries down to 1.
    pub priority_offset: i32,
}

impl TableSchema {
    /// Do entries need a priority?
    pub fn needs_priority(&self) -> bool {
        self.fields.iter().any(|f| matches!(f.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional))
    }
}

/// A field of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSchema {
    /// Its id within the table or value set.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// How the controller matches it.
    pub kind: MatchKind,
    /// How the data plane matches it: BMv2 JSON has ternary for optional, and old compilers a kind of its own for the validity
    /// of headers.
    pub plane_kind: MatchKind,
    /// Its width in the data plane, in bits.
    pub width: u32,
    /// Its type, if its values are translated.
    pub translated: Option<String>,
}

/// An action in a table.
#[derive(Debug)]
pub struct ActionRefSchema {
    /// P4Info id of the action.
    pub id: u32,
    /// Its place in the data plane (an action has one for every table that uses it).
    pub slot: ActionId,
    /// Where it may be used.
    pub scope: config::action_ref::Scope,
}

/// An action.
#[derive(Debug)]
pub struct ActionSchema {
    /// Fully qualified name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<ParamSchema>,
}

/// A parameter of an action.
#[derive(Debug)]
pub struct ParamSchema {
    /// Its id within the action.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its width in the data plane, in bits.
    pub width: u32,
    /// Its type, if its values are translated.
    pub translated: Option<String>,
}

/// An action profile or selector.
#[derive(Debug)]
pub struct ProfileSchema {
    /// Fully qualified name.
    pub name: String,
    /// Its place in the data plane.
    pub slot: ActionProfileId,
    /// The tables that use it.
    pub tables: Vec<u32>,
    /// Does it have groups?
    pub selector: bool,
    /// Most members, 0 for no limit.
    pub size: i64,
    /// Largest group, 0 for no limit.
    pub max_group_size: i32,
    /// Are sizes counted in members (else in weights)? The largest weight of a member then, 0 for no limit.
    pub sum_of_members: Option<i32>,
    /// Must weights be left unset?
    pub weights_disallowed: bool,
}

impl ProfileSchema {
    /// How its groups' sizes are counted.
    pub fn group_size(&self) -> GroupSize {
        if self.sum_of_members.is_some() { GroupSize::SumOfMembers } else { GroupSize::SumOfWeights }
    }
}

/// The meaning of a group's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupSize {
    /// The weights of its members together.
    SumOfWeights,
    /// The number of its members.
    SumOfMembers,
}

/// The rates and colours of a meter, which restrict its settings.
pub type MeterKind = config::meter_spec::Type;

/// An array of counters or meters.
#[derive(Debug)]
pub struct ArraySchema<I> {
    /// Fully qualified name.
    pub name: String,
    /// Its place in the data plane.
    pub slot: I,
    /// Its number of cells.
    pub size: usize,
    /// For meters.
    pub kind: MeterKind,
}

/// A register.
#[derive(Debug)]
pub struct RegisterSchema {
    /// Fully qualified name.
    pub name: String,
    /// Its place in the data plane.
    pub slot: RegisterId,
    /// Its number of cells.
    pub size: usize,
    /// The type of a cell.
    pub cell: DataType,
    /// Bits of a cell in the data plane.
    pub width: u32,
}

/// A parser value set.
#[derive(Debug)]
pub struct ValueSetSchema {
    /// Fully qualified name.
    pub name: String,
    /// Its place in the data plane.
    pub slot: ValueSetId,
    /// The fields of a member.
    pub fields: Vec<FieldSchema>,
    /// Most members.
    pub size: usize,
}

/// A digest.
#[derive(Debug)]
pub struct DigestSchema {
    /// Fully qualified name, which the data plane's digests carry.
    pub name: String,
    /// The type of a message.
    pub data: DataType,
}

impl Schema {
    /// Matches a P4Info with the data plane's program.
    ///
    /// # Errors
    /// INVALID_ARGUMENT, naming the object, if the two do not describe the same program.
    pub fn new(p4info: &P4Info, program: &Program) -> Outcome<Self> {
        let translations = Translations::new(p4info);
        let actions = actions(p4info, program, &translations)?;
        let profiles = profiles(p4info, program)?;
        let tables = index(
            &p4info.tables,
            "table",
            |t| &t.preamble,
            |id, name, table| {
                TableBuilder { p4info, program, actions: &actions, profiles: &profiles, translations: &translations }
                    .build(id, name, table)
            },
        )?;
        let counters = index(
            &p4info.counters,
            "counter",
            |c| &c.preamble,
            |_, name, counter| {
                let found = program.counters().iter().zip(0..).find(|(c, _)| c.name == name);
                let (plane, slot) = found.ok_or_else(missing)?;
                let size = same_size(counter.size, plane.size)?;
                Ok(ArraySchema { name: name.to_owned(), slot: CounterId(slot), size, kind: MeterKind::default() })
            },
        )?;
        let meters = index(
            &p4info.meters,
            "meter",
            |m| &m.preamble,
            |_, name, meter| {
                let plane =
                    program.meters().iter().find(|m| m.table.is_none() && m.name == name).ok_or_else(missing)?;
                let size = same_size(meter.size, plane.size)?;
                let kind = meter.spec.as_ref().map(config::MeterSpec::r#type).unwrap_or_default();
                Ok(ArraySchema { name: name.to_owned(), slot: plane.id, size, kind })
            },
        )?;
        let registers = index(
            &p4info.registers,
            "register",
            |r| &r.preamble,
            |_, name, register| {
                let plane = program.registers().iter().find(|r| r.name == name).ok_or_else(missing)?;
                let size = same_size(i64::from(register.size), plane.size)?;
                let cell = DataType::new(register.type_spec.as_ref(), p4info)?;
                let widths: Vec<u32> = cell.widths().into_iter().map(|width| width.unwrap_or(plane.width)).collect();
                if widths != [plane.width] {
                    return Err(mismatch(format!("cells of {widths:?} bits, the device config has {}", plane.width)));
                }
                Ok(RegisterSchema { name: name.to_owned(), slot: plane.id, size, cell, width: plane.width })
            },
        )?;
        let value_sets = index(
            &p4info.value_sets,
            "value set",
            |v| &v.preamble,
            |_, name, set| {
                let plane = program.value_sets().iter().find(|v| v.name == name).ok_or_else(missing)?;
                let kinds = set.r#match.iter().map(match_kind).collect::<Outcome<Vec<_>>>()?;
                // Of translated fields P4Info has the controller's width, of enumerations none.
                let width = |(field, index): (&config::MatchField, usize)| {
                    let plane = plane.fields.get(index).filter(|_| plane.fields.len() == set.r#match.len());
                    let is_other = translated(field.type_name.as_ref(), &translations).is_some() || field.bitwidth == 0;
                    let plane = plane.filter(|_| is_other);
                    plane.copied().unwrap_or_else(|| u32::try_from(field.bitwidth).unwrap_or(0))
                };
                let widths: Vec<u32> = set.r#match.iter().zip(0..).map(width).collect();
                // Old compilers state the bits of the set without the padding of its fields.
                let padded: u32 = widths.iter().map(|w| w.div_ceil(8) * 8).sum();
                if widths.iter().sum::<u32>() != plane.width && padded != plane.width {
                    return Err(mismatch(format!(
                        "fields of {widths:?} bits, the device config has {} in all",
                        plane.width
                    )));
                }
                let fields = fields(&set.r#match, &kinds, &widths, &translations)?;
                Ok(ValueSetSchema {
                    name: name.to_owned(),
                    slot: plane.id,
                    fields,
                    size: usize::try_from(set.size).unwrap_or(0),
                })
            },
        )?;
        let digests = index(
            &p4info.digests,
            "digest",
            |d| &d.preamble,
            |_, name, digest| {
                Ok(DigestSchema { name: name.to_owned(), data: DataType::new(digest.type_spec.as_ref(), p4info)? })
            },
        )?;
        let packet_in =
            ControllerHeader::find(p4info, "packet_in", &translations, program.header_types())?.unwrap_or_default();
        let packet_out =
            ControllerHeader::find(p4info, "packet_out", &translations, program.header_types())?.unwrap_or_default();
        Ok(Schema {
            tables,
            actions,
            profiles,
            counters,
            meters,
            registers,
            value_sets,
            digests,
            packet_in,
            packet_out,
            translations,
        })
    }
}

/// Indexes P4Info objects by id, with errors that name the object.
fn index<P, T>(
    objects: &[P],
    what: &str,
    preamble: impl Fn(&P) -> &Option<Preamble>,
    build: impl Fn(u32, &str, &P) -> Outcome<T>,
) -> Outcome<BTreeMap<u32, T>> {
    let mut out = BTreeMap::new();
    for object in objects {
        let Some(preamble) = preamble(object) else {
            return Err(Failure::invalid(format!("P4Info: a {what} has no preamble")));
        };
        let built = build(preamble.id, &preamble.name, object)
            .map_err(|failure| failure.within(format_args!("P4Info: {what} \"{}\"", preamble.name)))?;
        if preamble.id == 0 || out.insert(preamble.id, built).is_some() {
            return Err(Failure::invalid(format!(
                "P4Info: {what} \"{}\": id {} is 0 or used twice",
                preamble.name, preamble.id
            )));
        }
    }
    Ok(out)
}

fn missing() -> Failure {
    mismatch("the device config does not have it".to_owned())
}

fn mismatch(message: String) -> Failure {
    Failure::invalid(format!("P4Info and device config do not belong together: {message}"))
}

/// Can the data plane match in one way what the controller matches in another?
fn can_stand_for(plane: MatchKind, controller: MatchKind) -> bool {
    match plane {
        MatchKind::Ternary => matches!(controller, MatchKind::Optional | MatchKind::Exact | MatchKind::Lpm),
        MatchKind::Valid => controller == MatchKind::Exact,
        _ => false,
    }
}

fn same_size(declared: i64, real: usize) -> Outcome<usize> {
    if usize::try_from(declared) == Ok(real) {
        Ok(real)
    } else {
        Err(mismatch(format!("size {declared}, the device config has {real}")))
    }
}

fn actions(p4info: &P4Info, program: &Program, translations: &Translations) -> Outcome<BTreeMap<u32, ActionSchema>> {
    index(
        &p4info.actions,
        "action",
        |a| &a.preamble,
        |_, name, action| {
            let plane = program.actions().iter().find(|plane| plane.name == name);
            let params = action.params.iter().zip(0..).map(|(param, index): (_, usize)| {
                let translated = translated(param.type_name.as_ref(), translations);
                let declared = u32::try_from(param.bitwidth).unwrap_or(0);
                // Of translated values P4Info has the controller's width, of enumerations none.
                let is_other = translated.is_some() || declared == 0;
                let plane = plane.and_then(|plane| plane.params.get(index)).filter(|_| is_other);
                ParamSchema {
                    id: param.id,
                    name: param.name.clone(),
                    width: plane.map_or(declared, |plane| plane.width),
                    translated,
                }
            });
            Ok(ActionSchema { name: name.to_owned(), params: params.collect() })
        },
    )
}

fn profiles(p4info: &P4Info, program: &Program) -> Outcome<BTreeMap<u32, ProfileSchema>> {
    index(
        &p4info.action_profiles,
        "action profile",
        |p| &p.preamble,
        |_, name, profile| {
            let plane = program.action_profiles().iter().find(|p| p.name == name).ok_or_else(missing)?;
            if plane.with_selector != profile.with_selector {
                return Err(mismatch("one has a selector, the other has not".into()));
            }
            use config::action_profile::SelectorSizeSemantics as Semantics;
            Ok(ProfileSchema {
                name: name.to_owned(),
                slot: plane.id,
                tables: profile.table_ids.clone(),
                selector: profile.with_selector,
                size: profile.size,
                max_group_size: profile.max_group_size,
                sum_of_members: match &profile.selector_size_semantics {
                    Some(Semantics::SumOfMembers(members)) => Some(members.max_member_weight),
                    _ => None,
                },
                weights_disallowed: profile.weights_disallowed,
            })
        },
    )
}

fn translated(type_name: Option<&config::P4NamedType>, translations: &Translations) -> Option<String> {
    type_name.filter(|t| translations.translates(&t.name)).map(|t| t.name.clone())
}

fn match_kind(field: &config::MatchField) -> Outcome<MatchKind> {
    use config::match_field::{Match, MatchType};
    match &field.r#match {
        Some(Match::MatchType(kind)) => match MatchType::try_from(*kind).unwrap_or_default() {
            MatchType::Exact => Ok(MatchKind::Exact),
            MatchType::Lpm => Ok(MatchKind::Lpm),
            MatchType::Ternary => Ok(MatchKind::Ternary),
            MatchType::Range => Ok(MatchKind::Range),
            MatchType::Optional => Ok(MatchKind::Optional),
            MatchType::Unspecified => Err(Failure::invalid(format!("field \"{}\" has no match type", field.name))),
        },
        Some(Match::OtherMatchType(name)) => {
            Err(Failure::invalid(format!("field \"{}\" has the unknown match type \"{name}\"", field.name)))
        }
        None => Err(Failure::invalid(format!("field \"{}\" has no match type", field.name))),
    }
}

fn fields(
    declared: &[config::MatchField],
    kinds: &[MatchKind],
    widths: &[u32],
    translations: &Translations,
) -> Outcome<Vec<FieldSchema>> {
    if declared.len() != widths.len() {
        return Err(mismatch(format!("{} key fields, the device config has {}", declared.len(), widths.len())));
    }
    let all = declared.iter().zip(kinds).zip(widths);
    all.map(|((field, kind), width)| {
        let translated = translated(field.type_name.as_ref(), translations);
        // Of a key that is an enumeration or an error P4Info has no width: it is matched by the number.
        let is_other = translated.is_some() || field.bitwidth == 0;
        if !is_other && u32::try_from(field.bitwidth) != Ok(*width) {
            return Err(mismatch(format!(
                "field \"{}\" is {} bits wide, in the device config {width}",
                field.name, field.bitwidth
            )));
        }
        Ok(FieldSchema {
            id: field.id,
            name: field.name.clone(),
            kind: *kind,
            plane_kind: *kind,
            width: *width,
            translated,
        })
    })
    .collect()
}

struct TableBuilder<'a> {
    p4info: &'a P4Info,
    program: &'a Program,
    actions: &'a BTreeMap<u32, ActionSchema>,
    profiles: &'a BTreeMap<u32, ProfileSchema>,
    translations: &'a Translations,
}

impl TableBuilder<'_> {
    fn build(&self, id: u32, name: &str, table: &config::Table) -> Outcome<TableSchema> {
        let plane = self.program.tables().iter().find(|t| t.name == name).ok_or_else(missing)?;
        let kinds = table.match_fields.iter().map(match_kind).collect::<Outcome<Vec<_>>>()?;
        let widths: Vec<u32> = plane.keys.iter().map(|key| key.width).collect();
        let mut fields = fields(&table.match_fields, &kinds, &widths, self.translations)?;
        for (field, key) in fields.iter_mut().zip(&plane.keys) {
            if field.kind != key.kind && !can_stand_for(key.kind, field.kind) {
                return Err(mismatch(format!(
                    "field \"{}\" is matched as {:?}, in the device config as {:?}",
                    field.name, field.kind, key.kind
                )));
            }
            field.plane_kind = key.kind;
        }
        let actions = table.action_refs.iter().map(|action| self.action(action, plane)).collect::<Outcome<_>>()?;
        let profile = (table.implementation_id != 0).then_some(table.implementation_id);
        let profile_slot = match profile {
            None => None,
            Some(id) => Some(
                self.profiles
                    .get(&id)
                    .ok_or_else(|| Failure::invalid(format!("implementation id {id} is unknown")))?
                    .slot,
            ),
        };
        let plane_profile = match plane.kind {
            TableKind::Direct => None,
            TableKind::Profile(id) | TableKind::Selector(id) => Some(id),
        };
        if profile_slot != plane_profile {
            return Err(mismatch("its action profile is not the one of the device config".into()));
        }
        let direct = |id: &u32| table.direct_resource_ids.contains(id);
        let has_counter =
            self.p4info.direct_counters.iter().filter_map(|c| c.preamble.as_ref()).any(|preamble| direct(&preamble.id));
        let meter = self.p4info.direct_meters.iter().find(|m| m.preamble.as_ref().is_some_and(|p| direct(&p.id)));
        if (has_counter && !plane.with_counters) || (meter.is_some() && plane.direct_meter.is_none()) {
            return Err(mismatch("the device config has no direct counter or meter for it".into()));
        }
        Ok(TableSchema {
            id,
            name: name.to_owned(),
            slot: plane.id,
            fields,
            actions,
            const_default: table.const_default_action_id != 0,
            profile,
            has_counter,
            meter: meter.map(|m| m.spec.as_ref().map_or(MeterKind::TwoRateThreeColor, config::MeterSpec::r#type)),
            idle_timeout: table.idle_timeout_behavior() == config::table::IdleTimeoutBehavior::NotifyControl,
            is_const: table.is_const_table,
            priority_offset: 0,
        })
    }

    fn action(&self, action: &config::ActionRef, plane: &TableInfo) -> Outcome<ActionRefSchema> {
        let schema = self
            .actions
            .get(&action.id)
            .ok_or_else(|| Failure::invalid(format!("action id {} is unknown", action.id)))?;
        let mut candidates = plane.actions.iter().filter_map(|id| self.program.actions().get(id.0 as usize));
        let signature = candidates
            .find(|signature| signature.name == schema.name)
            .ok_or_else(|| mismatch(format!("the device config's table has no action \"{}\"", schema.name)))?;
        let same = schema.params.len() == signature.params.len()
            && schema.params.iter().zip(&signature.params).all(|(p, w)| p.translated.is_some() || p.width == w.width);
        if !same {
            return Err(mismatch(format!(
                "action \"{}\" has parameters of {:?} bits, in the device config {:?}",
                schema.name,
                schema.params.iter().map(|p| p.width).collect::<Vec<_>>(),
                signature.params.iter().map(|p| p.width).collect::<Vec<_>>()
            )));
        }
        Ok(ActionRefSchema { id: action.id, slot: signature.id, scope: action.scope() })
    }
}
