//! Keys and actions of entries: checking them, and their form for the packet path.

use super::row::{FieldRange, less, shared_prefix};
use crate::code::Program;
use crate::code::ops::ActionEntry;
use crate::code::pipeline::KeyField;
use crate::limbs::Limbs;
use crate::phv::{append_bytes, bytes_to_limbs, limbs};
use crate::types::{ActionCall, ControlError, KeyMatch, MatchKind, TableId};

/// A key in the form of the packet path.
#[derive(Debug)]
pub(crate) struct EncodedKey {
    pub value: Vec<u64>,
    pub mask: Vec<u64>,
    pub ranges: Vec<FieldRange>,
    pub prefix_length: u32,
    /// The same key, padded and masked.
    pub written: Vec<KeyMatch>,
}

impl EncodedKey {
    /// The key and priority that tell this entry from others of a table with priorities.
    pub fn identity(&self, priority: i32) -> Box<[u64]> {
        let mut all = self.value.clone();
        all.extend_from_slice(&self.mask);
        for range in &self.ranges {
            all.extend_from_slice(&range.low);
            all.extend_from_slice(&range.high);
        }
        all.push(u64::from(priority.cast_unsigned()));
        all.into()
    }
}

fn hex(bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("0x{text}")
}

/// Bytes as limbs; an error if they do not fit.
pub(crate) fn to_limbs(bytes: &[u8], width: u32, place: impl Fn() -> String) -> Result<Vec<u64>, ControlError> {
    let mut out = vec![0; limbs(width)];
    if bytes_to_limbs(bytes, width, &mut out) {
        Ok(out)
    } else {
        Err(ControlError::ValueTooWide { place: place(), width, value: hex(bytes) })
    }
}

/// Limbs as bytes, as many as the width asks for.
pub(crate) fn to_bytes(data: &[u64], width: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(width.div_ceil(8) as usize);
    append_bytes(data, width, &mut out);
    out
}

/// Ones in the first `length` of `width` bits, most significant first.
fn prefix_mask(width: u32, length: u32) -> Vec<u64> {
    let mut mask = vec![0; limbs(width)];
    for bit in width - length..width {
        mask[bit as usize / 64] |= 1 << (bit % 64);
    }
    mask
}

/// Checks a key and encodes it.
pub(crate) fn encode_key(program: &Program, table: TableId, key: &[KeyMatch]) -> Result<EncodedKey, ControlError> {
    let code = &program.table_code[table.index()];
    let info = &program.tables[table.index()];
    if key.len() != code.keys.len() {
        let place = format!("the key of table {}", info.name);
        return Err(ControlError::Count { place, expected: code.keys.len(), got: key.len() });
    }
    let mut encoded = EncodedKey {
        value: vec![0; code.key_limbs],
        mask: vec![0; code.key_limbs],
        ranges: Vec::new(),
        prefix_length: 0,
        written: Vec::with_capacity(key.len()),
    };
    for (index, (wanted, field)) in key.iter().zip(&code.keys).enumerate() {
        let place = || format!("key field {} of table {}", info.keys[index].name, info.name);
        encode_field(&mut encoded, field, wanted, &place)?;
    }
    Ok(encoded)
}

fn encode_field(
    encoded: &mut EncodedKey,
    field: &KeyField,
    wanted: &KeyMatch,
    place: &dyn Fn() -> String,
) -> Result<(), ControlError> {
    let width = field.loc.width;
    let number = |bytes: &[u8]| to_limbs(bytes, width, place);
    let full = || prefix_mask(width, width);
    let (value, mask) = match (field.kind, wanted) {
        (MatchKind::Exact, KeyMatch::Exact(value)) => (number(value)?, full()),
        (MatchKind::Lpm, KeyMatch::Lpm { value, prefix_len }) => {
            if *prefix_len > width {
                let message = format!("{}: prefix length {prefix_len} of {width} bits", place());
                return Err(ControlError::Invalid(message));
            }
            encoded.prefix_length = *prefix_len;
            (number(value)?, prefix_mask(width, *prefix_len))
        }
        (MatchKind::Ternary | MatchKind::Optional, KeyMatch::Ternary { value, mask }) => {
            let mask = number(mask)?;
            if field.kind == MatchKind::Optional && mask != full() && mask.iter().any(|m| *m != 0) {
                return Err(ControlError::Invalid(format!("{}: matches a value or anything, not a mask", place())));
            }
            (number(value)?, mask)
        }
        (MatchKind::Ternary | MatchKind::Optional, KeyMatch::Exact(value) | KeyMatch::Optional(Some(value))) => {
            (number(value)?, full())
        }
        (MatchKind::Ternary | MatchKind::Optional, KeyMatch::Optional(None)) => {
            (vec![0; field.limbs], vec![0; field.limbs])
        }
        (MatchKind::Range, KeyMatch::Range { low, high }) => {
            let (low, high) = (number(low)?, number(high)?);
            if less(&high, &low) {
                return Err(ControlError::Invalid(format!("{}: the range ends before it begins", place())));
            }
            encoded.written.push(KeyMatch::Range { low: to_bytes(&low, width), high: to_bytes(&high, width) });
            for (index, mask) in shared_prefix(&low, &high, &full()).into_iter().enumerate() {
                encoded.value[field.limb + index] = low[index] & mask;
                encoded.mask[field.limb + index] = mask;
            }
            encoded.ranges.push(FieldRange { limb: field.limb, low: low.into(), high: high.into() });
            return Ok(());
        }
        (MatchKind::Valid, KeyMatch::Valid(valid)) => (vec![u64::from(*valid)], full()),
        (MatchKind::Valid, KeyMatch::Exact(value)) => (number(value)?, full()),
        (kind, _) => {
            return Err(ControlError::MatchKind { place: place(), expected: format!("{kind:?}").to_lowercase() });
        }
    };
    for (index, (value, mask)) in value.iter().zip(&mask).enumerate() {
        let fixed = field.mask.as_ref().map_or(u64::MAX, |m| m[index]);
        encoded.value[field.limb + index] = value & mask & fixed;
        encoded.mask[field.limb + index] = *mask;
    }
    let range = field.limb..field.limb + field.limbs;
    let shown = to_bytes(&encoded.value[range], width);
    encoded.written.push(match wanted {
        KeyMatch::Exact(_) => KeyMatch::Exact(shown),
        KeyMatch::Lpm { prefix_len, .. } => KeyMatch::Lpm { value: shown, prefix_len: *prefix_len },
        KeyMatch::Ternary { .. } => KeyMatch::Ternary { value: shown, mask: to_bytes(&mask, width) },
        KeyMatch::Optional(Some(_)) => KeyMatch::Optional(Some(shown)),
        other => other.clone(),
    });
    Ok(())
}

/// Checks an action call and encodes it; `hit` tells whether it is for an entry or for a miss.
pub(crate) fn encode_call(
    program: &Program,
    table: TableId,
    call: &ActionCall,
    hit: bool,
) -> Result<(ActionEntry, ActionCall), ControlError> {
    let code = &program.table_code[table.index()];
    if !code.actions.iter().any(|(action, _)| *action == call.action.0) {
        return Err(ControlError::ActionNotInTable {
            table: program.tables[table.index()].name.clone(),
            action: program
                .actions
                .get(call.action.index())
                .map_or_else(|| call.action.0.to_string(), |a| a.name.clone()),
        });
    }
    encode_params(program, call).map(|(data, written)| {
        (ActionEntry { action: call.action.0, data, next: code.after(call.action.0, hit) }, written)
    })
}

/// Checks an action's parameters and encodes them.
pub(crate) fn encode_params(program: &Program, call: &ActionCall) -> Result<(Limbs, ActionCall), ControlError> {
    let unknown = || ControlError::Unknown { kind: "action", name: call.action.0.to_string() };
    let code = program.action_code.get(call.action.index()).ok_or_else(unknown)?;
    let info = program.actions.get(call.action.index()).ok_or_else(unknown)?;
    if call.params.len() != info.params.len() {
        let place = format!("action {}", info.name);
        return Err(ControlError::Count { place, expected: info.params.len(), got: call.params.len() });
    }
    let mut data = Vec::with_capacity(code.limbs as usize);
    let mut params = Vec::with_capacity(call.params.len());
    for (bytes, param) in call.params.iter().zip(&info.params) {
        let value = to_limbs(bytes, param.width, || format!("parameter {} of action {}", param.name, info.name))?;
        params.push(to_bytes(&value, param.width));
        data.extend_from_slice(&value);
    }
    Ok((data.into(), ActionCall { action: call.action, params }))
}
