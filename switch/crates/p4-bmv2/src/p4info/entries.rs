//! The entries that a program gives its tables, as one P4Runtime `WriteRequest`.
//!
//! Values have all bytes of their width, and fields that match everything are left out, as p4c
//! writes them. Default actions are not there: P4Info says them.

use super::Error;
use super::ids::{Ids, Kind};
use super::text::{Text, padded_bytes};
use num_bigint::BigInt;
use num_traits::Zero;
use p4_ir::control::EntryKey;
use p4_ir::control_plane::{ControlPlane, MatchField, MatchType, Table, TableEntry};
use p4_syntax::Kind as MessageKind;

/// The whole request.
///
/// # Errors
/// A description of `@id`s that are used twice, or of priorities that P4Runtime has no room for.
pub fn entries_text(control_plane: &ControlPlane) -> Result<String, Error> {
    let ids = Ids::new(control_plane)?;
    let mut text = Text::default();
    text.raw("# proto-file: p4/v1/p4runtime.proto\n");
    text.raw("# proto-message: p4.v1.WriteRequest\n\n");
    for table in &control_plane.tables {
        for entry in &table.entries {
            check_priority(table, entry)?;
            text.message("updates", |text| {
                text.word("type", "INSERT");
                text.message("entity", |text| {
                    text.message("table_entry", |text| write_entry(text, table, entry, &ids));
                });
            });
        }
    }
    Ok(text.finish())
}

fn check_priority(table: &Table, entry: &TableEntry) -> Result<(), Error> {
    match entry.priority {
        Some(priority) if i32::try_from(priority).is_err() => {
            let name = &table.preamble.name;
            let message =
                format!("the priority {priority} of an entry of the table '{name}' is too large for P4Runtime");
            Err(Error { kind: MessageKind::Overlimit, message, at: None })
        }
        _ => Ok(()),
    }
}

fn write_entry(text: &mut Text, table: &Table, entry: &TableEntry, ids: &Ids) {
    text.number("table_id", ids.id(Kind::Table, &table.preamble.name));
    for (field, (key, bits)) in table.match_fields.iter().zip(&entry.keys) {
        write_key(text, field, key, *bits);
    }
    text.message("action", |text| {
        text.message("action", |text| {
            text.number("action_id", ids.id(Kind::Action, &entry.action));
            for (param, value, bits) in &entry.args {
                text.message("params", |text| {
                    text.number("param_id", param);
                    text.bytes("value", &padded_bytes(value, *bits));
                });
            }
        });
    });
    if let Some(priority) = entry.priority.filter(|priority| *priority != 0) {
        text.number("priority", priority);
    }
    if entry.is_const {
        text.word("is_const", "true");
    }
}

/// One `match`, unless everything matches.
fn write_key(text: &mut Text, field: &MatchField, key: &EntryKey, bits: u32) {
    let optional = field.match_type == MatchType::Standard("OPTIONAL");
    let (kind, parts): (&str, Vec<(&str, &BigInt)>) = match key {
        EntryKey::Exact(value) => ("exact", vec![("value", value)]),
        EntryKey::Lpm(_, 0) => return,
        EntryKey::Lpm(value, _) => ("lpm", vec![("value", value)]),
        EntryKey::Ternary(_, mask) if mask.is_zero() => return,
        EntryKey::Ternary(value, _) if optional => ("optional", vec![("value", value)]),
        EntryKey::Ternary(value, mask) => ("ternary", vec![("value", value), ("mask", mask)]),
        EntryKey::Range(low, high) if low.is_zero() && *high == (BigInt::from(1) << bits) - 1 => return,
        EntryKey::Range(low, high) => ("range", vec![("low", low), ("high", high)]),
    };
    text.message("match", |text| {
        text.number("field_id", field.id);
        text.message(kind, |text| {
            for (name, value) in parts {
                text.bytes(name, &padded_bytes(value, bits));
            }
            if let EntryKey::Lpm(_, length) = key {
                text.number("prefix_len", length);
            }
        });
    });
}
