//! Keys, actions and entries: their structures, and their meaning for a table.

use bmv2_runtime::{Code, Kind, Refusal, Runtime, bmv2_priority, last_bits, without_zeros};
use v1model::{ActionCall, ActionId, ActionSpec, EntryView, KeyInfo, KeyMatch, MatchKind, TableInfo};

use crate::arguments::handle;
use crate::fault::Fault;
use crate::value::{Fields, Value, byte_strings, structs, text};

// BmMatchParamType; the field of a parameter of each type is two more.
const EXACT: i32 = 0;
const LPM: i32 = 1;
const TERNARY: i32 = 2;
const VALID: i32 = 3;
const RANGE: i32 = 4;

// BmActionEntryType.
const NO_ACTION: i32 = 0;
const ACTION_DATA: i32 = 1;
const MEMBER: i32 = 2;
const GROUP: i32 = 3;

fn bad_key(why: impl Into<String>) -> Fault {
    Refusal::explained(Kind::Table, Code::BadMatchKey, why).into()
}

/// A key of a table.
pub(crate) fn key_of(info: &TableInfo, params: &[&Fields]) -> Result<Vec<KeyMatch>, Fault> {
    if params.len() != info.keys.len() {
        return Err(bad_key(format!("table {} has {} key fields, not {}", info.name, info.keys.len(), params.len())));
    }
    info.keys.iter().zip(params).map(|(key, param)| match_of(key, param)).collect()
}

/// As many bytes as the field has.
fn whole(key: &KeyInfo, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let length = key.width.div_ceil(8) as usize;
    if bytes.len() != length {
        return Err(bad_key(format!("{} takes {length} bytes, not {}", key.field, bytes.len())));
    }
    Ok(bytes.to_vec())
}

fn match_of(key: &KeyInfo, param: &Fields) -> Result<KeyMatch, Fault> {
    let of_type = param.i32(1)?;
    let inner = || param.fields(i16::try_from(of_type + 2).unwrap_or_default());
    let value = |number| whole(key, inner()?.bytes(number)?);
    Ok(match (key.kind, of_type) {
        (MatchKind::Exact, EXACT) => KeyMatch::Exact(value(1)?),
        // The switch refuses a length that is out of range.
        (MatchKind::Lpm, LPM) => KeyMatch::Lpm { value: value(1)?, prefix_len: handle(inner()?.i32(2)?) },
        (MatchKind::Ternary, TERNARY) => KeyMatch::Ternary { value: value(1)?, mask: value(2)? },
        (MatchKind::Optional, TERNARY) => {
            let mask = last_bits(&value(2)?, key.width);
            let ones: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
            match ones {
                0 => KeyMatch::Optional(None),
                _ if ones == key.width => KeyMatch::Optional(Some(value(1)?)),
                _ => return Err(bad_key(format!("{} takes one value or any, not a mask", key.field))),
            }
        }
        (MatchKind::Range, RANGE) => KeyMatch::Range { low: value(1)?, high: value(2)? },
        (MatchKind::Valid, VALID) => KeyMatch::Valid(inner()?.bool(1)?),
        (kind, other) => return Err(bad_key(format!("{} is matched as {kind:?}, not as type {other}", key.field))),
    })
}

/// The structure of one field of a key.
fn param(width: u32, matched: &KeyMatch) -> Fields {
    let bytes = |value: &[u8]| Value::Bytes(value.to_vec());
    let (of_type, inner) = match matched {
        KeyMatch::Exact(value) => (EXACT, Fields::of([(1, bytes(value))])),
        KeyMatch::Lpm { value, prefix_len } => {
            (LPM, Fields::of([(1, bytes(value)), (2, Value::I32(prefix_len.cast_signed()))]))
        }
        KeyMatch::Ternary { value, mask } => (TERNARY, Fields::of([(1, bytes(value)), (2, bytes(mask))])),
        KeyMatch::Optional(value) => {
            let length = width.div_ceil(8) as usize;
            let mask = if value.is_some() { last_bits(&vec![0xff; length], width) } else { vec![0; length] };
            let value = value.clone().unwrap_or_else(|| vec![0; length]);
            (TERNARY, Fields::of([(1, Value::Bytes(value)), (2, Value::Bytes(mask))]))
        }
        KeyMatch::Range { low, high } => (RANGE, Fields::of([(1, bytes(low)), (2, bytes(high))])),
        KeyMatch::Valid(valid) => (VALID, Fields::of([(1, Value::Bool(*valid))])),
    };
    Fields::of([(1, Value::I32(of_type)), (i16::try_from(of_type + 2).unwrap_or_default(), inner.into())])
}

/// An action among these with its data.
pub(crate) fn call_of(
    runtime: &Runtime<'_>,
    actions: &[ActionId],
    name: &str,
    data: &[&[u8]],
) -> Result<ActionCall, Fault> {
    let action = runtime.action_among(actions, name);
    let action = action.ok_or_else(|| Refusal::new(Kind::Table, Code::InvalidActionName))?;
    let widths = runtime.widths_of(action);
    if widths.len() != data.len() {
        let why = format!("action {name} has {} parameters, not {}", widths.len(), data.len());
        return Err(Refusal::explained(Kind::Table, Code::BadActionData, why).into());
    }
    let params = widths.zip(data).map(|(width, bytes)| last_bits(bytes, width)).collect();
    Ok(ActionCall { action, params })
}

/// The bytes of an action's parameters, as few as they need.
pub(crate) fn action_data(call: &ActionCall) -> Value {
    byte_strings(call.params.iter().map(|param| without_zeros(param).to_vec()))
}

/// The structure of an entry's action; nothing: there is no entry.
pub(crate) fn action_entry(runtime: &Runtime<'_>, action: Option<&ActionSpec>) -> Fields {
    let with_handle = |of_type, number, handle: u32| {
        Fields::of([(1, Value::I32(of_type)), (number, Value::I32(handle.cast_signed()))])
    };
    match action {
        Some(ActionSpec::Call(call)) => Fields::of([
            (1, Value::I32(ACTION_DATA)),
            (2, text(runtime.action_name(call.action))),
            (3, action_data(call)),
        ]),
        Some(ActionSpec::Member(member)) => with_handle(MEMBER, 4, *member),
        Some(ActionSpec::Group(group)) => with_handle(GROUP, 5, *group),
        // BMv2 has no sets of actions in an entry, which P4Runtime writes.
        Some(ActionSpec::OneShot(_)) | None => Fields::of([(1, Value::I32(NO_ACTION))]),
    }
}

/// The structure of an entry.
pub(crate) fn entry(runtime: &Runtime<'_>, info: &TableInfo, number: u64, view: &EntryView) -> Fields {
    let milliseconds = |ns: u64| Value::I32(i32::try_from(ns / 1_000_000).unwrap_or(i32::MAX));
    let key = info.keys.iter().zip(&view.entry.key).map(|(key, matched)| param(key.width, matched));
    let priority = if info.has_priority { bmv2_priority(view.entry.priority) } else { -1 };
    let mut fields = Fields::of([
        (1, structs(key)),
        (2, Fields::of([(1, Value::I32(priority))]).into()),
        (3, Value::I32(i32::try_from(number).unwrap_or(i32::MAX))),
        (4, action_entry(runtime, Some(&view.entry.action)).into()),
    ]);
    if view.entry.idle_timeout_ns > 0 {
        let since_ns = runtime.now_ns.saturating_sub(view.last_hit_ns);
        let life = [(1, milliseconds(view.entry.idle_timeout_ns)), (2, milliseconds(since_ns))];
        fields.set(5, Fields::of(life).into());
    }
    fields
}
