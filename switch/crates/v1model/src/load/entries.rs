//! Entries that come with the program.

use super::builder::Builder;
use crate::phv::{append_bytes, limbs};
use crate::state::TableState;
use crate::types::{ActionCall, ActionId, ActionSpec, KeyMatch, MatchKind, TableEntry, TableId, TableKind};
use bmv2_json::{Node, ProgramError};

impl Builder {
    /// Reads a table's entries and checks them by putting them into a table.
    pub(super) fn table_entries(&mut self, node: &Node, table: TableId) -> Result<(), ProgramError> {
        let info = &self.program.tables[table.index()];
        if !node.is_null() && info.kind != TableKind::Direct {
            return Err(node.error("a table with an action profile cannot have entries in the program"));
        }
        let mut state = TableState::new(crate::state::index_for(&self.program, table));
        let entries = node.map(|entry| {
            let parsed = self.entry(&entry, table)?;
            crate::state::insert_entry(&self.program, table, &mut state, parsed.clone(), 0, true)
                .map_err(|e| entry.error(e.to_string()))?;
            Ok(parsed)
        })?;
        self.program.initial_entries.push(entries);
        Ok(())
    }

    fn entry(&self, node: &Node, table: TableId) -> Result<TableEntry, ProgramError> {
        let code = &self.program.table_code[table.index()];
        let info = &self.program.tables[table.index()];
        let keys = node.get("match_key");
        keys.tuple(code.keys.len())?;
        let key = code.keys.iter().enumerate().map(|(i, field)| key_match(&keys.at(i), field.kind, field.loc.width));
        let key = key.collect::<Result<_, _>>()?;
        let call = self.action_entry(&node.get("action_entry"), code, true)?;
        let action = &self.program.action_code[call.action as usize];
        let params = action.params.iter().map(|(limb, width)| {
            let mut bytes = Vec::new();
            append_bytes(&call.data[*limb as usize..*limb as usize + limbs(*width)], *width, &mut bytes);
            bytes
        });
        let priority = node.get("priority");
        let priority = if info.has_priority && !priority.is_null() { priority.i64()? } else { 0 };
        Ok(TableEntry {
            key,
            // In the JSON small numbers are urgent, in P4Runtime large ones.
            priority: i32::try_from(i64::from(i32::MAX) - priority).map_err(|_| node.error("bad priority"))?,
            action: ActionSpec::Call(ActionCall { action: ActionId(call.action), params: params.collect() }),
            idle_timeout_ns: 0,
            metadata: Vec::new(),
        })
    }
}

fn key_match(node: &Node, kind: MatchKind, width: u32) -> Result<KeyMatch, ProgramError> {
    let bytes = |name: &str| -> Result<Vec<u8>, ProgramError> {
        let value = node.get(name).hexstr()?;
        let mut data = vec![0; limbs(width)];
        crate::phv::big_to_limbs(&value, width, &mut data);
        let mut out = Vec::new();
        append_bytes(&data, width, &mut out);
        Ok(out)
    };
    Ok(match kind {
        MatchKind::Exact => KeyMatch::Exact(bytes("key")?),
        MatchKind::Lpm => KeyMatch::Lpm { value: bytes("key")?, prefix_len: node.get("prefix_length").u32()? },
        MatchKind::Ternary => KeyMatch::Ternary { value: bytes("key")?, mask: bytes("mask")? },
        MatchKind::Range => KeyMatch::Range { low: bytes("start")?, high: bytes("end")? },
        MatchKind::Optional if node.has("mask") => KeyMatch::Ternary { value: bytes("key")?, mask: bytes("mask")? },
        MatchKind::Optional if node.has("key") => KeyMatch::Optional(Some(bytes("key")?)),
        MatchKind::Optional => KeyMatch::Optional(None),
        MatchKind::Valid => KeyMatch::Valid(node.get("key").bool()?),
    })
}
