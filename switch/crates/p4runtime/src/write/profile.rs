//! Members and groups of action profiles and selectors.

use std::collections::HashSet;

use bytes::Bytes;
use p4runtime_proto::runtime::{self, action_profile_group::member::WatchKind, update::Type};
use v1model::{ActionProfileId, GroupMember, ProfileGroup, ProfileMember, Switch};

use super::Step;
use crate::entity::{read_port, unknown};
use crate::extras::PortHolder;
use crate::failure::{Failure, Outcome};
use crate::schema::{GroupSize, ProfileSchema, Schema};
use crate::status::control_failure;

pub(super) fn plan_member(schema: &Schema, kind: Type, member: runtime::ActionProfileMember) -> Outcome<Step> {
    let profile = profile(schema, member.action_profile_id)?;
    let slot = profile.slot;
    let id = member.member_id;
    if id == 0 {
        return Err(Failure::invalid("member_id is 0"));
    }
    if kind == Type::Delete {
        return Ok(Box::new(move |context| context.switch.member_delete(slot, id).map_err(control_failure)));
    }
    let action = member.action.as_ref().ok_or_else(|| Failure::invalid("the member has no action"))?;
    // All tables of a profile have the same actions.
    let table = profile.tables.iter().find_map(|id| schema.tables.get(id));
    let table = table.ok_or_else(|| Failure::precondition(format!("no table uses profile \"{}\"", profile.name)))?;
    let member = ProfileMember { id, call: schema.read_action(table, action)? };
    if kind == Type::Modify {
        return Ok(Box::new(move |context| context.switch.member_modify(slot, member).map_err(control_failure)));
    }
    let limit = usize::try_from(profile.size).unwrap_or(0);
    let selector = profile.selector;
    Ok(Box::new(move |context| {
        if selector {
            refuse_mixed(context.switch, slot)?;
        }
        // A size counted in members or weights of groups is for groups to keep.
        if !selector && limit > 0 && context.switch.member_count(slot).map_err(control_failure)? >= limit {
            return Err(Failure::exhausted(format!("the action profile is full ({limit} members)")));
        }
        context.switch.member_insert(slot, member).map_err(control_failure)
    }))
}

#[allow(deprecated)]
pub(super) fn plan_group(schema: &Schema, kind: Type, group: runtime::ActionProfileGroup) -> Outcome<Step> {
    let profile = profile(schema, group.action_profile_id)?;
    if !profile.selector {
        return Err(Failure::invalid(format!("action profile \"{}\" has no groups", profile.name)));
    }
    let slot = profile.slot;
    let id = group.group_id;
    if id == 0 {
        return Err(Failure::invalid("group_id is 0"));
    }
    let holder = PortHolder::Group(slot, id);
    if kind == Type::Delete {
        return Ok(Box::new(move |context| {
            context.switch.group_delete(slot, id).map_err(control_failure)?;
            context.extras.note_ports(holder, false);
            Ok(())
        }));
    }
    let as_numbers = group.members.iter().any(|member| matches!(member.watch_kind, Some(WatchKind::Watch(_))));
    let max_size = check_max_size(profile, group.max_size)?;
    let mut members = Vec::with_capacity(group.members.len());
    let mut seen = HashSet::new();
    for member in &group.members {
        if !seen.insert(member.member_id) {
            return Err(Failure::invalid(format!("member {} is in the group twice: use its weight", member.member_id)));
        }
        let port = member.watch_kind.as_ref().map(|kind| match kind {
            WatchKind::Watch(port) => watch_port(Ok(*port)),
            WatchKind::WatchPort(port) => watch_port(Err(port)),
        });
        members.push(GroupMember {
            member: member.member_id,
            weight: check_weight(profile, member.weight)?,
            watch_port: port.transpose()?.flatten(),
        });
    }
    let limit = if group.max_size > 0 { group.max_size } else { profile.max_group_size };
    check_group_size(profile.group_size(), limit, members.iter().map(|m| m.weight))?;
    let group = ProfileGroup { id, max_size, members };
    Ok(Box::new(move |context| {
        if kind == Type::Insert {
            context.switch.group_insert(slot, group).map_err(control_failure)?;
        } else {
            let old = context.switch.group(slot, id).map_err(control_failure)?;
            if let Some(old) = old
                && old.max_size != group.max_size
            {
                return Err(Failure::invalid(format!("max_size is {} and cannot be changed", old.max_size)));
            }
            context.switch.group_modify(slot, group).map_err(control_failure)?;
        }
        context.extras.note_ports(holder, as_numbers);
        Ok(())
    }))
}

fn profile(schema: &Schema, id: u32) -> Outcome<&ProfileSchema> {
    schema.profiles.get(&id).ok_or_else(|| unknown("action profile", id))
}

/// Reads the weight of a member as the data plane wants it.
///
/// # Errors
/// INVALID_ARGUMENT if it is not positive (or set, where weights are not allowed) or above the profile's limit.
pub fn check_weight(profile: &ProfileSchema, weight: i32) -> Outcome<u32> {
    if profile.weights_disallowed {
        return match weight {
            0 => Ok(1),
            _ => Err(Failure::invalid("the selector does not allow weights")),
        };
    }
    if let Some(limit @ 1..) = profile.sum_of_members
        && weight > limit
    {
        return Err(Failure::invalid(format!("weight {weight} is above the limit of {limit}")));
    }
    match u32::try_from(weight) {
        Ok(weight @ 1..) => Ok(weight),
        _ => Err(Failure::invalid(format!("weight {weight} is not positive"))),
    }
}

/// Checks the size of a group against a limit (0 for none).
///
/// # Errors
/// INVALID_ARGUMENT if it is too large.
pub fn check_group_size(counted: GroupSize, limit: i32, weights: impl Iterator<Item = u32>) -> Outcome<()> {
    let size: u64 = match counted {
        GroupSize::SumOfMembers => weights.count() as u64,
        GroupSize::SumOfWeights => weights.map(u64::from).sum(),
    };
    match u64::try_from(limit) {
        Ok(limit @ 1..) if size > limit => {
            Err(Failure::invalid(format!("the group's size is {size}, the limit {limit}")))
        }
        _ => Ok(()),
    }
}

fn check_max_size(profile: &ProfileSchema, max_size: i32) -> Outcome<u32> {
    let limit = profile.max_group_size;
    match u32::try_from(max_size) {
        Ok(size) if limit <= 0 || max_size <= limit => Ok(size),
        _ => Err(Failure::invalid(format!("max_size {max_size} is not between 0 and {limit}"))),
    }
}

/// Reads a watch port, given as the deprecated number or as bytes. Empty bytes mean none.
///
/// # Errors
/// INVALID_ARGUMENT if it is no port.
pub fn watch_port(port: Result<i32, &Bytes>) -> Outcome<Option<u16>> {
    match port {
        Ok(number) => u16::try_from(number)
            .ok()
            .filter(|number| *number < 512)
            .map(Some)
            .ok_or_else(|| Failure::invalid(format!("watch {number} is not a port number"))),
        Err(bytes) if bytes.is_empty() => Ok(None),
        Err(bytes) => read_port(bytes).map(Some),
    }
}

/// Refuses the first member of a selector that is programmed with one-shot action sets. (With members there can be no
/// action sets, so only an empty selector needs the look at the tables.)
fn refuse_mixed(switch: &Switch, slot: ActionProfileId) -> Outcome<()> {
    if switch.member_count(slot).map_err(control_failure)? == 0
        && switch.has_one_shots(slot).map_err(control_failure)?
    {
        return Err(Failure::invalid(
            "the selector is programmed with one-shot action sets: members and groups cannot be mixed with them",
        ));
    }
    Ok(())
}
