//! Running ingress and egress: tables, conditions and the way between them.

use super::env::Env;
use super::run::Machine;
use crate::code::ops::ActionEntry;
use crate::code::pipeline::{Next, Pipeline, Step, Table};
use crate::code::source_map::Label;
use crate::packet::Packet;
use crate::phv::store_u128;
use crate::state::{Chosen, ProfileState, TableState};
use crate::types::{Selection, TableKind};

impl Table {
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
    pub profiles: &'a [ProfileState],
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
            state.only()
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
        let TableState { entries, default, default_counter, hits, misses, .. } = state;
        let hit = hit.and_then(|number| entries.get_mut(number as usize)?.as_mut());
        let is_hit = hit.is_some();
        let hit = match hit {
            Some(entry) => {
                entry.last_hit_ns = tables.now_ns;
                entry.hits = entry.hits.wrapping_add(1);
                *hits = hits.wrapping_add(1);
                if table.with_counters {
                    entry.counter.add(packet.ingress_length);
                }
                if let (Some((meter, target)), Some(cell)) = (&table.meter, &mut entry.meter) {
                    let kind = program.meters[*meter as usize].kind;
                    let color = cell.execute(self.now_us, kind, packet.ingress_length);
                    store_u128(&mut packet.phv, target, color as u128);
                }
                Some(&*entry)
            }
            None => {
                *misses = misses.wrapping_add(1);
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
        profiles: &'a [ProfileState],
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
