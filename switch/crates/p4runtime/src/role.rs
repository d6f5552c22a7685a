//! Roles: which client may do what.
//!
//! A role without a configuration has full access. The one configuration scheme understood is Stratum's
//! `P4RoleConfig` (finsy sends it too); the specification leaves the scheme open.

use std::collections::HashSet;
use std::fmt;

use bytes::Bytes;
use p4runtime_proto::{runtime, stratum};
use prost::Message;

use crate::bytestring::shortest_of;
use crate::failure::{Failure, Outcome};

/// The name of a role. Clients older than P4Runtime 1.4 send a number instead of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum RoleKey {
    /// The default role.
    #[default]
    Default,
    /// `role.name`, or `role` in a request.
    Name(String),
    /// `role.id`, or `role_id` in a request: deprecated since 1.4.
    Id(u64),
}

impl RoleKey {
    /// The role a request names.
    pub fn new(name: &str, id: u64) -> Self {
        match (name, id) {
            ("", 0) => RoleKey::Default,
            ("", id) => RoleKey::Id(id),
            (name, _) => RoleKey::Name(name.to_owned()),
        }
    }

    /// The role as a message; `None` for the default role without a configuration.
    #[allow(deprecated)]
    pub fn message(&self, config: Option<&prost_types::Any>) -> Option<runtime::Role> {
        let mut role = runtime::Role { config: config.cloned(), ..Default::default() };
        match self {
            RoleKey::Default if config.is_none() => return None,
            RoleKey::Default => {}
            RoleKey::Name(name) => role.name = name.clone(),
            RoleKey::Id(id) => role.id = *id,
        }
        Some(role)
    }
}

impl fmt::Display for RoleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoleKey::Default => f.write_str("the default role"),
            RoleKey::Name(name) => write!(f, "role \"{name}\""),
            RoleKey::Id(id) => write!(f, "role {id}"),
        }
    }
}

/// The access of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    Full,
    /// The rights that a `P4RoleConfig` lists.
    Limited {
        /// P4Info ids of the objects the role may write and read.
        ids: HashSet<u32>,
        /// Does it receive packet-ins?
        packet_in: bool,
        /// If set, only packet-ins whose metadata with this id has this (canonical) value.
        filter: Option<(u32, Bytes)>,
        /// May it set a forwarding pipeline?
        pipeline: bool,
    },
}

impl Access {
    /// Reads a role configuration.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a configuration of another type, or one that cannot be decoded.
    pub fn from_config(config: Option<&prost_types::Any>) -> Outcome<Self> {
        let Some(config) = config else { return Ok(Access::Full) };
        let name = config.type_url.rsplit('/').next().unwrap_or_default();
        if name != "stratum.P4RoleConfig" {
            return Err(Failure::invalid(format!(
                "role configurations of type \"{name}\" are not understood: leave the role's config unset (full access) or send a stratum.P4RoleConfig"
            )));
        }
        let config = stratum::P4RoleConfig::decode(config.value.as_slice())
            .map_err(|e| Failure::invalid(format!("the role's P4RoleConfig cannot be decoded: {e}")))?;
        Ok(Access::Limited {
            ids: config.exclusive_p4_ids.iter().chain(&config.shared_p4_ids).copied().collect(),
            packet_in: config.receives_packet_ins,
            filter: config.packet_in_filter.map(|filter| (filter.metadata_id, shortest_of(&filter.value))),
            pipeline: config.can_push_pipeline,
        })
    }

    /// May the role write and read the object with this P4Info id? Objects without an id (multicast groups, clone
    /// sessions; `None`) belong to every role.
    pub fn covers(&self, id: Option<u32>) -> bool {
        match (self, id) {
            (Access::Limited { ids, .. }, Some(id)) => ids.contains(&id),
            _ => true,
        }
    }

    /// May the role set a forwarding pipeline?
    pub fn may_set_pipeline(&self) -> bool {
        !matches!(self, Access::Limited { pipeline: false, .. })
    }

    /// Does the role receive this packet?
    pub fn receives(&self, packet: &runtime::PacketIn) -> bool {
        match self {
            Access::Full => true,
            Access::Limited { packet_in: false, .. } => false,
            Access::Limited { filter: None, .. } => true,
            Access::Limited { filter: Some((id, value)), .. } => {
                packet.metadata.iter().any(|field| field.metadata_id == *id && field.value == value)
            }
        }
    }
}

#[cfg(test)]
#[path = "role_tests.rs"]
mod tests;
