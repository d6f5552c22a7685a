//! Which client is primary for which role (specification, section "Client Arbitration and Controller Replication").
//!
//! Pure bookkeeping: it says which notifications are due, sending them is the stream's business.

use std::collections::BTreeMap;

use p4runtime_proto::{RpcStatus, runtime};
use tonic::{Code, Status};

use crate::role::{Access, RoleKey};

/// One open stream.
pub type ClientId = u64;

/// More open streams than this for one role are refused with RESOURCE_EXHAUSTED.
pub const MAX_CLIENTS_PER_ROLE: usize = 256;

/// A notification that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The stream it is for.
    pub client: ClientId,
    /// The message to send.
    pub update: runtime::MasterArbitrationUpdate,
    /// True for the client that has just become primary: it must be told only after the writes of its predecessor are done.
    pub new_primary: bool,
}

/// The arbitration state of one device.
#[derive(Debug)]
pub struct Arbiter {
    device_id: u64,
    roles: BTreeMap<RoleKey, Role>,
    /// The role every live client has taken.
    clients: BTreeMap<ClientId, RoleKey>,
}

#[derive(Debug)]
struct Role {
    /// The highest election id ever seen; kept when everybody has gone.
    highest: Option<u128>,
    config: Option<prost_types::Any>,
    access: Access,
    clients: BTreeMap<ClientId, Option<u128>>,
    primary: Option<ClientId>,
}

impl Arbiter {
    /// The arbitration of the device with this id, nobody connected.
    pub fn new(device_id: u64) -> Self {
        Arbiter { device_id, roles: BTreeMap::new(), clients: BTreeMap::new() }
    }

    /// Handles a `MasterArbitrationUpdate` and says who is to be told what.
    ///
    /// # Errors
    /// The status that must end the stream.
    #[allow(clippy::result_large_err, deprecated)]
    pub fn update(
        &mut self,
        client: ClientId,
        update: &runtime::MasterArbitrationUpdate,
    ) -> Result<Vec<Notice>, Status> {
        let key = update.role.as_ref().map_or(RoleKey::Default, |role| RoleKey::new(&role.name, role.id));
        let config = update.role.as_ref().and_then(|role| role.config.clone());
        let known = self.clients.get(&client);
        if update.device_id != self.device_id {
            return Err(if known.is_some() {
                Status::failed_precondition(format!(
                    "this stream belongs to device {}: open another one for device {}",
                    self.device_id, update.device_id
                ))
            } else {
                Status::not_found(format!("there is no device {}: this is device {}", update.device_id, self.device_id))
            });
        }
        if let Some(known) = known
            && *known != key
        {
            return Err(Status::failed_precondition(format!(
                "this stream has taken {known}: close it and open another one to take {key}"
            )));
        }
        let access = Access::from_config(config.as_ref())?;
        let election = update.election_id.as_ref().map(election_number);
        let role = self.roles.entry(key.clone()).or_insert_with(Role::empty);
        let taken = |(other, id): (&ClientId, &Option<u128>)| *other != client && id.is_some() && *id == election;
        if role.clients.iter().any(taken) {
            // finsy recognizes the case by "election id … used".
            let election = election.unwrap_or_default();
            return Err(Status::invalid_argument(format!(
                "election id {election} is used by another live client of {key}"
            )));
        }
        if !role.clients.contains_key(&client) && role.clients.len() >= MAX_CLIENTS_PER_ROLE {
            return Err(Status::resource_exhausted(format!("{key} has {MAX_CLIENTS_PER_ROLE} open streams already")));
        }
        role.clients.insert(client, election);
        self.clients.insert(client, key.clone());

        let was_primary = role.primary == Some(client);
        let becomes = election.is_some() && election >= role.highest;
        if becomes {
            let changed = !was_primary;
            role.primary = Some(client);
            role.highest = election;
            role.config = config;
            role.access = access;
            return Ok(role.notices(self.device_id, &key, None, changed.then_some(client)));
        }
        if was_primary {
            role.primary = None;
            return Ok(role.notices(self.device_id, &key, None, None));
        }
        Ok(role.notices(self.device_id, &key, Some(client), None))
    }

    /// Handles the end of a stream.
    pub fn disconnect(&mut self, client: ClientId) -> Vec<Notice> {
        let Some(key) = self.clients.remove(&client) else { return Vec::new() };
        let Some(role) = self.roles.get_mut(&key) else { return Vec::new() };
        role.clients.remove(&client);
        if role.primary != Some(client) {
            return Vec::new();
        }
        role.primary = None;
        role.notices(self.device_id, &key, None, None)
    }

    /// Checks that a request of `role` with this election id comes from its primary, and gives the access of the role.
    ///
    /// Scripts written for BMv2 work without election ids, with or without a stream: BMv2 takes an id that is not set
    /// for 0. The specification says that a client without one is never primary, so the server does not tell it that it
    /// is. But while no client with an election id is connected, requests without a role and an election id are
    /// accepted.
    ///
    /// # Errors
    /// NOT_FOUND for a role nobody has taken, PERMISSION_DENIED for anyone but the primary.
    pub fn check(&self, role: &RoleKey, election: Option<&runtime::Uint128>) -> Result<&Access, Status> {
        if *role == RoleKey::Default && election.is_none() && !self.has_candidates() {
            return Ok(&Access::Full);
        }
        let Some(state) = self.roles.get(role) else {
            return Err(if *role == RoleKey::Default {
                Status::permission_denied("not primary: no client has opened a stream and sent an arbitration update")
            } else {
                Status::not_found(format!("no client has taken {role}"))
            });
        };
        match election.map(election_number) {
            Some(id) if state.primary.is_some() && state.highest == Some(id) => Ok(&state.access),
            Some(id) => Err(Status::permission_denied(format!(
                "not primary: election id {id} is not that of the primary client of {role}"
            ))),
            None => Err(Status::permission_denied(format!("not primary: a request of {role} needs its election id"))),
        }
    }

    /// Whether any connected client has an election id.
    fn has_candidates(&self) -> bool {
        self.roles.values().any(|role| role.clients.values().any(Option::is_some))
    }

    /// The access of the stream, if it is the primary of its role.
    pub fn primary_access(&self, client: ClientId) -> Option<&Access> {
        let role = self.roles.get(self.clients.get(&client)?)?;
        (role.primary == Some(client)).then_some(&role.access)
    }

    /// The access of requests of a role, for reads: that of its latest primary.
    pub fn role_access(&self, role: &RoleKey) -> Option<&Access> {
        self.roles.get(role).map(|role| &role.access)
    }

    /// The primary clients of all roles, with their access.
    pub fn primaries(&self) -> impl Iterator<Item = (ClientId, &Access)> {
        self.roles.values().filter_map(|role| Some((role.primary?, &role.access)))
    }
}

impl Role {
    fn empty() -> Self {
        Role { highest: None, config: None, access: Access::Full, clients: BTreeMap::new(), primary: None }
    }

    /// The notices for all clients of the role, or for `only`.
    fn notices(
        &self,
        device_id: u64,
        key: &RoleKey,
        only: Option<ClientId>,
        new_primary: Option<ClientId>,
    ) -> Vec<Notice> {
        let wanted = self.clients.keys().filter(|client| only.is_none_or(|only| only == **client));
        let mut notices: Vec<Notice> = wanted
            .map(|&client| Notice {
                client,
                update: runtime::MasterArbitrationUpdate {
                    device_id,
                    role: key.message(self.config.as_ref()),
                    election_id: self.highest.map(election_message),
                    status: Some(self.status(client)),
                },
                new_primary: new_primary == Some(client),
            })
            .collect();
        // The losers learn it first.
        notices.sort_by_key(|notice| notice.new_primary);
        notices
    }

    fn status(&self, client: ClientId) -> RpcStatus {
        let (code, message) = match self.primary {
            Some(primary) if primary == client => (Code::Ok, "you are primary"),
            Some(_) => (Code::AlreadyExists, "you are backup: another client is primary"),
            None => (Code::NotFound, "you are backup: there is no primary"),
        };
        RpcStatus { code: code as i32, message: message.to_owned(), details: Vec::new() }
    }
}

fn election_number(id: &runtime::Uint128) -> u128 {
    u128::from(id.high) << 64 | u128::from(id.low)
}

fn election_message(id: u128) -> runtime::Uint128 {
    runtime::Uint128 { high: (id >> 64) as u64, low: id as u64 }
}

#[cfg(test)]
#[path = "arbitration_tests.rs"]
mod tests;
