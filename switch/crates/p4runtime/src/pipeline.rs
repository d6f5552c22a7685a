//! Forwarding-pipeline configurations: checking one, and moving the state of a switch from one to another.

use std::sync::Arc;

use bytes::Bytes;
use p4runtime_proto::config::P4Info;
use p4runtime_proto::runtime::{self, ForwardingPipelineConfig, update::Type};
use prost::Message;
use tonic::Code;
use v1model::{Program, Switch};

use crate::extras::Extras;
use crate::failure::{Failure, Outcome};
use crate::read::undo::snapshot;
use crate::role::Access;
use crate::schema::Schema;
use crate::write::{Context, plan};

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// As the client has sent it.
    pub config: Arc<ForwardingPipelineConfig>,
    /// Its P4Info, indexed.
    pub schema: Arc<Schema>,
    /// Its program.
    pub program: Arc<Program>,
}

/// A configuration that is saved but not committed, with a switch of its own that takes the writes.
#[derive(Debug)]
pub struct Saved {
    /// The configuration.
    pub pipeline: Pipeline,
    /// Where its entities wait.
    pub switch: Switch,
    /// The state that this switch does not keep.
    pub extras: Extras,
}

/// The pipelines of the switch, as the server knows them.
#[derive(Debug, Default)]
pub struct Pipelines {
    /// The one that runs.
    pub active: Option<Pipeline>,
    /// State beside the running switch's.
    pub extras: Extras,
    /// The one that waits for COMMIT; reads and writes refer to it.
    pub saved: Option<Saved>,
}

impl Pipelines {
    /// The pipeline that reads and writes refer to.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if there is none yet.
    pub fn current(&self) -> Outcome<&Pipeline> {
        self.saved
            .as_ref()
            .map(|saved| &saved.pipeline)
            .or(self.active.as_ref())
            // BMv2's words, which finsy looks for.
            .ok_or_else(|| Failure::precondition("No forwarding pipeline config set for this device."))
    }
}

impl Pipeline {
    /// Checks a configuration: the device config must be a program this switch runs, and the P4Info must describe it.
    /// Takes milliseconds.
    ///
    /// # Errors
    /// INVALID_ARGUMENT.
    pub fn verify(config: Option<ForwardingPipelineConfig>) -> Outcome<Self> {
        let config = config.ok_or_else(|| Failure::invalid("the request has no config"))?;
        let p4info = config.p4info.as_ref().ok_or_else(|| Failure::invalid("the config has no p4info"))?;
        let json = device_json(&config.p4_device_config)?;
        let mut program = Program::from_json(&json).map_err(|e| Failure::invalid(format!("p4_device_config: {e}")))?;
        preinitialize(&mut program, p4info);
        let mut schema = Schema::new(p4info, &program)?;
        let program = Arc::new(program);
        number_constant_entries(&mut schema, &program)?;
        Ok(Pipeline { schema: Arc::new(schema), program, config: Arc::new(config) })
    }
}

/// Makes the entries changeable that the program brings and P4Info does not call constant.
fn preinitialize(program: &mut Program, p4info: &P4Info) {
    let changeable = p4info.tables.iter().filter(|table| table.has_initial_entries && !table.is_const_table);
    for declared in changeable {
        let name = declared.preamble.as_ref().map(|preamble| preamble.name.as_str());
        let table = program.tables().iter().find(|table| Some(table.name.as_str()) == name).map(|table| table.id);
        if let Some(table) = table {
            program.make_preinitialized(table, usize::try_from(declared.size).unwrap_or(0));
        }
    }
}

/// Finds out what the priorities of constant entries start from. The entries are only to be had from a switch.
fn number_constant_entries(schema: &mut Schema, program: &Arc<Program>) -> Outcome<()> {
    let tables = schema.tables.values_mut().filter(|table| table.is_const && table.needs_priority());
    let tables: Vec<_> = tables.collect();
    if tables.is_empty() {
        return Ok(());
    }
    let mut scratch = Switch::new(v1model::SwitchConfig::default());
    scratch.load(Arc::clone(program));
    for table in tables {
        let entries = scratch.table_entries(table.slot).map_err(crate::status::control_failure)?;
        let lowest = entries.iter().map(|entry| entry.entry.priority).min();
        table.priority_offset = lowest.map_or(0, |lowest| lowest.saturating_sub(1));
    }
    Ok(())
}

/// The wrapper that BMv2's first P4Runtime server wanted around the JSON; scripts of that time still send it.
#[derive(Clone, PartialEq, prost::Message)]
struct OldDeviceConfig {
    #[prost(bytes = "bytes", tag = "3")]
    device_data: Bytes,
}

fn device_json(config: &Bytes) -> Outcome<String> {
    let is_json = |bytes: &[u8]| bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if config.is_empty() {
        return Err(Failure::invalid("p4_device_config is empty: it must hold the BMv2 JSON of the program"));
    }
    let json = if is_json(config) {
        config.clone()
    } else {
        OldDeviceConfig::decode(config.clone())
            .ok()
            .map(|old| old.device_data)
            .filter(|json| is_json(json))
            .ok_or_else(|| Failure::invalid("p4_device_config is not BMv2 JSON"))?
    };
    String::from_utf8(json.to_vec()).map_err(|_| Failure::invalid("p4_device_config is not UTF-8 text"))
}

/// Brings the state of a switch (`updates`, from [`snapshot`]) to one that has just loaded a program. Entries that the program
/// brings and that are in the way are changed, not doubled.
///
/// # Errors
/// The first update that does not fit the program.
pub fn replay(context: &mut Context<'_>, schema: &Schema, updates: Vec<runtime::Update>) -> Outcome<()> {
    for update in updates {
        let step = plan(schema, &Access::Full, update.clone())?;
        match step(context) {
            Err(failure) if failure.code == Code::AlreadyExists && update.r#type() == Type::Insert => {
                plan(schema, &Access::Full, runtime::Update { r#type: Type::Modify as i32, ..update })?(context)?;
            }
            other => other?,
        }
    }
    Ok(())
}

/// Loads a saved pipeline's program into the live switch, with the entities that were written since it was saved.
///
/// # Errors
/// INTERNAL; the switch then runs the program with part of the entities.
pub fn commit(live: &mut Switch, saved: &Saved, now_ns: u64) -> Outcome<Extras> {
    let schema = &saved.pipeline.schema;
    let updates = snapshot(schema, &saved.switch, &saved.extras, now_ns)?;
    live.load(Arc::clone(&saved.pipeline.program));
    // Entries of the program that were removed after saving must not come back.
    for table in schema.tables.values().filter(|table| !table.is_const && !table.fields.is_empty()) {
        live.table_clear(table.slot).map_err(crate::status::control_failure)?;
    }
    let mut extras = Extras::default();
    let mut context = Context { switch: live, extras: &mut extras, now_ns, restoring: true };
    replay(&mut context, schema, updates)
        .map_err(|failure| Failure::internal(format!("the saved entities could not be committed: {failure}")))?;
    Ok(extras)
}

/// Loads another program and keeps the forwarding state. Tried on a scratch switch first.
///
/// # Errors
/// INVALID_ARGUMENT if the state does not fit the new program; nothing has changed then.
pub fn reconcile(live: &mut Switch, extras: &Extras, old: &Pipeline, new: &Pipeline, now_ns: u64) -> Outcome<Extras> {
    same_names(&old.schema, &new.schema)?;
    let updates = snapshot(&old.schema, live, extras, now_ns)?;
    let mut scratch = Switch::new(live.config().clone());
    scratch.load(Arc::clone(&new.program));
    let mut tried = Extras::default();
    let mut context = Context { switch: &mut scratch, extras: &mut tried, now_ns, restoring: true };
    replay(&mut context, &new.schema, updates.clone()).map_err(|failure| {
        Failure::invalid(format!("the forwarding state cannot be kept with the new pipeline: {failure}"))
    })?;
    live.load(Arc::clone(&new.program));
    let mut kept = Extras::default();
    replay(&mut Context { switch: live, extras: &mut kept, now_ns, restoring: true }, &new.schema, updates)?;
    Ok(kept)
}

/// Ids must not have changed their meaning between two pipelines.
fn same_names(old: &Schema, new: &Schema) -> Outcome<()> {
    let tables = old.tables.iter().filter_map(|(id, table)| Some((&table.name, &new.tables.get(id)?.name)));
    let actions = old.actions.iter().filter_map(|(id, action)| Some((&action.name, &new.actions.get(id)?.name)));
    match tables.chain(actions).find(|(old, new)| old != new) {
        Some((old, new)) => Err(Failure::invalid(format!(
            "the forwarding state cannot be kept: the id of \"{old}\" means \"{new}\" in the new pipeline"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
