//! Initial entries of tables.

use super::Checker;
use crate::typed::{KeySet, Table, TableEntry, Type};
use p4_syntax::ast;

impl<'a> Checker<'a> {
    pub(super) fn entries(
        &mut self,
        entries: &'a [ast::EntryDecl],
        all_const: bool,
        table: &mut Table,
    ) {
        let types: Vec<Type> = table.keys.iter().map(|key| key.value.ty.clone()).collect();
        for decl in entries {
            let annotations = self.annotations(&decl.annotations);
            if all_const && decl.is_const {
                self.diagnostics
                    .warning(decl.span, "all entries of this list are 'const' already");
            }
            let priority = decl
                .priority
                .as_ref()
                .and_then(|value| self.known_integer(value, "the priority of an entry"));
            let keys = self.entry_keys(&decl.keys, &types, table);
            let none: &'a [ast::Argument] = &[];
            let args = decl.action.args.as_deref().unwrap_or(none);
            let Some(action) = self.action_call(&decl.action.action, args, table, decl.action.span)
            else {
                continue;
            };
            if crate::typed::find_annotation(
                &table.actions[action.action].annotations,
                "defaultonly",
            )
            .is_some()
            {
                self.error(
                    decl.action.span,
                    "this action is '@defaultonly': it cannot be in an entry",
                );
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
            ast::ExprKind::Any if types.len() != 1 => {
                return vec![KeySet::Any; types.len()];
            }
            _ => std::slice::from_ref(set),
        };
        if sets.len() != types.len() {
            let message = format!(
                "table '{}' has {} keys, but {} sets are given",
                table.name,
                types.len(),
                sets.len()
            );
            self.error(set.span, message);
            return Vec::new();
        }
        let mut keys = Vec::new();
        for ((set, ty), key) in sets.iter().zip(types).zip(&table.keys) {
            let checked = self.key_set(set, ty);
            let kind = self.program[key.match_kind].name.clone();
            let allowed = match (&checked, &*kind) {
                (KeySet::Mask(..), "exact" | "range") => false,
                (KeySet::Range(..), "exact" | "lpm" | "ternary" | "optional") => false,
                (KeySet::Any, "exact") => false,
                _ => true,
            };
            if !allowed {
                let message =
                    format!("a key that is matched '{kind}' cannot have this set in an entry");
                self.error(set.span, message);
            }
            keys.push(checked);
        }
        keys
    }

    /// What has to hold for all entries together.
    pub(super) fn check_entries_end(&mut self, table: &Table, decl: &'a ast::TableDecl) {
        if !table.entries.is_empty() && table.keys.is_empty() {
            let message = format!("table '{}' has entries but no keys", decl.name.name);
            self.error(decl.name.span, message);
        }
    }
}
