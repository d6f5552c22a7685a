//! Limits of the switch: tables and entries that it cannot load are refused at their places in the source.

use crate::expressions::key_set::KnownSet;
use crate::messages::Messages;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use p4_ir::control::{Entry, EntryKey, Key, MatchKind};
use p4_syntax::{Kind, Span};
use p4_types::typed;
use std::collections::{HashMap, hash_map};

/// Refuses a key that is too long for the switch.
pub fn check_key_length(messages: &Messages<'_>, keys: &[Key], span: Span) {
    let words: u32 = keys.iter().map(|key| key.width.div_ceil(64)).sum();
    let most = longest_key(keys);
    if words > most {
        let message = format!("the key of this table takes {} bits; the switch has {}", words * 64, most * 64);
        messages.error_of(Kind::Overlimit, span, message);
    }
}

/// BMv2's own number of an entry, of the annotation `@priority`; 0 without one.
pub fn own_priority(messages: &Messages<'_>, entry: &typed::TableEntry) -> i64 {
    let given = typed::find_annotation(&entry.annotations, "priority").and_then(typed::Annotation::number);
    let Some(given) = given else { return 0 };
    given.to_i32().filter(|number| *number >= 0).map_or_else(
        || {
            let message = format!("the priority {given} of this entry is not between 0 and {}", i32::MAX);
            messages.error_of(Kind::Overlimit, entry.span, message);
            0
        },
        i64::from,
    )
}

/// The switch compares the bits of ranges as unsigned numbers; `signed` are the bits of a signed key.
pub fn check_range(messages: &Messages<'_>, set: &KnownSet, signed: Option<u32>, span: Span) {
    let KnownSet::Range(low, high) = set else { return };
    let is_negative = |number: &BigInt, bits: u32| number.bit(u64::from(bits.max(1)) - 1);
    if low > high || signed.is_some_and(|bits| is_negative(low, bits) != is_negative(high, bits)) {
        let message = "the switch compares ranges as unsigned numbers, and as such this one ends before it begins";
        messages.error_of(Kind::Unsupported, span, message);
    }
}

/// Entries that the switch cannot tell from each other: by their prefixes, or under the mask of a key.
pub fn check_duplicates(
    messages: &Messages<'_>,
    declared: &typed::Table,
    keys: &[Key],
    entries: &[(Option<i64>, Entry)],
) {
    if keys.iter().any(|key| !matches!(key.kind, MatchKind::Exact | MatchKind::Lpm)) {
        return;
    }
    let seen_by_switch = |(value, key): (&EntryKey, &Key)| {
        let masked = |value: &BigInt| key.mask.as_ref().map_or_else(|| value.clone(), |mask| value & mask);
        match value {
            EntryKey::Lpm(value, length) => (masked(value), *length),
            EntryKey::Exact(value) | EntryKey::Ternary(value, _) | EntryKey::Range(value, _) => (masked(value), 0),
        }
    };
    let mut seen = HashMap::new();
    for ((_, entry), place) in entries.iter().zip(&declared.entries) {
        let values: Vec<_> = entry.keys.iter().zip(keys).map(seen_by_switch).collect();
        match seen.entry(values) {
            hash_map::Entry::Occupied(before) => {
                let message = "another entry has the same keys";
                messages.error_with_place(Kind::Keys, place.span, message, *before.get(), "it is here");
            }
            hash_map::Entry::Vacant(free) => {
                free.insert(place.span);
            }
        }
    }
}

/// The longest key that the switch takes of such a table, in words of 64 bits, of which each field begins a new one.
fn longest_key(keys: &[Key]) -> u32 {
    let has = |kinds: &[MatchKind]| keys.iter().any(|key| kinds.contains(&key.kind));
    let has_priorities = has(&[MatchKind::Ternary, MatchKind::Range, MatchKind::Optional]);
    if has(&[MatchKind::Lpm]) && !has_priorities { 16 } else { 256 }
}
