//! The state that a control plane sets up before packets come.

use std::collections::BTreeMap;

/// The instances around an object, from the outermost one, and the object itself, by their numbers in the typed program.
pub type Path = Vec<usize>;

/// The entities that a control plane has written.
#[derive(Clone, Debug, Default)]
pub struct ControlPlane {
    /// Multicast groups.
    pub groups: BTreeMap<u16, Vec<Replica>>,
    /// Clone sessions.
    pub sessions: BTreeMap<u32, Vec<Replica>>,
    /// Entries of tables that have none in the program.
    pub entries: BTreeMap<Path, Vec<Entry>>,
    /// Default actions in place of those in the program.
    pub defaults: BTreeMap<Path, Action>,
    /// Members and groups of action profiles and selectors.
    pub profiles: BTreeMap<Path, Profile>,
    /// Members of value sets; a set's number stands for it in every instance of its parser.
    pub value_sets: BTreeMap<usize, Vec<u128>>,
}

/// A copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The port that it goes to.
    pub port: u16,
    /// Its `egress_rid`.
    pub rid: u16,
}

/// An entry of a table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// One for each key, in order, those of kind `selector` left out.
    pub keys: Vec<Match>,
    /// The greatest of those that match wins, where priorities count.
    pub priority: i32,
    /// Its effect.
    pub action: Choice,
}

/// The condition of an entry on one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The same number.
    Exact(u128),
    /// The same bits where the mask has ones, which are the first ones.
    Prefix {
        /// The number.
        value: u128,
        /// The mask.
        mask: u128,
    },
    /// The same bits where the mask has ones.
    Mask {
        /// The number.
        value: u128,
        /// The mask.
        mask: u128,
    },
    /// A number between two, both included.
    Range {
        /// The first one.
        low: u128,
        /// The last one.
        high: u128,
    },
    /// Any number.
    Any,
}

/// The effect of an entry.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Runs an action.
    Action(Action),
    /// Runs the action of a member of the table's profile.
    Member(u32),
    /// Runs the action of a member of a group, which the selector chooses.
    Group(u32),
}

/// An action with its data.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its position in the table's list of actions.
    pub action: usize,
    /// Its data: numbers.
    pub data: Vec<u128>,
}

/// An action profile or selector.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Members.
    pub members: BTreeMap<u32, Action>,
    /// Groups: the numbers of their members, in ascending order.
    pub groups: BTreeMap<u32, Vec<u32>>,
}
