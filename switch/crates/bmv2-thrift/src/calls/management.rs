//! The program, the switch as a whole, and lists of digests.

use std::sync::Arc;

use bmv2_runtime::{Code, Kind, Refusal};
use md5::{Digest, Md5};
use v1model::Program;

use super::{Answer, Call, outside};
use crate::Services;
use crate::fault::Fault;
use crate::value::{Fields, Value, text};

pub(super) const CALLS: &[Call] = &[
    outside("bm_learning_ack", acknowledge),
    outside("bm_learning_ack_buffer", acknowledge),
    outside("bm_learning_set_timeout", check_list),
    outside("bm_learning_set_buffer_size", check_list),
    outside("bm_load_new_config", load_new_config),
    outside("bm_swap_configs", swap_configs),
    outside("bm_mgmt_get_info", get_info),
    outside("bm_reset_state", |services, _| {
        services.switch.call(|runtime| runtime.reset_state())?;
        services.learning.forget_all();
        Ok(Value::Void)
    }),
    outside("bm_get_config", |services, _| Ok(text(program(services)?.json()))),
    outside("bm_get_config_md5", |services, _| {
        Ok(Value::Bytes(Md5::digest(program(services)?.json()).as_slice().to_vec()))
    }),
    outside("bm_get_id_from_name", get_id_from_name),
    outside("bm_serialize_state", |_, _| {
        Err(Fault::failed("the state of this switch cannot be written to a file: read tables, registers and counters"))
    }),
];

fn program(services: &Services) -> Result<Arc<Program>, Fault> {
    let program = services.switch.call(|runtime| Arc::clone(&runtime.program))?;
    program.ok_or_else(|| Fault::failed("the switch has no program"))
}

/// The list of digests that field 2 names.
fn list_of(services: &Services, given: &Fields) -> Result<u32, Fault> {
    let id = u32::try_from(given.i32(2)?).ok();
    let known =
        services.switch.call(move |runtime| runtime.program.digest_lists().any(|(list, _)| Some(list) == id))?;
    let is_known = known.unwrap_or_default();
    Ok(id.filter(|_| is_known).ok_or(Refusal::new(Kind::Learning, Code::InvalidListId))?)
}

/// Buffers here have one sample, so that of a sample is that of its buffer.
fn acknowledge(services: &Services, given: &Fields) -> Answer {
    services.learning.acknowledge(list_of(services, given)?, given.i64(3)?.cast_unsigned());
    Ok(Value::Void)
}

/// Each digest is published as soon as it comes: there is no buffer that could be larger, and none that waits.
fn check_list(services: &Services, given: &Fields) -> Answer {
    list_of(services, given)?;
    Ok(Value::Void)
}

fn load_new_config(services: &Services, given: &Fields) -> Answer {
    let mut pending = services.pending_program();
    if pending.is_some() {
        return Err(Refusal::new(Kind::Swap, Code::OngoingSwap).into());
    }
    let program = Program::from_json(given.text(1)?);
    *pending = Some(Arc::new(program.map_err(|error| Fault::failed(format!("the new program: {error}")))?));
    Ok(Value::Void)
}

fn swap_configs(services: &Services, _: &Fields) -> Answer {
    let pending = services.pending_program().take();
    let program = pending.ok_or(Refusal::new(Kind::Swap, Code::NoOngoingSwap))?;
    services.switch.load(program)?;
    Ok(Value::Void)
}

fn get_info(services: &Services, _: &Fields) -> Answer {
    let device_id = services.switch.device_id().cast_signed();
    let mut info = Fields::of([(1, Value::I64(device_id)), (2, Value::I32(services.port.into()))]);
    if let Some(address) = &services.notifications {
        info.set(3, text(address.as_str()));
    }
    Ok(info.into())
}

// BmResourceType, and where the program's JSON has the resources.
const RESOURCES: [(&str, Option<&str>); 6] = [
    ("pipelines", Some("tables")),
    ("pipelines", Some("action_profiles")),
    ("counter_arrays", None),
    ("meter_arrays", None),
    ("register_arrays", None),
    ("learn_lists", None),
];
const INVALID_RESOURCE_TYPE: i32 = 0;
const INVALID_RESOURCE_NAME: i32 = 1;

fn get_id_from_name(services: &Services, given: &Fields) -> Answer {
    let of_type = usize::try_from(given.i32(2)?).ok().and_then(|of_type| RESOURCES.get(of_type));
    let (list, inner) = of_type.ok_or(Fault::IdLookup(INVALID_RESOURCE_TYPE))?;
    let name = given.text(3)?;
    let json: serde_json::Value =
        serde_json::from_str(program(services)?.json()).map_err(|error| Fault::failed(error.to_string()))?;
    let elements = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let outer = elements(&json[*list]);
    let all = match inner {
        Some(inner) => outer.iter().flat_map(|one| elements(&one[*inner])).collect(),
        None => outer,
    };
    let found = all.iter().find(|one| one["name"].as_str() == Some(name)).and_then(|one| one["id"].as_i64());
    let id = found.and_then(|id| i32::try_from(id).ok());
    Ok(Value::I32(id.ok_or(Fault::IdLookup(INVALID_RESOURCE_NAME))?))
}
