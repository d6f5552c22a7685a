//! Initial entries of tables.

use super::Checker;
use crate::typed::{Expr, ExprKind, KeySet, Table, TableEntry, Type, Value};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn entries(&mut self, entries: &'a [ast::EntryDecl], all_const: bool, table: &mut Table) {
        let types: Vec<Type> = table.keys.iter().map(|key| key.value.ty.clone()).collect();
        for decl in entries {
            let annotations = self.annotations(&decl.annotations);
            if all_const && decl.is_const {
                self.diagnostics.warning(decl.span, "all entries of this list are 'const' already");
            }
            let priority =
                decl.priority.as_ref().and_then(|value| self.known_integer(value, "the priority of an entry"));
            let keys = self.entry_keys(&decl.keys, &types, table);
            let none: &'a [ast::Argument] = &[];
            let args = decl.action.args.as_deref().unwrap_or(none);
            let Some(action) = self.action_call(&decl.action.action, args, table, decl.action.span) else {
                continue;
            };
            if crate::typed::find_annotation(&table.actions[action.action].annotations, "defaultonly").is_some() {
                self.error(decl.action.span, "this action is '@defaultonly': it cannot be in an entry");
            }
            table.entries.push(TableEntry {
                keys,
                action,
                priority,
                is_const: all_const || decl.is_const,
                annotations,
                span: decl.span,
            });
        }
    }

    fn entry_keys(&mut self, set: &'a ast::Expr, types: &[Type], table: &Table) -> Vec<KeySet> {
        let sets: &'a [ast::Expr] = match &set.kind {
            ast::ExprKind::Tuple(sets) => sets,
            ast::ExprKind::List(items) if items.len() == types.len() => items,
            ast::ExprKind::Any if types.len() != 1 => {
                return vec![KeySet::Any; types.len()];
            }
            _ => std::slice::from_ref(set),
        };
        if sets.len() != types.len() {
            let message = format!("table '{}' has {} keys, but {} sets are given", table.name, types.len(), sets.len());
            self.error(set.span, message);
            return Vec::new();
        }
        let mut keys = Vec::new();
        for ((set, ty), key) in sets.iter().zip(types).zip(&table.keys) {
            let checked = self.key_set(set, ty);
            let kind = self.program[key.match_kind].name.clone();
            let allowed = match (&checked, &*kind) {
                (KeySet::Mask(..), "exact" | "range" | "optional") => false,
                (KeySet::Mask(_, mask), "lpm") => self.is_prefix_mask(mask),
                (KeySet::Range(..), "exact" | "lpm" | "ternary" | "optional") => false,
                (KeySet::Any, "exact") => false,
                _ => true,
            };
            if !allowed {
                let message = format!("a key that is matched '{kind}' cannot have this set in an entry");
                self.error_of(Kind::Invalid, set.span, message);
            }
            let known = |part: &Expr| crate::eval::is_known(&self.program, part);
            let all_known = match &checked {
                KeySet::Value(value) => known(value) || matches!(value.kind, ExprKind::Invalidated),
                KeySet::Mask(value, mask) => known(value) && known(mask),
                KeySet::Range(low, high) => known(low) && known(high),
                _ => true,
            };
            if !all_known {
                self.error(set.span, "the key of an entry must be known at compile time");
            }
            keys.push(checked);
        }
        keys
    }

    /// Are the ones of a mask all in front?
    fn is_prefix_mask(&self, mask: &Expr) -> bool {
        let (ExprKind::Literal(Value::Int(mask_value)), Type::Bit(width)) =
            (&mask.kind, self.program.representation(&mask.ty))
        else {
            return true;
        };
        let inverted = crate::eval::wrap(&!mask_value.clone(), &Type::Bit(width));
        (&inverted & (&inverted + 1u32)).is_zero()
    }

    /// Checks the rules for all entries together, and assigns the priorities that are not given.
    pub(super) fn finish_entries(&mut self, table: &mut Table, decl: &'a ast::TableDecl) {
        if table.entries.is_empty() {
            return;
        }
        if table.keys.is_empty() {
            let message = format!("table '{}' has entries but no keys", decl.name.name);
            self.error(decl.name.span, message);
            return;
        }
        let kinds: Vec<_> = table.keys.iter().map(|key| self.program[key.match_kind].name.clone()).collect();
        let needs_priorities = kinds.iter().any(|kind| matches!(&**kind, "ternary" | "range" | "optional"));
        let given = table.entries.iter().find(|entry| entry.priority.is_some());
        match given.map(|entry| entry.span) {
            Some(span) if !needs_priorities => {
                self.error_of(
                    Kind::Unsupported,
                    span,
                    "the entries of a table with these match kinds have no priorities",
                );
            }
            None if table.entries_are_const => {}
            _ if needs_priorities => self.assign_priorities(table),
            _ => {}
        }
        if kinds.iter().all(|kind| &**kind == "exact") {
            self.check_duplicate_entries(table);
        }
    }

    /// Priorities go down (or up, if the smallest wins) by `priority_delta` from the one before.
    fn assign_priorities(&mut self, table: &mut Table) {
        let largest_wins = table.largest_priority_wins.unwrap_or(true);
        let delta = table.priority_delta.clone().unwrap_or_else(|| BigInt::from(1));
        let step = if largest_wins { -delta.clone() } else { delta.clone() };
        let count = BigInt::from(table.entries.len());
        let any_given = table.entries.iter().any(|entry| entry.priority.is_some());
        let mut next = if any_given {
            None
        } else if largest_wins {
            Some((count - 1) * delta + 1)
        } else {
            Some(BigInt::from(1))
        };
        for position in 0..table.entries.len() {
            let entry = &table.entries[position];
            let span = entry.span;
            let Some(priority) = entry.priority.clone().or(next) else {
                self.error_of(Kind::Expected, span, "this entry needs a priority, as a later one has one");
                return;
            };
            if priority.is_negative() {
                let message = format!("this entry would get the priority {priority}, which is below 0");
                self.error_of(Kind::Overlimit, span, message);
                return;
            }
            next = Some(&priority + &step);
            table.entries[position].priority = Some(priority);
        }
    }

    fn check_duplicate_entries(&mut self, table: &Table) {
        let mut seen: std::collections::HashMap<Vec<Value>, crate::typed::Span> = std::collections::HashMap::new();
        for entry in &table.entries {
            let keys: Option<Vec<Value>> = entry
                .keys
                .iter()
                .map(|key| match key {
                    KeySet::Value(Expr { kind: ExprKind::Literal(value), .. }) => Some(value.clone()),
                    _ => None,
                })
                .collect();
            let Some(keys) = keys else { continue };
            match seen.get(&keys) {
                Some(before) => {
                    let before = *before;
                    self.error_of(Kind::Keys, entry.span, "another entry has the same keys")
                        .note_at(before, "it is here");
                }
                None => {
                    seen.insert(keys, entry.span);
                }
            }
        }
    }
}
