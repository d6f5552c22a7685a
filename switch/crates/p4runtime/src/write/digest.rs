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
        enabled_ns: 0,
    };
    Ok(Box::new(move |context| {
        let enabled_ns = match (kind, context.extras.digests.get(&id)) {
            (Type::Insert, Some(_)) => return Err(Failure::exists(format!("digest \"{name}\" is enabled already"))),
            (Type::Modify, None) => return Err(Failure::not_found(format!("digest \"{name}\" is not enabled"))),
            (_, Some(before)) => before.enabled_ns,
            (_, None) => context.now_ns,
        };
        context.extras.digests.insert(id, DigestSettings { enabled_ns, ..settings });
        Ok(())
    }))
}
