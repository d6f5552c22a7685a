//! Table entries, default entries, and their direct counters and meters.

use p4runtime_proto::config::action_ref::Scope;
use p4runtime_proto::runtime::{self, table_action, update::Type};
use v1model::{
    ActionSet, ActionSpec, CounterValue, KeyMatch, MeterConfig, MeterCounts, Selection, Switch, TableEntry, TableId,
    WeightedAction,
};

use super::arrays::{check_counts, counter_value, meter_config, meter_counts};
use super::profile::{check_weight, watch_port};
use super::{Context, Step, only_modify};
use crate::extras::EntryMetadata;
use crate::failure::{Failure, Outcome};
use crate::schema::{GroupSize, ProfileSchema, Schema, TableSchema};
use crate::status::control_failure;

/// The direct resources an update sets. All that can be wrong with them is found before anything is done.
struct Direct {
    counter: Option<CounterValue>,
    /// `None` if the table has no meter, `Some(None)` to reset it.
    meter: Option<Option<MeterConfig>>,
    meter_counts: Option<MeterCounts>,
}

impl Direct {
    fn apply(&self, context: &mut Context<'_>, slot: TableId, entry: Option<(&[KeyMatch], i32)>) -> Outcome<()> {
        if let Some(value) = self.counter {
            context.switch.direct_counter_write(slot, entry, value).map_err(control_failure)?;
        }
        if let Some(config) = self.meter {
            context.switch.direct_meter_write(slot, entry, config, context.now_ns).map_err(control_failure)?;
        }
        if let Some(counts) = self.meter_counts {
            context.switch.direct_meter_counts_write(slot, entry, counts).map_err(control_failure)?;
        }
        Ok(())
    }
}

pub(super) fn plan(schema: &Schema, kind: Type, entry: runtime::TableEntry) -> Outcome<Step> {
    let table = schema.table(entry.table_id)?;
    if entry.idle_timeout_ns > 0 && !entry.is_default_action && !table.idle_timeout {
        // BMv2's words, which test programs compare.
        let words = "idle_timeout_ns must be set to 0 for tables which do not support idle timeout";
        return Err(Failure::invalid(words));
    }
    plan_in(schema, table, kind, entry).map_err(|failure| failure.within(format_args!("table \"{}\"", table.name)))
}

fn plan_in(schema: &Schema, table: &TableSchema, kind: Type, entry: runtime::TableEntry) -> Outcome<Step> {
    if entry.is_const {
        return Err(Failure::invalid("is_const must not be set in a write"));
    }
    if entry.is_default_action {
        return plan_default(schema, table, kind, &entry);
    }
    let const_table = || Failure::denied("the entries of this table are constant");
    if table.is_const && (kind != Type::Modify || entry.action.is_some()) {
        return Err(const_table());
    }
    let (key, priority) = read_key(schema, table, &entry)?;
    let slot = table.slot;
    if kind == Type::Delete {
        return Ok(Box::new(move |context| context.switch.table_delete(slot, &key, priority).map_err(control_failure)));
    }
    if table.fields.is_empty() {
        return Err(Failure::invalid("a table without key has only its default entry"));
    }
    check_timeout(table, &entry)?;
    let direct = read_direct(table, kind, &entry)?;
    let action =
        entry.action.as_ref().map(|action| read_table_action(schema, table, action, Use::Entry)).transpose()?;
    let idle_timeout_ns = u64::try_from(entry.idle_timeout_ns).unwrap_or(0);
    let metadata = EntryMetadata::of(&entry).pack();
    if kind == Type::Insert {
        let action = action.ok_or_else(|| Failure::invalid("an insert needs an action"))?;
        return Ok(Box::new(move |context| {
            check_style(context.switch, slot, &action)?;
            check_counts(context, direct.meter_counts.as_ref())?;
            let new = TableEntry { key: key.clone(), priority, action, idle_timeout_ns, metadata };
            context.switch.table_insert(slot, new, context.now_ns).map_err(control_failure)?;
            direct.apply(context, slot, Some((&key, priority)))
        }));
    }
    Ok(Box::new(move |context| {
        let old = context.switch.table_entry(slot, &key, priority).map_err(control_failure)?;
        check_counts(context, direct.meter_counts.as_ref())?;
        if !old.is_const {
            let action = action.unwrap_or(old.entry.action);
            check_style(context.switch, slot, &action)?;
            let new = TableEntry { key: key.clone(), priority, action, idle_timeout_ns, metadata };
            context.switch.table_modify(slot, new, context.now_ns).map_err(control_failure)?;
        } else if action.is_some() {
            return Err(Failure::denied("the entry is constant"));
        }
        direct.apply(context, slot, Some((&key, priority)))
    }))
}

fn plan_default(schema: &Schema, table: &TableSchema, kind: Type, entry: &runtime::TableEntry) -> Outcome<Step> {
    only_modify(kind, "the default entry")?;
    if !entry.r#match.is_empty() || entry.priority != 0 {
        return Err(Failure::invalid("the default entry has no match and no priority"));
    }
    if entry.idle_timeout_ns != 0 || entry.time_since_last_hit.is_some() {
        return Err(Failure::invalid("the default entry does not time out"));
    }
    if entry.action.is_some() && table.const_default {
        return Err(Failure::denied("the default entry is constant"));
    }
    if entry.meter_config.is_some() {
        check_default_meter(table)?;
    }
    // An unset meter_config asks for nothing of a default entry, which has no meter.
    let direct = Direct { meter: None, ..read_direct(table, kind, entry)? };
    let action = entry.action.as_ref().map(|action| read_table_action(schema, table, action, Use::Default));
    let action = action.transpose()?;
    let (id, slot) = (table.id, table.slot);
    // A constant default entry keeps its action; its direct resources can be set all the same.
    let keep = action.is_none() && table.const_default;
    let metadata = EntryMetadata::of(entry);
    let has_counter = table.has_counter;
    Ok(Box::new(move |context| {
        check_counts(context, direct.meter_counts.as_ref())?;
        if keep {
            return direct.apply(context, slot, None);
        }
        match action {
            Some(action) => {
                check_style(context.switch, slot, &action)?;
                context.switch.table_set_default(slot, action).map_err(control_failure)?;
                context.extras.note_default(id, metadata);
                direct.apply(context, slot, None)
            }
            None => {
                context.switch.table_reset_default(slot).map_err(control_failure)?;
                context.extras.note_default(id, EntryMetadata::default());
                let counter = has_counter.then(|| direct.counter.unwrap_or_default());
                Direct { counter, ..direct }.apply(context, slot, None)
            }
        }
    }))
}

pub(super) fn plan_direct_counter(schema: &Schema, kind: Type, entry: runtime::DirectCounterEntry) -> Outcome<Step> {
    only_modify(kind, "a direct counter")?;
    let (table, key) = direct_target(schema, entry.table_entry.as_ref())?;
    if !table.has_counter {
        return Err(Failure::invalid(format!("table \"{}\" has no direct counter", table.name)));
    }
    let direct =
        Direct { counter: entry.data.as_ref().map(counter_value).transpose()?, meter: None, meter_counts: None };
    Ok(direct_step(table.slot, key, direct))
}

pub(super) fn plan_direct_meter(schema: &Schema, kind: Type, entry: runtime::DirectMeterEntry) -> Outcome<Step> {
    only_modify(kind, "a direct meter")?;
    let (table, key) = direct_target(schema, entry.table_entry.as_ref())?;
    let Some(meter) = table.meter else {
        return Err(Failure::invalid(format!("table \"{}\" has no direct meter", table.name)));
    };
    let meter_counts = entry.counter_data.as_ref().map(meter_counts).transpose()?;
    let config = entry.config.as_ref().map(|config| meter_config(config, meter)).transpose()?;
    if key.is_none() && config.is_some() {
        check_default_meter(table)?;
    }
    Ok(direct_step(table.slot, key, Direct { counter: None, meter: Some(config), meter_counts }))
}

/// A default entry's direct meter cannot be configured.
///
/// # Errors
/// Always: INVALID_ARGUMENT if the table's entries have none either, else UNIMPLEMENTED.
fn check_default_meter(table: &TableSchema) -> Outcome<()> {
    Err(match table.meter {
        None => Failure::invalid("the table has no direct meter"),
        Some(_) => {
            Failure::unimplemented("a default entry has no direct meter here, as in BMv2; leave its config unset")
        }
    })
}

/// A key and a priority; `None` for the default entry.
pub type EntryKey = Option<(Vec<KeyMatch>, i32)>;

fn direct_step(slot: TableId, key: EntryKey, direct: Direct) -> Step {
    Box::new(move |context| {
        let key = key.as_ref().map(|(key, priority)| (key.as_slice(), *priority));
        if let Some((key, priority)) = key {
            context.switch.table_entry(slot, key, priority).map_err(control_failure)?;
        }
        check_counts(context, direct.meter_counts.as_ref())?;
        direct.apply(context, slot, key)
    })
}

/// The table and entry that a direct counter or meter belongs to.
pub fn direct_target<'a>(
    schema: &'a Schema,
    entry: Option<&runtime::TableEntry>,
) -> Outcome<(&'a TableSchema, EntryKey)> {
    let entry = entry.ok_or_else(|| Failure::invalid("table_entry is not set"))?;
    let table = schema.table(entry.table_id)?;
    if entry.is_default_action {
        return Ok((table, None));
    }
    read_key(schema, table, entry).map(|key| (table, Some(key)))
}

/// Reads the key and the priority of an entry.
///
/// # Errors
/// INVALID_ARGUMENT, OUT_OF_RANGE.
pub fn read_key(schema: &Schema, table: &TableSchema, entry: &runtime::TableEntry) -> Outcome<(Vec<KeyMatch>, i32)> {
    let key = schema.read_match(&table.fields, &entry.r#match)?;
    match (table.needs_priority(), entry.priority) {
        (true, 1..) | (false, 0) => Ok((key, entry.priority.saturating_add(table.priority_offset))),
        (true, priority) => {
            Err(Failure::invalid(format!("entries of this table need a priority above 0, not {priority}")))
        }
        (false, priority) => {
            Err(Failure::invalid(format!("entries of this table have no priority: {priority} must be 0")))
        }
    }
}

fn check_timeout(table: &TableSchema, entry: &runtime::TableEntry) -> Outcome<()> {
    if entry.idle_timeout_ns < 0 {
        return Err(Failure::invalid("idle_timeout_ns is negative"));
    }
    if entry.time_since_last_hit.is_some() {
        return Err(Failure::invalid("has_time_since_last_hit must not be set in WriteRequest"));
    }
    if entry.idle_timeout_ns != 0 && !table.idle_timeout {
        return Err(Failure::invalid("the table does not support idle time-outs"));
    }
    Ok(())
}

fn read_direct(table: &TableSchema, kind: Type, entry: &runtime::TableEntry) -> Outcome<Direct> {
    if entry.counter_data.is_some() && !table.has_counter {
        return Err(Failure::invalid("the table has no direct counter"));
    }
    if (entry.meter_config.is_some() || entry.meter_counter_data.is_some()) && table.meter.is_none() {
        return Err(Failure::invalid("the table has no direct meter"));
    }
    let meter_counts = entry.meter_counter_data.as_ref().map(meter_counts).transpose()?;
    let counter = entry.counter_data.as_ref().map(counter_value).transpose()?;
    let config = match (&entry.meter_config, table.meter) {
        (Some(config), Some(meter)) => Some(meter_config(config, meter)?),
        _ => None,
    };
    // An unset meter_config means the default configuration, which a new entry has anyway.
    let meter = (table.meter.is_some() && (kind == Type::Modify || config.is_some())).then_some(config);
    Ok(Direct { counter, meter, meter_counts })
}

/// The purpose of an action.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Entry,
    Default,
}

impl Use {
    /// The scope of actions that are not for this, and where they must not be.
    fn forbids(self) -> (Scope, &'static str) {
        match self {
            Use::Entry => (Scope::DefaultOnly, "in an entry"),
            Use::Default => (Scope::TableOnly, "as the default action"),
        }
    }
}

fn check_scope(table: &TableSchema, action: u32, purpose: Use) -> Outcome<()> {
    let (forbidden, place) = purpose.forbids();
    match table.actions.iter().find(|used| used.id == action) {
        Some(used) if used.scope == forbidden => Err(Failure::denied(format!("the action may not be used {place}"))),
        _ => Ok(()),
    }
}

#[allow(deprecated)]
fn read_table_action(
    schema: &Schema,
    table: &TableSchema,
    action: &runtime::TableAction,
    purpose: Use,
) -> Outcome<ActionSpec> {
    use table_action::Type as Kind;
    let profile = table.profile.and_then(|id| schema.profiles.get(&id));
    match (profile, &action.r#type) {
        // The action of a miss need not be a member.
        (profile, Some(Kind::Action(action))) if profile.is_none() || purpose == Use::Default => {
            check_scope(table, action.action_id, purpose)?;
            schema.read_action(table, action).map(ActionSpec::Call)
        }
        (None, Some(_)) => Err(Failure::invalid("the table takes an action, not a member or group")),
        (Some(_), Some(Kind::Action(_))) => Err(Failure::invalid(
            "the table takes its actions from an action profile: give a member, group or action set",
        )),
        (Some(_), Some(Kind::ActionProfileMemberId(id))) => Ok(ActionSpec::Member(*id)),
        (Some(profile), Some(_)) if !profile.selector => {
            Err(Failure::invalid("the table's action profile has no selector: give a member"))
        }
        (Some(_), Some(Kind::ActionProfileGroupId(id))) => Ok(ActionSpec::Group(*id)),
        (Some(profile), Some(Kind::ActionProfileActionSet(set))) => {
            let (selection, counted) = read_modes(profile, set)?;
            let mut actions = Vec::with_capacity(set.action_profile_actions.len());
            for action in &set.action_profile_actions {
                let Some(call) = &action.action else {
                    return Err(Failure::invalid("an element of the action set has no action"));
                };
                check_scope(table, call.action_id, purpose)?;
                let port = action.watch_kind.as_ref().map(|kind| match kind {
                    runtime::action_profile_action::WatchKind::Watch(port) => watch_port(Ok(*port)),
                    runtime::action_profile_action::WatchKind::WatchPort(port) => watch_port(Err(port)),
                });
                actions.push(WeightedAction {
                    call: schema.read_action(table, call)?,
                    weight: check_weight(profile, action.weight)?,
                    watch_port: port.transpose()?.flatten(),
                });
            }
            super::profile::check_group_size(counted, profile.max_group_size, actions.iter().map(|a| a.weight))?;
            Ok(ActionSpec::OneShot(ActionSet { actions, selection }))
        }
        (_, None) => Err(Failure::invalid("the action has no type")),
    }
}

/// How a set's action is chosen and its size counted: as the selector does, unless it says otherwise itself.
fn read_modes(profile: &ProfileSchema, set: &runtime::ActionProfileActionSet) -> Outcome<(Selection, GroupSize)> {
    use runtime::action_profile_action_set::{ActionSelectionMode as Mode, SizeSemantics as Size};
    let unknown = |_| Failure::invalid("there is no such selection mode or size semantics");
    let selection = match Mode::try_from(set.action_selection_mode).map_err(unknown)? {
        Mode::DefaultModeDeterminedByActionSelector | Mode::Hash => Selection::Selector,
        Mode::Random => Selection::Random,
    };
    let counted = match Size::try_from(set.size_semantics).map_err(unknown)? {
        Size::DefaultSizeDeterminedByActionSelector => profile.group_size(),
        Size::SumOfWeights => GroupSize::SumOfWeights,
        Size::SumOfMembers => GroupSize::SumOfMembers,
    };
    Ok((selection, counted))
}

/// A selector is programmed either with one-shot action sets or with members and groups.
fn check_style(switch: &Switch, slot: TableId, action: &ActionSpec) -> Outcome<()> {
    if !matches!(action, ActionSpec::OneShot(_)) {
        return Ok(());
    }
    let profile = switch.program().and_then(|program| match program.tables().get(slot.0 as usize)?.kind {
        v1model::TableKind::Selector(profile) => Some(profile),
        _ => None,
    });
    match profile.map(|profile| switch.member_count(profile)) {
        Some(Ok(1..)) => Err(Failure::invalid(
            "the selector is programmed with members and groups: action sets cannot be mixed with them",
        )),
        _ => Ok(()),
    }
}
