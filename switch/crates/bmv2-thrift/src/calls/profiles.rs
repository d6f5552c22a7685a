//! Members and groups of action profiles.

use bmv2_runtime::{Code, Kind, Refusal, Runtime};
use thrift::protocol::TType;
use v1model::{ActionProfileInfo, ProfileGroup, ProfileMember};

use super::entries::{action_data, call_of};
use super::{Answer, Call, of_profile};
use crate::arguments::handle;
use crate::fault::Fault;
use crate::value::{Fields, Value, structs, text};

pub(super) const CALLS: &[Call] = &[
    of_profile("bm_mt_act_prof_add_member", add_member),
    of_profile("bm_mt_act_prof_delete_member", delete_member),
    of_profile("bm_mt_act_prof_modify_member", modify_member),
    of_profile("bm_mt_act_prof_create_group", create_group),
    of_profile("bm_mt_act_prof_delete_group", delete_group),
    of_profile("bm_mt_act_prof_add_member_to_group", add_member_to_group),
    of_profile("bm_mt_act_prof_remove_member_from_group", remove_member_from_group),
    of_profile("bm_mt_act_prof_get_members", get_members),
    of_profile("bm_mt_act_prof_get_member", get_member),
    of_profile("bm_mt_act_prof_get_groups", get_groups),
    of_profile("bm_mt_act_prof_get_group", get_group),
];

fn profile(runtime: &Runtime<'_>, given: &Fields) -> Result<ActionProfileInfo, Fault> {
    let profile = runtime.profile(given.text(2)?);
    Ok(profile.ok_or(Refusal::new(Kind::Table, Code::InvalidActionProfileName))?)
}

fn member(runtime: &Runtime<'_>, member: &ProfileMember) -> Fields {
    Fields::of([
        (1, Value::I32(member.id.cast_signed())),
        (2, text(runtime.action_name(member.call.action))),
        (3, action_data(&member.call)),
    ])
}

fn group(group: &ProfileGroup) -> Fields {
    let members = group.members.iter().map(|member| Value::I32(member.member.cast_signed()));
    Fields::of([(1, Value::I32(group.id.cast_signed())), (2, Value::List(TType::I32, members.collect()))])
}

fn add_member(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    let call = call_of(runtime, &runtime.actions_of_profile(&info), given.text(3)?, &given.byte_strings(4)?)?;
    Ok(Value::I32(runtime.create_member(&info, call)?.cast_signed()))
}

fn delete_member(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    runtime.delete_member(&info, handle(given.i32(3)?))?;
    Ok(Value::Void)
}

fn modify_member(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    let call = call_of(runtime, &runtime.actions_of_profile(&info), given.text(4)?, &given.byte_strings(5)?)?;
    runtime.modify_member(&info, handle(given.i32(3)?), call)?;
    Ok(Value::Void)
}

fn create_group(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    Ok(Value::I32(runtime.create_group(&info)?.cast_signed()))
}

fn delete_group(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    runtime.delete_group(&info, handle(given.i32(3)?))?;
    Ok(Value::Void)
}

fn add_member_to_group(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    runtime.add_to_group(&info, handle(given.i32(3)?), handle(given.i32(4)?))?;
    Ok(Value::Void)
}

fn remove_member_from_group(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    runtime.remove_from_group(&info, handle(given.i32(3)?), handle(given.i32(4)?))?;
    Ok(Value::Void)
}

fn get_members(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    Ok(structs(runtime.members(info.id)?.iter().map(|one| member(runtime, one))))
}

fn get_member(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    Ok(member(runtime, &runtime.member(info.id, handle(given.i32(3)?))?).into())
}

fn get_groups(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    Ok(structs(runtime.groups(info.id)?.iter().map(group)))
}

fn get_group(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = profile(runtime, given)?;
    Ok(group(&runtime.group(info.id, handle(given.i32(3)?))?).into())
}
