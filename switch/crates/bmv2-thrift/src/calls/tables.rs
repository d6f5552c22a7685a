//! Tables, their entries and default actions.

use bmv2_runtime::{Code, Kind, Refusal, Runtime, check_direct, check_indirect};
use v1model::{ActionSpec, TableInfo};

use super::entries::{action_entry, call_of, entry, key_of};
use super::{Answer, Call, of_table};
use crate::arguments::{handle, position};
use crate::fault::Fault;
use crate::value::{Fields, Value, structs};

pub(super) const CALLS: &[Call] = &[
    of_table("bm_mt_get_num_entries", get_num_entries),
    of_table("bm_mt_clear_entries", clear_entries),
    of_table("bm_mt_add_entry", add_entry),
    of_table("bm_mt_set_default_action", set_default_action),
    of_table("bm_mt_reset_default_entry", |runtime, given| reset_default(runtime, given, check_direct)),
    of_table("bm_mt_delete_entry", |runtime, given| delete(runtime, given, check_direct)),
    of_table("bm_mt_modify_entry", modify_entry),
    of_table("bm_mt_set_entry_ttl", |runtime, given| set_ttl(runtime, given, check_direct)),
    of_table("bm_mt_indirect_add_entry", |runtime, given| add_with(runtime, given, ActionSpec::Member)),
    of_table("bm_mt_indirect_modify_entry", |runtime, given| modify_with(runtime, given, ActionSpec::Member)),
    of_table("bm_mt_indirect_delete_entry", |runtime, given| delete(runtime, given, is_indirect)),
    of_table("bm_mt_indirect_set_entry_ttl", |runtime, given| set_ttl(runtime, given, is_indirect)),
    of_table("bm_mt_indirect_set_default_member", |runtime, given| set_default(runtime, given, ActionSpec::Member)),
    of_table("bm_mt_indirect_reset_default_entry", |runtime, given| reset_default(runtime, given, is_indirect)),
    of_table("bm_mt_indirect_ws_add_entry", |runtime, given| add_with(runtime, given, ActionSpec::Group)),
    of_table("bm_mt_indirect_ws_modify_entry", |runtime, given| modify_with(runtime, given, ActionSpec::Group)),
    of_table("bm_mt_indirect_ws_set_default_group", |runtime, given| set_default(runtime, given, ActionSpec::Group)),
    of_table("bm_mt_get_entries", get_entries),
    of_table("bm_mt_get_entry", get_entry),
    of_table("bm_mt_get_default_entry", get_default_entry),
    of_table("bm_mt_get_entry_from_key", get_entry_from_key),
];

/// The table that field 2 names.
pub(super) fn table(runtime: &Runtime<'_>, given: &Fields) -> Result<TableInfo, Fault> {
    let table = runtime.table(given.text(2)?);
    Ok(table.ok_or(Refusal::new(Kind::Table, Code::InvalidTableName))?)
}

/// The priority in the options of a field; BMv2 takes 0 where they have none.
fn priority(given: &Fields, number: i16) -> Result<i32, Fault> {
    Ok(given.fields(number)?.optional_i32(1)?.unwrap_or_default())
}

fn is_indirect(info: &TableInfo) -> Result<(), Refusal> {
    check_indirect(info, false)
}

type Check = fn(&TableInfo) -> Result<(), Refusal>;

/// Members and groups by their handles.
type Spec = fn(u32) -> ActionSpec;

/// The members or groups that a call is about are such as the table has, and no empty group.
fn spec_of(runtime: &Runtime<'_>, info: &TableInfo, spec: ActionSpec) -> Result<ActionSpec, Fault> {
    check_indirect(info, matches!(spec, ActionSpec::Group(_)))?;
    if let (ActionSpec::Group(group), v1model::TableKind::Selector(profile)) = (&spec, info.kind)
        && runtime.group(profile, *group)?.members.is_empty()
    {
        return Err(Refusal::new(Kind::Table, Code::EmptyGroup).into());
    }
    Ok(spec)
}

fn handle_value(handle: u64) -> Value {
    Value::I32(i32::try_from(handle).unwrap_or(i32::MAX))
}

fn get_num_entries(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    Ok(Value::I64(runtime.entry_count(&info)? as i64))
}

fn clear_entries(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    runtime.clear_entries(&info)?;
    if given.bool(3)? {
        runtime.reset_default(&info)?;
    }
    Ok(Value::Void)
}

fn add_entry(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    check_direct(&info)?;
    let call = call_of(runtime, &info.actions, given.text(4)?, &given.byte_strings(5)?)?;
    let key = key_of(&info, &given.structs(3)?)?;
    Ok(handle_value(runtime.add_entry(&info, key, priority(given, 6)?, ActionSpec::Call(call))?))
}

fn set_default_action(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    check_direct(&info)?;
    let call = call_of(runtime, &info.actions, given.text(3)?, &given.byte_strings(4)?)?;
    runtime.set_default(&info, ActionSpec::Call(call))?;
    Ok(Value::Void)
}

fn reset_default(runtime: &mut Runtime<'_>, given: &Fields, check: Check) -> Answer {
    let info = table(runtime, given)?;
    check(&info)?;
    runtime.reset_default(&info)?;
    Ok(Value::Void)
}

fn delete(runtime: &mut Runtime<'_>, given: &Fields, check: Check) -> Answer {
    let info = table(runtime, given)?;
    check(&info)?;
    runtime.delete_entry(&info, position(given.i32(3)?))?;
    Ok(Value::Void)
}

fn modify_entry(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    check_direct(&info)?;
    let call = call_of(runtime, &info.actions, given.text(4)?, &given.byte_strings(5)?)?;
    runtime.modify_entry(&info, position(given.i32(3)?), ActionSpec::Call(call))?;
    Ok(Value::Void)
}

fn set_ttl(runtime: &mut Runtime<'_>, given: &Fields, check: Check) -> Answer {
    let info = table(runtime, given)?;
    check(&info)?;
    // BMv2 takes it for a number without sign.
    let timeout_ms = u64::from(given.i32(4)?.cast_unsigned());
    runtime.set_entry_timeout(&info, position(given.i32(3)?), timeout_ms * 1_000_000)?;
    Ok(Value::Void)
}

fn add_with(runtime: &mut Runtime<'_>, given: &Fields, spec: Spec) -> Answer {
    let info = table(runtime, given)?;
    let action = spec_of(runtime, &info, spec(handle(given.i32(4)?)))?;
    let key = key_of(&info, &given.structs(3)?)?;
    Ok(handle_value(runtime.add_entry(&info, key, priority(given, 5)?, action)?))
}

fn modify_with(runtime: &mut Runtime<'_>, given: &Fields, spec: Spec) -> Answer {
    let info = table(runtime, given)?;
    let action = spec_of(runtime, &info, spec(handle(given.i32(4)?)))?;
    runtime.modify_entry(&info, position(given.i32(3)?), action)?;
    Ok(Value::Void)
}

fn set_default(runtime: &mut Runtime<'_>, given: &Fields, spec: Spec) -> Answer {
    let info = table(runtime, given)?;
    let action = spec_of(runtime, &info, spec(handle(given.i32(3)?)))?;
    runtime.set_default(&info, action)?;
    Ok(Value::Void)
}

fn get_entries(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    let views = runtime.entries(&info)?;
    Ok(structs(views.iter().map(|(number, view)| entry(runtime, &info, *number, view))))
}

fn get_entry(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    let number = position(given.i32(3)?);
    let view = runtime.entry(&info, number)?;
    Ok(entry(runtime, &info, number, &view).into())
}

fn get_default_entry(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    let default = runtime.default_entry(&info)?;
    Ok(action_entry(runtime, default.as_ref()).into())
}

fn get_entry_from_key(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = table(runtime, given)?;
    let params = given.structs(3)?;
    if params.is_empty() {
        // Without a key it is about the default entry.
        let default = runtime.default_entry(&info)?;
        let action = action_entry(runtime, default.as_ref());
        return Ok(Fields::of([
            (1, structs([])),
            (2, Fields::default().into()),
            (3, Value::I32(0)),
            (4, action.into()),
        ])
        .into());
    }
    let key = key_of(&info, &params)?;
    let (number, view) = runtime.entry_with_key(&info, key, priority(given, 4)?)?;
    Ok(entry(runtime, &info, number, &view).into())
}
