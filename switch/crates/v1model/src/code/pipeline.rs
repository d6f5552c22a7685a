//! Ingress and egress, lowered: tables, conditions and the way between them.

use super::expr::Cond;
use super::ops::ActionEntry;
use crate::phv::{FieldLoc, limbs};
use crate::types::{MatchKind, TableKind};

/// A pipeline and its first step.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub steps: Vec<Step>,
    pub start: u32,
}

/// The end of the pipeline.
pub(crate) const END: u32 = u32::MAX;

/// A step of a pipeline; the numbers are the next steps.
#[derive(Debug)]
pub(crate) enum Step {
    Table(u32),
    /// True and false.
    Branch(Cond, u32, u32),
    /// An action without parameters.
    Call(u32, u32),
}

/// A key field of a table.
#[derive(Debug)]
pub(crate) struct KeyField {
    pub loc: FieldLoc,
    /// Slot of the header's validity: the field counts as zero while it is 0.
    pub valid: Option<u32>,
    /// Applied to packets and entries.
    pub mask: Option<Vec<u64>>,
    pub kind: MatchKind,
    /// First limb in the key, and number of limbs.
    pub limb: usize,
    pub limbs: usize,
}

/// A table, lowered.
#[derive(Debug)]
pub(crate) struct Table {
    pub keys: Vec<KeyField>,
    /// Limbs of the whole key.
    pub key_limbs: usize,
    pub kind: TableKind,
    pub next: Next,
    /// Its actions with the step after each.
    pub actions: Vec<(u32, u32)>,
    pub with_counters: bool,
    /// The meter and where its colour goes.
    pub meter: Option<(u32, FieldLoc)>,
    /// The program's default action with its data.
    pub default: Option<ActionEntry>,
    /// Calculation that selects group members.
    pub selector: Option<u32>,
}

/// The step after a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Next {
    HitMiss {
        hit: u32,
        miss: u32,
    },
    /// By the action; the number is for a miss without default action.
    Action {
        otherwise: u32,
    },
}

impl Table {
    /// The step after an action of this table.
    pub fn after(&self, action: u32, hit: bool) -> u32 {
        match self.next {
            Next::HitMiss { hit: next, .. } if hit => next,
            Next::HitMiss { miss, .. } => miss,
            Next::Action { otherwise } => {
                self.actions.iter().find(|(a, _)| *a == action).map_or(otherwise, |(_, next)| *next)
            }
        }
    }
}

/// Gives key fields their places in the key; returns the key's limbs.
pub(crate) fn place_keys(keys: &mut [KeyField]) -> usize {
    let mut next = 0;
    for key in keys {
        key.limb = next;
        key.limbs = limbs(key.loc.width);
        next += key.limbs;
    }
    next
}
