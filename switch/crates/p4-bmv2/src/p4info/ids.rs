//! Numbers and aliases of control-plane objects.
//!
//! An object's number is its kind in the top byte and 24 bits of the hash of its name below. A
//! number that is taken is stepped over, and names are numbered in alphabetical order. So numbers
//! depend on nothing else. The hash is Bob Jenkins's one-at-a-time hash
//! (<https://en.wikipedia.org/wiki/Jenkins_hash_function>).

use super::Error;
use p4_ir::control_plane::{ControlPlane, Preamble};
use p4_syntax::Kind as MessageKind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The kinds of objects, by their prefix in P4Info's `P4Ids`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Actions.
    Action = 0x01,
    /// Tables.
    Table = 0x02,
    /// Parser value sets.
    ValueSet = 0x03,
    /// Packet-in and packet-out headers.
    ControllerHeader = 0x04,
    /// Action profiles and selectors.
    ActionProfile = 0x11,
    /// Counter arrays.
    Counter = 0x12,
    /// Counters of a table.
    DirectCounter = 0x13,
    /// Meter arrays.
    Meter = 0x14,
    /// Meters of a table.
    DirectMeter = 0x15,
    /// Register arrays.
    Register = 0x16,
    /// Digests.
    Digest = 0x17,
}

/// The numbers and aliases of a program's objects.
pub struct Ids {
    ids: HashMap<(Kind, String), u32>,
    aliases: HashMap<String, String>,
}

impl Ids {
    /// Numbers everything.
    ///
    /// # Errors
    /// A description of `@id`s that are used twice or carry the prefix of another kind.
    pub fn new(control_plane: &ControlPlane) -> Result<Self, Error> {
        let mut named: BTreeMap<Kind, BTreeMap<&str, Option<u32>>> = BTreeMap::new();
        let mut taken = HashSet::new();
        for (kind, preamble) in preambles(control_plane) {
            let names = named.entry(kind).or_default();
            if names.contains_key(preamble.name.as_str()) {
                continue;
            }
            let id = match preamble.id {
                None => None,
                Some(id) => Some(explicit_id(kind, id, preamble, &mut taken)?),
            };
            names.insert(&preamble.name, id);
        }
        let mut ids = HashMap::new();
        for (kind, names) in &named {
            for (name, id) in names {
                let id = id.unwrap_or_else(|| free_id(*kind, name, &mut taken));
                ids.insert((*kind, (*name).to_owned()), id);
            }
        }
        let all: BTreeSet<&str> = named.values().flat_map(|names| names.keys().copied()).collect();
        Ok(Self { ids, aliases: aliases(&all) })
    }

    /// The number of an object, 0 if there is none of that name.
    pub fn id(&self, kind: Kind, name: &str) -> u32 {
        self.ids.get(&(kind, name.to_owned())).copied().unwrap_or(0)
    }

    /// The shortest end of the name that no other name shares.
    pub fn alias<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}

/// All objects that have numbers.
fn preambles(cp: &ControlPlane) -> Vec<(Kind, &Preamble)> {
    let mut all = vec![];
    all.extend(cp.actions.iter().map(|x| (Kind::Action, &x.preamble)));
    all.extend(cp.tables.iter().map(|x| (Kind::Table, &x.preamble)));
    all.extend(cp.value_sets.iter().map(|x| (Kind::ValueSet, &x.preamble)));
    for header in &cp.controller_headers {
        all.push((Kind::ControllerHeader, &header.preamble));
    }
    for profile in &cp.action_profiles {
        all.push((Kind::ActionProfile, &profile.preamble));
    }
    for (objects, indirect, direct) in
        [(&cp.counters, Kind::Counter, Kind::DirectCounter), (&cp.meters, Kind::Meter, Kind::DirectMeter)]
    {
        for object in objects {
            let kind = if object.table.is_some() { direct } else { indirect };
            all.push((kind, &object.preamble));
        }
    }
    all.extend(cp.registers.iter().map(|x| (Kind::Register, &x.preamble)));
    all.extend(cp.digests.iter().map(|x| (Kind::Digest, &x.preamble)));
    all
}

/// A number given by `@id`: with or without the prefix of its kind.
fn explicit_id(kind: Kind, id: u32, preamble: &Preamble, taken: &mut HashSet<u32>) -> Result<u32, Error> {
    let prefix = (kind as u32) << 24;
    let name = &preamble.name;
    if id >> 24 != 0 && id & 0xff00_0000 != prefix {
        let prefix = kind as u32;
        let message = format!("@id({id}) of '{name}' begins with the wrong byte: objects of this kind begin with");
        return Err(Error {
            kind: MessageKind::Invalid,
            message: format!("{message} {prefix:#04x}"),
            at: preamble.id_source.clone(),
        });
    }
    let id = id & 0x00ff_ffff | prefix;
    if !taken.insert(id) {
        let message = format!("@id({id}) of '{name}' is already taken by another object");
        return Err(Error { kind: MessageKind::Duplicate, message, at: preamble.id_source.clone() });
    }
    Ok(id)
}

/// A number made from the name.
fn free_id(kind: Kind, name: &str, taken: &mut HashSet<u32>) -> u32 {
    let mut hash = one_at_a_time(name.as_bytes());
    loop {
        let id = (kind as u32) << 24 | hash & 0x00ff_ffff;
        if taken.insert(id) {
            return id;
        }
        hash = hash.wrapping_add(1);
    }
}

/// Jenkins's one-at-a-time hash.
fn one_at_a_time(key: &[u8]) -> u32 {
    let mut hash: u32 = 0;
    for byte in key {
        hash = hash.wrapping_add(u32::from(*byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// For every name the shortest sequence of its last dotted parts that ends no other name.
fn aliases(names: &BTreeSet<&str>) -> HashMap<String, String> {
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for name in names {
        for suffix in suffixes(name) {
            *uses.entry(suffix).or_default() += 1;
        }
    }
    let alias = |name: &str| {
        let mut all = suffixes(name);
        let unique = all.find(|suffix| uses.get(suffix) == Some(&1));
        unique.unwrap_or(name).to_owned()
    };
    names.iter().map(|name| ((*name).to_owned(), alias(name))).collect()
}

/// The ends of a dotted name, shortest first.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    let starts = name.rmatch_indices('.').map(|(position, _)| position + 1);
    starts.chain([0]).map(|start| &name[start..])
}
