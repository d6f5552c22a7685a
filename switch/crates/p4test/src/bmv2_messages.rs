//! Translates statements of a test, resolved against the loaded program, to P4Runtime messages with the ids of a P4Info.

use p4runtime_proto::config::P4Info;
use p4runtime_proto::runtime::{self as p4, field_match, field_match::FieldMatchType};
use prost_reflect::{DescriptorPool, DynamicMessage};
use v1model::{ActionCall, KeyInfo, KeyMatch, Program, TableInfo};

use crate::value;

/// Reads a P4Info in protobuf text.
pub(crate) fn parse_p4info(text: &str) -> Result<P4Info, String> {
    let pool = DescriptorPool::decode(p4runtime_proto::DESCRIPTORS).map_err(|e| e.to_string())?;
    let kind = pool.get_message_by_name("p4.config.v1.P4Info").ok_or("no description of P4Info")?;
    let message =
        DynamicMessage::parse_text_format(kind, text).map_err(|e| format!("the P4Info cannot be read: {e}"))?;
    message.transcode_to().map_err(|e| format!("the P4Info cannot be read: {e}"))
}

/// The id of an object that the P4Info has under this name.
pub(crate) fn id<'a, T: 'a>(
    items: impl IntoIterator<Item = &'a T>,
    preamble: impl Fn(&T) -> Option<&p4runtime_proto::config::Preamble>,
    name: &str,
) -> Result<u32, String> {
    let found = items.into_iter().filter_map(preamble).find(|preamble| preamble.name == name);
    found.map(|preamble| preamble.id).ok_or_else(|| format!("the P4Info has no \"{name}\""))
}

/// An action with its parameters.
pub(crate) fn action(info: &P4Info, program: &Program, call: &ActionCall) -> Result<p4::Action, String> {
    let known = program.actions().get(call.action.0 as usize).ok_or("there is no such action")?;
    let described = info.actions.iter().find(|a| a.preamble.as_ref().is_some_and(|p| p.name == known.name));
    let described = described.ok_or_else(|| format!("the P4Info has no action \"{}\"", known.name))?;
    let ids = described.params.iter().map(|param| param.id);
    let params = ids.zip(&call.params).map(|(param_id, value)| p4::action::Param { param_id, value: canonical(value) });
    Ok(p4::Action {
        action_id: described.preamble.as_ref().map(|p| p.id).unwrap_or_default(),
        params: params.collect(),
    })
}

/// The key of an entry. Fields that match anything are left out, as P4Runtime wants it.
pub(crate) fn key(info: &P4Info, table: &TableInfo, key: &[KeyMatch]) -> Result<Vec<p4::FieldMatch>, String> {
    let described = info.tables.iter().find(|t| t.preamble.as_ref().is_some_and(|p| p.name == table.name));
    let described = described.ok_or_else(|| format!("the P4Info has no table \"{}\"", table.name))?;
    let fields = described.match_fields.iter().zip(&table.keys).zip(key);
    let matches = fields.filter_map(|((field, key), wanted)| {
        let field_match_type = Some(field_match(key, wanted)?);
        Some(p4::FieldMatch { field_id: field.id, field_match_type })
    });
    Ok(matches.collect())
}

fn field_match(key: &KeyInfo, wanted: &KeyMatch) -> Option<FieldMatchType> {
    Some(match wanted {
        KeyMatch::Exact(value) => FieldMatchType::Exact(field_match::Exact { value: canonical(value) }),
        KeyMatch::Valid(valid) => FieldMatchType::Exact(field_match::Exact { value: vec![u8::from(*valid)].into() }),
        KeyMatch::Lpm { prefix_len: 0, .. } | KeyMatch::Optional(None) => return None,
        KeyMatch::Lpm { value, prefix_len } => {
            let value = masked(value, &prefix_mask(key.width, *prefix_len));
            FieldMatchType::Lpm(field_match::Lpm {
                value: canonical(&value),
                prefix_len: i32::try_from(*prefix_len).unwrap_or(i32::MAX),
            })
        }
        KeyMatch::Ternary { mask, .. } if mask.iter().all(|byte| *byte == 0) => return None,
        KeyMatch::Ternary { value, mask } => {
            let (value, mask) = (canonical(&masked(value, mask)), canonical(mask));
            FieldMatchType::Ternary(field_match::Ternary { value, mask })
        }
        KeyMatch::Range { low, high } => {
            let (low, high) = (canonical(low), canonical(high));
            if low.iter().all(|byte| *byte == 0) && high == canonical(&value::full_mask(key.width)) {
                return None;
            }
            FieldMatchType::Range(field_match::Range { low, high })
        }
        KeyMatch::Optional(Some(value)) => FieldMatchType::Optional(field_match::Optional { value: canonical(value) }),
    })
}

/// Without leading zeros.
fn canonical(value: &[u8]) -> prost::bytes::Bytes {
    let zeros = value.iter().take_while(|byte| **byte == 0).count();
    let digits = value.get(zeros..).unwrap_or_default();
    if digits.is_empty() { vec![0].into() } else { digits.to_vec().into() }
}

/// Both numbers are as long as they are written: the distance from the end counts.
fn masked(value: &[u8], mask: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = value.iter().rev().zip(mask.iter().rev()).map(|(v, m)| v & m).collect();
    bytes.reverse();
    bytes
}

fn prefix_mask(width: u32, prefix_len: u32) -> Vec<u8> {
    let bytes = width.div_ceil(8);
    let unused = bytes * 8 - width;
    let bit = |position: u32| u8::from(position >= unused && position < unused + prefix_len);
    (0..bytes).map(|byte| (0..8).fold(0, |value, at| value << 1 | bit(byte * 8 + at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_canonical_numbers() {
        assert_eq!(prefix_mask(32, 24), [255, 255, 255, 0]);
        assert_eq!(prefix_mask(9, 1), [1, 0]);
        assert_eq!(prefix_mask(12, 5), [0x0f, 0x80]);
        assert_eq!(masked(&[0, 0, 0x12, 0x34], &[0xff, 0x0f]), [0x12, 0x04]);
        assert_eq!(&canonical(&[0, 0, 5, 0])[..], [5, 0]);
        assert_eq!(&canonical(&[])[..], [0]);
    }

    #[test]
    fn what_matches_anything_is_left_out() {
        let key = KeyInfo { name: "f".into(), field: "h.f".into(), width: 9, kind: v1model::MatchKind::Range };
        let all = KeyMatch::Range { low: vec![0], high: vec![1, 255] };
        assert!(field_match(&key, &all).is_none());
        assert!(field_match(&key, &KeyMatch::Ternary { value: vec![7], mask: vec![0, 0] }).is_none());
        assert!(field_match(&key, &KeyMatch::Optional(None)).is_none());
        assert!(field_match(&key, &KeyMatch::Exact(vec![0])).is_some());
    }

    #[test]
    fn p4info_text() {
        let info = parse_p4info("tables { preamble { id: 5 name: \"a.t\" } size: 3 }").expect("good");
        assert_eq!(id(&info.tables, |t| t.preamble.as_ref(), "a.t"), Ok(5));
        assert!(id(&info.tables, |t| t.preamble.as_ref(), "a.u").is_err());
        assert!(parse_p4info("tables { nonsense: 1 }").expect_err("bad").contains("P4Info"));
    }
}
