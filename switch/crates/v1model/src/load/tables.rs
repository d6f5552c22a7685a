//! Tables.

use super::builder::{Builder, find};
use crate::code::ops::ActionEntry;
use crate::code::pipeline::{END, KeyField, Next, Step, Table, place_keys};
use crate::phv::{FieldLoc, big_to_limbs, limbs};
use crate::types::{KeyInfo, MatchKind, TableId, TableInfo, TableKind};
use bmv2_json::{Node, ProgramError};

/// Longest key, in 64-bit words.
const MAX_KEY_LIMBS: usize = 256;

/// Longest key of a table that finds the longest prefix, in 64-bit words.
const MAX_LPM_LIMBS: usize = 16;

/// The prefix of the names of tables that compilers make for statements between the program's own tables.
const MADE_UP: &str = "tbl_";

impl Builder {
    /// Lowers a table. A compiler's table that only ever runs one action becomes a call of that action.
    pub(super) fn table(
        &mut self,
        node: &Node,
        target: &dyn Fn(&Node) -> Result<u32, ProgramError>,
    ) -> Result<Step, ProgramError> {
        let index = self.program.tables.len() as u32;
        let name = node.get("name").string()?;
        let is_made_up = name.starts_with(MADE_UP);
        let kind = self.table_kind(node)?;
        let mut infos = Vec::new();
        let mut keys = node.get("key").map(|key| {
            let (field, info) = self.key(&key)?;
            infos.push(info);
            Ok(field)
        })?;
        let key_limbs = place_keys(&mut keys);
        if key_limbs > MAX_KEY_LIMBS {
            return Err(node.get("key").error("the key is too long"));
        }
        let ordered = ordered(node, &keys)?;
        if !ordered && keys.iter().any(|k| k.kind == MatchKind::Lpm) && key_limbs > MAX_LPM_LIMBS {
            return Err(node.get("key").error("the key of a table with a prefix match is too long"));
        }
        let (actions, next) = self.table_actions(node, target)?;
        let meter = match node.get("direct_meters") {
            none if none.is_null() => None,
            meter => {
                let id = find(&self.names.meters, &meter, "meter")?;
                let field = self.names.meter_targets.get(&id).copied();
                let field = field.ok_or_else(|| meter.error("this meter is not direct"))?;
                let info = &mut self.program.meters[id as usize];
                info.table = Some(TableId(index));
                Some((id, field))
            }
        };
        let entries = node.get("entries");
        let max_size = if entries.is_null() {
            node.get("max_size").usize().unwrap_or(usize::MAX)
        } else {
            entries.element_count()?
        };
        let default_entry = node.get("default_entry");
        let mut table = Table {
            keys,
            key_limbs,
            kind,
            next,
            actions,
            with_counters: node.get("with_counters").bool_or(false)?,
            meter,
            default: None,
            selector: self.table_selector(kind),
        };
        if !default_entry.is_null() {
            table.default = Some(self.action_entry(&default_entry, &table, false)?);
        }
        if let Some((id, _)) = meter {
            self.program.meters[id as usize].size = max_size;
        }
        let const_default = default_entry.get("action_const").bool_or(false)?
            || default_entry.get("action_entry_const").bool_or(false)?;
        self.program.tables.push(TableInfo {
            id: TableId(index),
            name,
            keys: infos,
            has_priority: ordered,
            actions: table.actions.iter().map(|(a, _)| crate::types::ActionId(*a)).collect(),
            kind,
            max_size,
            with_counters: table.with_counters,
            direct_meter: meter.map(|(id, _)| crate::types::MeterId(id)),
            support_timeout: node.get("support_timeout").bool_or(false)?,
            const_entries: !entries.is_null(),
            const_default_action: const_default,
        });
        if let TableKind::Profile(profile) | TableKind::Selector(profile) = kind {
            self.program.action_profiles[profile.index()].tables.push(TableId(index));
        }
        let call = match &table.default {
            // Only the compiler's tables: the runs of a program's table are counted.
            Some(call)
                if is_made_up
                    && table.keys.is_empty()
                    && const_default
                    && !table.with_counters
                    && call.data.is_empty() =>
            {
                Some(Step::Call(call.action, call.next))
            }
            _ => None,
        };
        self.program.table_code.push(table);
        self.table_entries(&entries, TableId(index))?;
        Ok(call.unwrap_or(Step::Table(index)))
    }

    fn key(&self, node: &Node) -> Result<(KeyField, KeyInfo), ProgramError> {
        let match_type = node.get("match_type");
        let kind = match match_type.str()? {
            "exact" => MatchKind::Exact,
            "lpm" => MatchKind::Lpm,
            "ternary" => MatchKind::Ternary,
            "range" => MatchKind::Range,
            "optional" => MatchKind::Optional,
            "valid" => MatchKind::Valid,
            other => return Err(match_type.error(format!("unknown kind of match \"{other}\""))),
        };
        let target = node.get("target");
        let (header, loc) = if kind == MatchKind::Valid && target.value.is_string() {
            let header = self.header(&target)?;
            let slot = self.program.layout.headers[header as usize].valid;
            (header, FieldLoc { slot, width: 1, signed: false, varbit: false })
        } else {
            self.field(&target)?
        };
        if loc.varbit {
            return Err(target.error("a variable-length field cannot be a key"));
        }
        let definition = &self.program.layout.headers[header as usize];
        let mask = node.get("mask");
        let mask = if mask.is_null() {
            None
        } else {
            let mut data = vec![0; limbs(loc.width)];
            big_to_limbs(&mask.hexstr()?, loc.width, &mut data);
            Some(data)
        };
        let parts =
            if target.value.is_string() { None } else { Some((target.at(0).string()?, target.at(1).string()?)) };
        let field = match &parts {
            None => format!("{}_valid", target.str()?),
            Some((header, field)) if field == "$valid$" => format!("{header}_valid"),
            Some((header, field)) => format!("{header}.{field}"),
        };
        let name = match (node.get("name").value.as_str(), parts) {
            (Some(name), _) => name.to_owned(),
            (None, None) => target.string()?,
            (None, Some((header, field))) => format!("{header}.{field}"),
        };
        let valid = (!definition.metadata && loc.slot != definition.valid).then_some(definition.valid);
        let info = KeyInfo { name, field, width: loc.width, kind };
        Ok((KeyField { loc, valid, mask, kind, limb: 0, limbs: 0 }, info))
    }

    /// The table's actions with the step after each, and the rule for that step.
    fn table_actions(
        &self,
        node: &Node,
        target: &dyn Fn(&Node) -> Result<u32, ProgramError>,
    ) -> Result<(Vec<(u32, u32)>, Next), ProgramError> {
        let next_tables = node.get("next_tables");
        let next = if next_tables.has("__HIT__")
            || next_tables.has("__MISS__")
            || next_tables.value.get("__HIT__").is_some()
            || next_tables.value.get("__MISS__").is_some()
        {
            Next::HitMiss { hit: target(&next_tables.get("__HIT__"))?, miss: target(&next_tables.get("__MISS__"))? }
        } else {
            Next::Action { otherwise: target(&node.get("base_default_next"))? }
        };
        let by_id = node.has("action_ids");
        let list = node.get(if by_id { "action_ids" } else { "actions" });
        let actions = list.map(|action| {
            let index = if by_id {
                let id = action.i64()?;
                let found = self.names.action_ids.get(&id).copied();
                found.ok_or_else(|| action.error(format!("there is no action with id {id}")))?
            } else {
                find(&self.names.actions, &action, "action")?
            };
            let name = &self.program.actions[index as usize].name;
            let after = match next {
                Next::HitMiss { .. } => END,
                Next::Action { .. } => {
                    if next_tables.value.get(name).is_none() {
                        return Err(next_tables.error(format!("no next step for action \"{name}\"")));
                    }
                    target(&next_tables.get(name))?
                }
            };
            Ok((index, after))
        })?;
        Ok((actions, next))
    }

    /// An action with its data as the program gives it.
    pub(super) fn action_entry(&self, node: &Node, table: &Table, hit: bool) -> Result<ActionEntry, ProgramError> {
        let id = node.get("action_id");
        let action = self.names.action_ids.get(&id.i64()?).copied();
        let action = action.ok_or_else(|| id.error("there is no action with this id"))?;
        let code = &self.program.action_code[action as usize];
        let given = node.get("action_data");
        given.tuple(code.params.len())?;
        let mut data = vec![0; code.limbs as usize];
        for (index, (limb, width)) in code.params.iter().enumerate() {
            let start = *limb as usize;
            big_to_limbs(&given.at(index).hexstr()?, *width, &mut data[start..start + limbs(*width)]);
        }
        Ok(ActionEntry { action, data: data.into(), next: table.after(action, hit) })
    }

    fn table_selector(&self, kind: TableKind) -> Option<u32> {
        match kind {
            TableKind::Selector(profile) => self.profile_selectors.get(&profile.0).copied(),
            _ => None,
        }
    }
}

/// Whether entries are compared one by one, by priority.
fn ordered(node: &Node, keys: &[KeyField]) -> Result<bool, ProgramError> {
    if keys.iter().any(|k| matches!(k.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional)) {
        return Ok(true);
    }
    if keys.iter().filter(|k| k.kind == MatchKind::Lpm).count() > 1 {
        return Ok(true);
    }
    let stated = node.get("match_type");
    Ok(!stated.is_null() && matches!(stated.str()?, "ternary" | "range"))
}
