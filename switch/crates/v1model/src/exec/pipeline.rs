//! Running ingress and egress: tables, conditions and the way between them.

use super::cond::Cond;
use super::num::Env;
use super::run::Machine;
use crate::control::Selection;
use crate::control::{MatchKind, TableKind};
use crate::packet::Packet;
use crate::phv::{FieldLoc, limbs, store_u128};
use crate::program::{Label, Pipeline};
use crate::state::{ActionEntry, Chosen, TableState};

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

/// What comes after a table.
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

    fn read_key(&self, phv: &[u64], key: &mut [u64]) {
        for field in &self.keys {
            if field.valid.is_some_and(|slot| phv[slot as usize] == 0) {
                key[field.limb..field.limb + field.limbs].fill(0);
                continue;
            }
            let start = field.loc.data();
            if field.limbs == 1 {
                key[field.limb] = phv[start];
            } else {
                key[field.limb..field.limb + field.limbs].copy_from_slice(&phv[start..start + field.limbs]);
            }
            if let Some(mask) = &field.mask {
                for (value, mask) in key[field.limb..].iter_mut().zip(mask) {
                    *value &= mask;
                }
            }
        }
    }
}

/// Everything of the switch that a pipeline uses and the control plane changes, apart from [`Memory`](crate::state::Memory).
pub(crate) struct Tables<'a> {
    pub tables: &'a mut [TableState],
    pub profiles: &'a [crate::state::ProfileState],
    pub now_ns: u64,
}

impl Machine<'_> {
    /// Runs a pipeline from its first step.
    pub fn pipeline(&mut self, pipeline: &Pipeline, labels: &[Label], tables: &mut Tables, packet: &mut Packet) {
        let mut at = pipeline.start;
        while let Some(step) = pipeline.steps.get(at as usize) {
            if packet.exit || !self.spend(1, packet) {
                break;
            }
            at = match step {
                Step::Call(action, next) => {
                    if packet.traced != 0 {
                        self.note_call(labels, at, *action, packet);
                    }
                    self.action(*action, &[], packet);
                    *next
                }
                Step::Branch(condition, on_true, on_false) => {
                    let env = Env {
                        phv: &packet.phv,
                        data: &[],
                        layout: &self.program.layout,
                        registers: &self.memory.registers,
                    };
                    let result = condition.eval(&env);
                    if packet.traced != 0 {
                        self.note_condition(labels, at, result, packet);
                    }
                    if result { *on_true } else { *on_false }
                }
                Step::Table(table) => self.apply(*table, tables, packet),
            };
        }
    }

    fn apply(&mut self, index: u32, tables: &mut Tables, packet: &mut Packet) -> u32 {
        let program = self.program;
        let table = &program.table_code[index as usize];
        let state = &mut tables.tables[index as usize];
        let mut key = [0; 8];
        let hit = if table.keys.is_empty() {
            None
        } else if table.key_limbs <= key.len() {
            let key = &mut key[..table.key_limbs];
            table.read_key(&packet.phv, key);
            state.lookup(key)
        } else {
            let mut key = std::mem::take(&mut self.memory.key);
            key.resize(table.key_limbs, 0);
            table.read_key(&packet.phv, &mut key);
            let hit = state.lookup(&key);
            self.memory.key = key;
            hit
        };
        let TableState { entries, default, default_counter, .. } = state;
        let hit = hit.and_then(|number| entries.get_mut(number as usize)?.as_mut());
        let is_hit = hit.is_some();
        let hit = match hit {
            Some(entry) => {
                entry.last_hit_ns = tables.now_ns;
                if table.with_counters {
                    entry.counter.add(packet.ingress_length);
                }
                if let Some((meter, target)) = &table.meter {
                    let kind = program.meters[*meter as usize].kind;
                    let color = entry.meter.execute(self.now_us, kind, packet.ingress_length);
                    store_u128(&mut packet.phv, target, color as u128);
                }
                Some(&*entry)
            }
            None => {
                if table.with_counters {
                    default_counter.add(packet.ingress_length);
                }
                None
            }
        };
        let chosen = hit.map_or(default.as_ref(), |entry| Some(&entry.chosen));
        let call = match chosen {
            None => None,
            Some(Chosen::Call(call)) => Some(call),
            Some(other) => self.select(table, other, tables.profiles, packet),
        };
        if packet.traced != 0 {
            self.note_apply(index, hit, chosen, call, packet);
        }
        match call {
            None => match table.next {
                Next::HitMiss { hit, .. } if is_hit => hit,
                Next::HitMiss { miss, .. } => miss,
                Next::Action { otherwise } => otherwise,
            },
            Some(call) => {
                self.action(call.action, &call.data, packet);
                match table.next {
                    Next::Action { .. } if matches!(table.kind, TableKind::Direct) => call.next,
                    _ => table.after(call.action, is_hit),
                }
            }
        }
    }

    /// The action of a profile member, or of a group's member chosen by hash.
    fn select<'a>(
        &mut self,
        table: &Table,
        chosen: &'a Chosen,
        profiles: &'a [crate::state::ProfileState],
        packet: &Packet,
    ) -> Option<&'a ActionEntry> {
        let (TableKind::Profile(profile) | TableKind::Selector(profile)) = table.kind else {
            return None;
        };
        let profile = profiles.get(profile.index())?;
        match chosen {
            Chosen::Call(call) => Some(call),
            Chosen::Member(member) => profile.member(*member),
            Chosen::Group(group) => {
                let hash = self.selector_hash(table, packet);
                profile.choose(*group, hash)
            }
            Chosen::OneShot(group) => {
                let place = match group.selection {
                    Selection::Selector => self.selector_hash(table, packet),
                    Selection::Random => self.memory.random.next(),
                };
                group.choose(place, &profile.ports_down)
            }
        }
    }

    fn selector_hash(&mut self, table: &Table, packet: &Packet) -> u64 {
        table.selector.map_or(0, |index| {
            let calculation = &self.program.calculations[index as usize];
            calculation.compute(index as usize, &self.program.layout, packet, self.memory)
        })
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
