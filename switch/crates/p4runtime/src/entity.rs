//! Matches and actions: between P4Runtime messages and the data plane's form.

use bytes::Bytes;
use p4runtime_proto::runtime::{self, FieldMatch, field_match};
use v1model::{ActionCall, ActionId, KeyMatch, MatchKind};

use crate::bytestring::{from_u64, hex, ones, padded, prefix_mask, read_unsigned, shortest_of, to_u64};
use crate::failure::{Failure, Outcome};
use crate::schema::{ActionSchema, FieldSchema, Schema, TableSchema};

impl Schema {
    /// The table with this id.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if P4Info has no such table.
    pub fn table(&self, id: u32) -> Outcome<&TableSchema> {
        self.tables.get(&id).ok_or_else(|| unknown("table", id))
    }

    /// Reads an action with its parameters; `table` says which of the data plane's actions of that name it is.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an action the table does not have and for missing, unknown or repeated parameters;
    /// OUT_OF_RANGE for values that do not fit.
    pub fn read_action(&self, table: &TableSchema, action: &runtime::Action) -> Outcome<ActionCall> {
        let Some(used) = table.actions.iter().find(|used| used.id == action.action_id) else {
            return Err(Failure::invalid(match self.actions.get(&action.action_id) {
                Some(known) => format!("action \"{}\" is not one of table \"{}\"", known.name, table.name),
                None => format!("there is no action with id {}", action.action_id),
            }));
        };
        let schema = self.actions.get(&used.id).ok_or_else(|| unknown("action", used.id))?;
        let params = self
            .read_params(schema, &action.params)
            .map_err(|f| f.within(format_args!("action \"{}\"", schema.name)))?;
        Ok(ActionCall { action: used.slot, params })
    }

    fn read_params(&self, schema: &ActionSchema, given: &[runtime::action::Param]) -> Outcome<Vec<Vec<u8>>> {
        let mut params = Vec::with_capacity(schema.params.len());
        for (index, param) in schema.params.iter().enumerate() {
            let value = match given.get(index) {
                Some(value) if value.param_id == param.id => value,
                _ => given.iter().find(|value| value.param_id == param.id).ok_or_else(|| {
                    Failure::invalid(format!("parameter {} (\"{}\") is missing", param.id, param.name))
                })?,
            };
            let value = self
                .plane_value(&value.value, param.width, param.translated.as_deref())
                .map_err(|f| f.within(format_args!("parameter \"{}\"", param.name)))?;
            params.push(padded(&value, param.width));
        }
        if given.len() != schema.params.len() {
            let known = |id: u32| schema.params.iter().any(|param| param.id == id);
            return Err(Failure::invalid(match given.iter().find(|value| !known(value.param_id)) {
                Some(value) => format!("there is no parameter {}", value.param_id),
                None => "a parameter is given twice".to_owned(),
            }));
        }
        Ok(params)
    }

    /// Writes an action with its parameters.
    pub fn write_action(&self, table: &TableSchema, call: &ActionCall) -> runtime::Action {
        let Some(id) = action_id(table, call.action) else { return runtime::Action::default() };
        let declared = self.actions.get(&id).map(|action| action.params.as_slice()).unwrap_or_default();
        let params = declared.iter().zip(&call.params).map(|(param, value)| runtime::action::Param {
            param_id: param.id,
            value: self.controller_value(value, param.translated.as_deref()),
        });
        runtime::Action { action_id: id, params: params.collect() }
    }

    /// Reads the match of a table entry or value set member into one [`KeyMatch`] a field, in the data plane's order.
    ///
    /// # Errors
    /// INVALID_ARGUMENT where "Match Format" of the specification asks for it, OUT_OF_RANGE for values that do not fit.
    pub fn read_match(&self, fields: &[FieldSchema], given: &[FieldMatch]) -> Outcome<Vec<KeyMatch>> {
        let mut key = Vec::with_capacity(fields.len());
        let mut used = 0;
        for (index, field) in fields.iter().enumerate() {
            let found = match given.get(index) {
                Some(found) if found.field_id == field.id => Some(found),
                _ => given.iter().find(|found| found.field_id == field.id),
            };
            used += usize::from(found.is_some());
            let value = match found {
                Some(found) => self.read_field(field, found),
                None => dont_care(field),
            };
            let value = value.map_err(|f| f.within(format_args!("match field \"{}\"", field.name)))?;
            key.push(to_plane(field, value));
        }
        if used != given.len() {
            let known = |id: u32| fields.iter().any(|field| field.id == id);
            return Err(Failure::invalid(match given.iter().find(|found| !known(found.field_id)) {
                Some(found) => format!("there is no match field {}", found.field_id),
                None => "a match field is given twice".to_owned(),
            }));
        }
        Ok(key)
    }

    fn read_field(&self, field: &FieldSchema, given: &FieldMatch) -> Outcome<KeyMatch> {
        use field_match::FieldMatchType as Type;
        let width = field.width;
        let value = |value: &Bytes| {
            self.plane_value(value, width, field.translated.as_deref()).map(|value| padded(&value, width))
        };
        let plain = |value: &Bytes| read_unsigned(value, width).map(|value| padded(&value, width));
        match (field.kind, &given.field_match_type) {
            (MatchKind::Exact, Some(Type::Exact(exact))) => Ok(KeyMatch::Exact(value(&exact.value)?)),
            (MatchKind::Lpm, Some(Type::Lpm(lpm))) => {
                let prefix_len = u32::try_from(lpm.prefix_len).ok().filter(|len| (1..=width).contains(len));
                let prefix_len = prefix_len.ok_or_else(|| {
                    Failure::invalid(format!(
                        "prefix length {} is not between 1 and {width} (leave the field out to match everything)",
                        lpm.prefix_len
                    ))
                })?;
                let value = plain(&lpm.value)?;
                beyond_mask(&value, &prefix_mask(prefix_len, width), "prefix")?;
                Ok(KeyMatch::Lpm { value, prefix_len })
            }
            (MatchKind::Ternary, Some(Type::Ternary(ternary))) => {
                let (value, mask) = (plain(&ternary.value)?, plain(&ternary.mask)?);
                if mask.iter().all(|byte| *byte == 0) {
                    return Err(Failure::invalid("the mask is 0: leave the field out to match everything"));
                }
                beyond_mask(&value, &mask, "mask")?;
                Ok(KeyMatch::Ternary { value, mask })
            }
            (MatchKind::Range, Some(Type::Range(range))) => {
                let (low, high) = (plain(&range.low)?, plain(&range.high)?);
                if low > high {
                    return Err(Failure::invalid(format!(
                        "the range starts at 0x{} and ends at 0x{}",
                        hex(&low),
                        hex(&high)
                    )));
                }
                if low.iter().all(|byte| *byte == 0) && high == ones(width) {
                    return Err(Failure::invalid("the range is that of all values: leave the field out"));
                }
                Ok(KeyMatch::Range { low, high })
            }
            (MatchKind::Optional, Some(Type::Optional(optional))) => {
                Ok(KeyMatch::Optional(Some(value(&optional.value)?)))
            }
            (kind, Some(_)) => Err(Failure::invalid(format!("the field is matched as {kind:?}, not as given"))),
            (_, None) => Err(Failure::invalid("no match is set")),
        }
    }

    /// Writes a key; fields that match everything are left out.
    pub fn write_match(&self, fields: &[FieldSchema], key: &[KeyMatch]) -> Vec<FieldMatch> {
        use field_match::FieldMatchType as Type;
        let value = |field: &FieldSchema, value: &[u8]| self.controller_value(value, field.translated.as_deref());
        let one = |(field, part): (&FieldSchema, &KeyMatch)| {
            let field_match_type = Some(match &from_plane(field, part) {
                KeyMatch::Exact(exact) => Type::Exact(field_match::Exact { value: value(field, exact) }),
                KeyMatch::Valid(valid) => Type::Exact(field_match::Exact { value: from_u64(u64::from(*valid)) }),
                KeyMatch::Lpm { prefix_len: 0, .. } | KeyMatch::Optional(None) => return None,
                KeyMatch::Lpm { value, prefix_len } => Type::Lpm(field_match::Lpm {
                    value: shortest_of(value),
                    prefix_len: i32::try_from(*prefix_len).unwrap_or(i32::MAX),
                }),
                KeyMatch::Ternary { mask, .. } if mask.iter().all(|byte| *byte == 0) => return None,
                KeyMatch::Ternary { value, mask } => {
                    Type::Ternary(field_match::Ternary { value: shortest_of(value), mask: shortest_of(mask) })
                }
                KeyMatch::Range { low, high } if low.iter().all(|b| *b == 0) && *high == ones(field.width) => {
                    return None;
                }
                KeyMatch::Range { low, high } => {
                    Type::Range(field_match::Range { low: shortest_of(low), high: shortest_of(high) })
                }
                KeyMatch::Optional(Some(exact)) => Type::Optional(field_match::Optional { value: value(field, exact) }),
            });
            Some(FieldMatch { field_id: field.id, field_match_type })
        };
        fields.iter().zip(key).filter_map(one).collect()
    }

    fn plane_value(&self, value: &Bytes, width: u32, translated: Option<&str>) -> Outcome<Bytes> {
        match translated {
            Some(name) => read_unsigned(&self.translations.to_data_plane(name, value)?, width),
            None => read_unsigned(value, width),
        }
    }

    fn controller_value(&self, value: &[u8], translated: Option<&str>) -> Bytes {
        match translated {
            Some(name) => self.translations.to_controller(name, &Bytes::copy_from_slice(value)),
            None => shortest_of(value),
        }
    }
}

/// The P4Info id of an action of the data plane in a table.
pub fn action_id(table: &TableSchema, action: ActionId) -> Option<u32> {
    table.actions.iter().find(|used| used.slot == action).map(|used| used.id)
}

/// Reads a port number.
///
/// # Errors
/// INVALID_ARGUMENT if it is empty or no port of a v1model switch.
pub fn read_port(port: &[u8]) -> Outcome<u16> {
    let number = if port.is_empty() { None } else { to_u64(port) };
    number
        .and_then(|number| u16::try_from(number).ok())
        .filter(|number| *number < 512)
        .ok_or_else(|| Failure::invalid(format!("\"0x{}\" is not a port number (0 to 511)", hex(port))))
}

/// The failure for an id that the P4Info does not have.
pub fn unknown(what: &str, id: u32) -> Failure {
    Failure::invalid(format!("P4Info has no {what} with id {id} (0x{id:08x})"))
}

/// A match in the kind that the data plane wants.
fn to_plane(field: &FieldSchema, part: KeyMatch) -> KeyMatch {
    let zeros = || vec![0; field.width.div_ceil(8) as usize];
    match (field.plane_kind, part) {
        (MatchKind::Ternary, KeyMatch::Exact(value) | KeyMatch::Optional(Some(value))) => {
            KeyMatch::Ternary { value, mask: ones(field.width) }
        }
        (MatchKind::Ternary, KeyMatch::Optional(None)) => KeyMatch::Ternary { value: zeros(), mask: zeros() },
        (MatchKind::Ternary, KeyMatch::Lpm { value, prefix_len }) => {
            KeyMatch::Ternary { value, mask: prefix_mask(prefix_len, field.width) }
        }
        (MatchKind::Valid, KeyMatch::Exact(value)) => KeyMatch::Valid(to_u64(&value) != Some(0)),
        (_, part) => part,
    }
}

/// The reverse of [`to_plane`].
fn from_plane(field: &FieldSchema, part: &KeyMatch) -> KeyMatch {
    match (field.kind, part) {
        (MatchKind::Exact, KeyMatch::Ternary { value, .. }) => KeyMatch::Exact(value.clone()),
        (MatchKind::Optional, KeyMatch::Ternary { value, mask }) => {
            KeyMatch::Optional(mask.iter().any(|byte| *byte != 0).then(|| value.clone()))
        }
        (MatchKind::Lpm, KeyMatch::Ternary { value, mask }) => {
            KeyMatch::Lpm { value: value.clone(), prefix_len: mask.iter().map(|byte| byte.count_ones()).sum() }
        }
        (_, part) => part.clone(),
    }
}

fn dont_care(field: &FieldSchema) -> Outcome<KeyMatch> {
    let zeros = || vec![0; field.width.div_ceil(8) as usize];
    match field.kind {
        MatchKind::Exact | MatchKind::Valid => Err(Failure::invalid("the field is missing")),
        MatchKind::Lpm => Ok(KeyMatch::Lpm { value: zeros(), prefix_len: 0 }),
        MatchKind::Ternary => Ok(KeyMatch::Ternary { value: zeros(), mask: zeros() }),
        MatchKind::Range => Ok(KeyMatch::Range { low: zeros(), high: ones(field.width) }),
        MatchKind::Optional => Ok(KeyMatch::Optional(None)),
    }
}

fn beyond_mask(value: &[u8], mask: &[u8], what: &str) -> Outcome<()> {
    if value.iter().zip(mask).any(|(value, mask)| value & !mask != 0) {
        return Err(Failure::invalid(format!(
            "the value 0x{} has bits outside the {what} 0x{}",
            hex(value),
            hex(mask)
        )));
    }
    Ok(())
}
