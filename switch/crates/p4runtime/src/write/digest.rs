//! Digest settings.

use p4runtime_proto::runtime::{self, update::Type};

use super::{Step, unsigned};
use crate::entity::unknown;
use crate::extras::DigestSettings;
use crate::failure::{Failure, Outcome};
use crate::schema::Schema;

pub(super) fn plan(schema: &Schema, kind: Type, entry: runtime::DigestEntry) -> Outcome<Step> {
    let id = entry.digest_id;
    let name = schema.digests.get(&id).ok_or_else(|| unknown("digest", id))?.name.clone();
    if kind == Type::Delete {
        return Ok(Box::new(move |context| match context.extras.digests.remove(&id) {
            Some(_) => Ok(()),
            None => Err(Failure::not_found(format!("digest \"{name}\" is not enabled"))),
        }));
    }
    let config = entry.config.ok_or_else(|| Failure::invalid(format!("digest \"{name}\": config is not set")))?;
    let settings = DigestSettings {
        max_timeout_ns: unsigned(config.max_timeout_ns, "max_timeout_ns")?,
        max_list_size: unsigned(i64::from(config.max_list_size), "max_list_size")?,
        ack_timeout_ns: unsigned(config.ack_timeout_ns, "ack_timeout_ns")?,
    };
    Ok(Box::new(move |context| {
        let enabled = context.extras.digests.contains_key(&id);
        match (kind, enabled) {
            (Type::Insert, true) => return Err(Failure::exists(format!("digest \"{name}\" is enabled already"))),
            (Type::Modify, false) => return Err(Failure::not_found(format!("digest \"{name}\" is not enabled"))),
            _ => {}
        }
        context.extras.digests.insert(id, settings);
        Ok(())
    }))
}
