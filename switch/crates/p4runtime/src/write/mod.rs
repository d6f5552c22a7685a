//! Writes. An update is first turned into a [`Step`]: all decoding and checking that needs no state runs outside the
//! forwarding thread. Then the steps of a batch run on the switch between two packets.

pub mod arrays;
mod batch;
mod digest;
mod profile;
mod replication;
pub mod table;
mod value_set;

use p4runtime_proto::runtime::{self, entity::Entity, update::Type};
use v1model::Switch;

pub use batch::{Atomicity, apply_batch};

use crate::extras::Extras;
use crate::failure::{Failure, Outcome};
use crate::role::Access;
use crate::schema::Schema;

/// The state that a step works on.
pub struct Context<'a> {
    /// The switch: the live one, or one that a saved pipeline is being prepared on.
    pub switch: &'a mut Switch,
    /// The state that the switch does not keep.
    pub extras: &'a mut Extras,
    /// The switch's clock.
    pub now_ns: u64,
    /// The step brings back earlier state, and no client writes: values that a client may only reset can be set.
    pub restoring: bool,
}

/// A decoded update. Either it does everything or nothing.
pub type Step = Box<dyn FnOnce(&mut Context<'_>) -> Outcome<()> + Send>;

/// Decodes an update.
///
/// # Errors
/// A fault of the update whatever the state of the switch, and PERMISSION_DENIED for entities outside the role.
pub fn plan(schema: &Schema, access: &Access, update: runtime::Update) -> Outcome<Step> {
    let kind = update.r#type();
    if kind == Type::Unspecified {
        return Err(Failure::invalid("the update has no type"));
    }
    let Some(entity) = update.entity.and_then(|entity| entity.entity) else {
        return Err(Failure::invalid("the update has no entity"));
    };
    if !access.covers(object_id(&entity)) {
        return Err(Failure::denied("the role's configuration does not include this object"));
    }
    match entity {
        Entity::TableEntry(entry) => table::plan(schema, kind, entry),
        Entity::ActionProfileMember(member) => profile::plan_member(schema, kind, member),
        Entity::ActionProfileGroup(group) => profile::plan_group(schema, kind, group),
        Entity::MeterEntry(entry) => arrays::plan_meter(schema, kind, entry),
        Entity::DirectMeterEntry(entry) => table::plan_direct_meter(schema, kind, entry),
        Entity::CounterEntry(entry) => arrays::plan_counter(schema, kind, entry),
        Entity::DirectCounterEntry(entry) => table::plan_direct_counter(schema, kind, entry),
        Entity::PacketReplicationEngineEntry(entry) => replication::plan(kind, entry),
        Entity::ValueSetEntry(entry) => value_set::plan(schema, kind, entry),
        Entity::RegisterEntry(entry) => arrays::plan_register(schema, kind, entry),
        Entity::DigestEntry(entry) => digest::plan(schema, kind, entry),
        Entity::ExternEntry(_) => Err(Failure::unimplemented("v1model has no other externs")),
    }
}

/// The P4Info id of the object an entity belongs to; roles are about these. `None` for the packet replication engine.
pub fn object_id(entity: &Entity) -> Option<u32> {
    match entity {
        Entity::ExternEntry(entry) => Some(entry.extern_id),
        Entity::TableEntry(entry) => Some(entry.table_id),
        Entity::ActionProfileMember(member) => Some(member.action_profile_id),
        Entity::ActionProfileGroup(group) => Some(group.action_profile_id),
        Entity::MeterEntry(entry) => Some(entry.meter_id),
        Entity::DirectMeterEntry(entry) => entry.table_entry.as_ref().map(|entry| entry.table_id),
        Entity::CounterEntry(entry) => Some(entry.counter_id),
        Entity::DirectCounterEntry(entry) => entry.table_entry.as_ref().map(|entry| entry.table_id),
        Entity::PacketReplicationEngineEntry(_) => None,
        Entity::ValueSetEntry(entry) => Some(entry.value_set_id),
        Entity::RegisterEntry(entry) => Some(entry.register_id),
        Entity::DigestEntry(entry) => Some(entry.digest_id),
    }
}

/// Refuses INSERT and DELETE for things that are always there.
fn only_modify(kind: Type, what: &str) -> Outcome<()> {
    match kind {
        Type::Modify => Ok(()),
        _ => Err(Failure::invalid(format!("{what} can only be modified, not inserted or deleted"))),
    }
}

/// Reads a non-negative number.
fn unsigned(value: i64, what: &str) -> Outcome<u64> {
    u64::try_from(value).map_err(|_| Failure::invalid(format!("{what} is negative ({value})")))
}
