//! Copies what a query asks for out of the switch.

use v1model::Switch;

use super::{DefaultView, EntryFilter, Fetched, Query};
use crate::extras::{Extras, PortHolder};
use crate::failure::{Failure, Outcome};
use crate::status::control_failure;

/// Runs a query. `now_ns` is the switch's clock.
///
/// # Errors
/// NOT_FOUND where a single object is asked for that must exist; whatever the switch refuses.
pub fn fetch(switch: &Switch, extras: &Extras, now_ns: u64, query: &Query) -> Outcome<Fetched> {
    let fetched = match query {
        Query::Entries { slot, filter, .. } => {
            entries(switch, *slot, filter).map(|found| Fetched::Entries(found, now_ns))?
        }
        Query::Default { id, slot, .. } => {
            let metadata = extras.default_metadata.get(id).cloned().unwrap_or_default();
            let info = switch.program().and_then(|program| program.tables().get(slot.0 as usize));
            let counter = info.filter(|info| info.with_counters).map(|_| switch.direct_counter_read(*slot, None));
            let meter = info.filter(|info| info.direct_meter.is_some()).map(|_| switch.direct_meter_read(*slot, None));
            Fetched::Default(DefaultView {
                action: switch.table_default(*slot).map_err(control_failure)?,
                counter: counter.transpose().map_err(control_failure)?,
                meter: meter.transpose().map_err(control_failure)?.flatten(),
                metadata,
            })
        }
        Query::Members { slot, only: Some(id), .. } => {
            Fetched::Members(switch.member(*slot, *id).map_err(control_failure)?.into_iter().collect())
        }
        Query::Members { slot, only: None, .. } => Fetched::Members(switch.members(*slot).map_err(control_failure)?),
        Query::Groups { slot, only, .. } => {
            let found = match only {
                Some(id) => switch.group(*slot, *id).map_err(control_failure)?.into_iter().collect(),
                None => switch.groups(*slot).map_err(control_failure)?,
            };
            Fetched::Groups(with_ports(found, extras, |group| PortHolder::Group(*slot, group.id)))
        }
        Query::Counter { slot, cells, .. } => Fetched::Counters(
            cells
                .clone()
                .map(|cell| switch.counter_read(*slot, cell))
                .collect::<Result<_, _>>()
                .map_err(control_failure)?,
        ),
        Query::Meter { slot, cells, .. } => Fetched::Meters(
            cells
                .clone()
                .map(|cell| Ok((switch.meter_read(*slot, cell)?, switch.meter_counts(*slot, cell)?)))
                .collect::<Result<_, _>>()
                .map_err(control_failure)?,
        ),
        Query::Register { slot, cells, .. } => Fetched::Registers(
            cells
                .clone()
                .map(|cell| switch.register_read(*slot, cell))
                .collect::<Result<_, _>>()
                .map_err(control_failure)?,
        ),
        Query::Multicast { only } => {
            let mut groups = switch.multicast_groups();
            groups.retain(|group| only.is_none_or(|only| u32::from(group.id) == only));
            Fetched::Multicast(with_ports(groups, extras, |group| PortHolder::Multicast(group.id)))
        }
        Query::Clones { only } => {
            let mut sessions = switch.clone_sessions();
            sessions.retain(|session| only.is_none_or(|only| session.id == only));
            Fetched::Clones(with_ports(sessions, extras, |session| PortHolder::Clone(session.id)))
        }
        Query::ValueSet { slot, .. } => Fetched::ValueSet(switch.value_set_read(*slot).map_err(control_failure)?),
        Query::Digest { id } => Fetched::Digest(extras.digests.get(id).copied()),
    };
    Ok(fetched)
}

/// With each whether it gives its ports as numbers.
fn with_ports<T>(all: Vec<T>, extras: &Extras, holder: impl Fn(&T) -> PortHolder) -> Vec<(T, bool)> {
    let with_port = |one: T| {
        let as_numbers = extras.with_port_numbers.contains(&holder(&one));
        (one, as_numbers)
    };
    all.into_iter().map(with_port).collect()
}

/// The entries that the switch itself can select; [`render`](super::render) does the rest.
fn entries(switch: &Switch, slot: v1model::TableId, filter: &EntryFilter) -> Outcome<Vec<v1model::EntryView>> {
    match (&filter.key, filter.priority) {
        (Some(key), Some(priority)) => match switch.table_entry(slot, key, priority).map_err(control_failure) {
            Ok(entry) => Ok(vec![entry]),
            Err(failure) if failure.code == tonic::Code::NotFound && !filter.must_exist => Ok(Vec::new()),
            Err(failure) => Err(failure),
        },
        _ => {
            let entries = switch.table_entries(slot).map_err(control_failure)?;
            if entries.is_empty() && filter.must_exist {
                return Err(Failure::not_found("the entry does not exist"));
            }
            Ok(entries)
        }
    }
}
