//! Parser value sets.

use std::collections::HashSet;

use p4runtime_proto::runtime::{self, update::Type};
use v1model::{KeyMatch, ValueSetMember, ValueSetRange};

use super::{Step, only_modify};
use crate::bytestring::{ones, prefix_mask};
use crate::entity::unknown;
use crate::failure::{Failure, Outcome};
use crate::schema::Schema;
use crate::status::control_failure;

pub(super) fn plan(schema: &Schema, kind: Type, entry: runtime::ValueSetEntry) -> Outcome<Step> {
    only_modify(kind, "a value set")?;
    let set = schema.value_sets.get(&entry.value_set_id).ok_or_else(|| unknown("value set", entry.value_set_id))?;
    if set.size > 0 && entry.members.len() > set.size {
        return Err(Failure::exhausted(format!("value set \"{}\" takes {} members", set.name, set.size)));
    }
    let mut members = Vec::with_capacity(entry.members.len());
    let mut seen = HashSet::new();
    for member in &entry.members {
        let key = schema
            .read_match(&set.fields, &member.r#match)
            .map_err(|f| f.within(format_args!("value set \"{}\"", set.name)))?;
        if !seen.insert(key.clone()) {
            return Err(Failure::exists(format!("value set \"{}\": a member is given twice", set.name)));
        }
        let widths: Vec<u32> = set.fields.iter().map(|field| field.width).collect();
        members.push(to_member(&key, &widths)?);
    }
    let slot = set.slot;
    Ok(Box::new(move |context| context.switch.value_set_write(slot, members).map_err(control_failure)))
}

fn to_member(key: &[KeyMatch], widths: &[u32]) -> Outcome<ValueSetMember> {
    let (mut value, mut mask, mut exact, mut ranges) = (Vec::new(), Vec::new(), true, Vec::new());
    for (part, width) in key.iter().zip(widths) {
        let (part_value, part_mask) = match part {
            KeyMatch::Exact(exact) | KeyMatch::Optional(Some(exact)) => (exact.clone(), ones(*width)),
            KeyMatch::Lpm { value, prefix_len } => (value.clone(), prefix_mask(*prefix_len, *width)),
            KeyMatch::Ternary { value, mask } => (value.clone(), mask.clone()),
            KeyMatch::Optional(None) => (vec![0; width.div_ceil(8) as usize], vec![0; width.div_ceil(8) as usize]),
            KeyMatch::Range { low, high } => {
                ranges.push(ValueSetRange { start: value.len(), low: low.clone(), high: high.clone() });
                (vec![0; low.len()], vec![0; low.len()])
            }
            KeyMatch::Valid(_) => return Err(Failure::invalid("value sets do not match the validity of headers")),
        };
        exact &= part_mask == ones(*width);
        value.extend(part_value);
        mask.extend(part_mask);
    }
    Ok(ValueSetMember { value, mask: (!exact).then_some(mask), ranges })
}
