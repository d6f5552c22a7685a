//! Tables and their applications.

use std::collections::BTreeSet;

use super::table_properties::Properties;
use super::types::Type;
use super::{Callable, Generator, Table};

impl Generator {
    /// A table of the control, with initial entries or those of a control plane.
    pub(super) fn table(&mut self) -> String {
        let name = self.fresh("t");
        let direct = self.direct_objects();
        let Properties { before, listed: properties, selector, with_entries } = self.properties();
        self.context = super::Context::default();
        let mut actions = match &direct {
            Some(direct) => direct.actions.clone(),
            None => self.listed_actions(),
        };
        let valid = std::mem::take(&mut self.valid);
        let mut needs = BTreeSet::new();
        if !self.headers.is_empty() && self.random.one_in(2) {
            needs.insert(0);
            self.valid.insert(0);
        }
        let mut keys = vec![];
        let objects = direct.as_ref().map_or("", |direct| &direct.before);
        let mut text = format!("{before}{objects}table {name} {{\nkey = {{\n");
        if selector {
            text.push_str(&self.selector_keys());
        }
        for _ in 0..1 + self.random.below(3) {
            let width = 1 + self.random.below(4) as u32;
            let has_lpm = keys.iter().any(|(_, kind)| *kind == "lpm");
            let kind = ["exact", "ternary", "lpm", "range", "exact", "optional"][self.random.below(6)];
            let kind = if kind == "lpm" && has_lpm { "exact" } else { kind };
            let mut key = self.expression(&Type::Bit(width), 2);
            if key.contains('&') {
                // Of `field & constant` the switch, as p4c's JSON makes it, masks entries too, otherwise than the specification
                // says. This is 0, but no constant.
                key = format!("({key} ^ (bit<{width}>){})", self.zero);
            }
            // Else the control plane has no name for it.
            text.push_str(&format!("{key}: {kind} @name(\"k{}\");\n", keys.len()));
            keys.push((width, kind));
            self.note(match kind {
                "exact" => "exact key",
                "ternary" => "ternary key",
                "lpm" => "lpm key",
                "optional" => "optional key",
                _ => "range key",
            });
        }
        self.valid = valid;
        text.push_str("}\nactions = {\n");
        let mut listed = vec![];
        let invalidated = std::mem::take(&mut self.invalidated);
        self.context.can_invalidate = true;
        actions.retain(|action| {
            let bound = self.arguments_of_list(action);
            // For some there is nothing to write to.
            if !action.params.is_empty() && bound.is_none() {
                return false;
            }
            text.push_str(&format!(
                "{};\n",
                bound.as_ref().map_or(action.name.clone(), |args| format!("{}({args})", action.name))
            ));
            listed.push(bound);
            true
        });
        let mut invalidates = std::mem::replace(&mut self.invalidated, invalidated);
        if actions.is_empty() {
            return String::new();
        }
        text.push_str("}\n");
        text.push_str(&properties);
        if let Some(direct) = &direct {
            text.push_str(&direct.properties);
        }
        if with_entries {
            text.push_str(&self.entries(&keys, &actions, &listed));
        }
        if direct.is_none()
            && let Some((action, bound)) = actions.first().zip(listed.first())
        {
            // Of tables with entries of their own the control plane changes nothing.
            let fixed = with_entries || self.random.one_in(2);
            self.note(match (fixed, before.is_empty()) {
                (true, true) => "const default action",
                (false, true) => "default action of a control plane",
                (true, false) => "const default action beside a profile",
                (false, false) => "default action beside a profile",
            });
            let fixed = if fixed { "const " } else { "" };
            text.push_str(&format!("{fixed}default_action = {};\n", self.chosen(action, bound.as_deref())));
        }
        text.push_str("}\n");
        invalidates.extend(actions.iter().flat_map(|action| action.invalidates.iter().copied()));
        let actions = actions.into_iter().map(|action| action.name).collect();
        self.tables.push(Table { name, actions, needs, invalidates });
        text
    }

    /// Different actions, one at least.
    fn listed_actions(&mut self) -> Vec<Callable> {
        let mut actions: Vec<Callable> = vec![];
        for _ in 0..3 {
            if let Some(action) = self.random.pick(&self.actions).cloned()
                && actions.iter().all(|other| other.name != action.name)
            {
                actions.push(action);
            }
        }
        actions
    }

    /// Arguments of an action with directional parameters, as a table lists it.
    fn arguments_of_list(&mut self, action: &Callable) -> Option<String> {
        if action.params.is_empty() {
            return None;
        }
        let valid = std::mem::take(&mut self.valid);
        let args = self.arguments(&action.params, 1);
        self.valid = valid;
        self.note("action with arguments in a table");
        args.map(|args| args.join(", "))
    }

    /// The action with its data.
    fn chosen(&mut self, action: &Callable, bound: Option<&str>) -> String {
        let data: Vec<String> = action.data.iter().map(|ty| self.constant(ty)).collect();
        let all: Vec<String> = bound.map(str::to_owned).into_iter().chain(data).collect();
        format!("{}({})", action.name, all.join(", "))
    }

    fn entries(&mut self, keys: &[(u32, &'static str)], actions: &[Callable], listed: &[Option<String>]) -> String {
        let ordered = keys.iter().any(|(_, kind)| matches!(*kind, "ternary" | "range" | "optional"));
        let prioritized = ordered && self.random.one_in(3);
        let mut seen = BTreeSet::new();
        let mut text = String::new();
        let first = self.random.below(50);
        for number in 0..1 + self.random.below(6) {
            let sets: Vec<String> = keys.iter().map(|(width, kind)| self.key_set(*width, kind)).collect();
            if !seen.insert(sets.clone()) || actions.is_empty() {
                continue;
            }
            let which = self.random.below(actions.len());
            let call = self.chosen(&actions[which], listed[which].as_deref());
            let set = if sets.len() == 1 { sets.concat() } else { format!("({})", sets.join(", ")) };
            // In no order, all different.
            let priority = if prioritized {
                format!("const priority = {}: ", 1 + (first + number * 7) % 50)
            } else {
                String::new()
            };
            text.push_str(&format!("{priority}{set}: {call};\n"));
        }
        if text.is_empty() {
            return text;
        }
        self.note(if prioritized { "entries with priorities" } else { "const entries" });
        let (before, smallest) = match (prioritized, self.random.one_in(2)) {
            (true, smallest) => ("", if smallest { "largest_priority_wins = false;\n" } else { "" }),
            _ => ("const ", ""),
        };
        format!("{smallest}{before}entries = {{\n{text}}}\n")
    }

    fn key_set(&mut self, width: u32, kind: &str) -> String {
        let all = (1u32 << width) - 1;
        let value = self.random.draw() as u32 & all;
        match kind {
            "ternary" | "optional" if self.random.one_in(4) => "_".to_owned(),
            "ternary" if self.random.one_in(2) => {
                let mask = self.random.draw() as u32 & all;
                format!("{width}w{} &&& {width}w{mask}", value & mask)
            }
            "lpm" => {
                let mask = all & (all << self.random.below(width as usize + 1));
                if mask == 0 {
                    return "_".to_owned();
                }
                format!("{width}w{} &&& {width}w{mask}", value & mask)
            }
            "range" => {
                let other = self.random.draw() as u32 & all;
                format!("{width}w{}..{width}w{}", value.min(other), value.max(other))
            }
            _ => format!("{width}w{value}"),
        }
    }

    /// Applies tables that are not applied yet.
    pub(super) fn remaining_applications(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.tables.len() {
            self.budget = 2;
            text.push_str(&self.application(2).unwrap_or_default());
        }
        text
    }

    /// Applies a table, if there is one that can be applied here.
    pub(super) fn application(&mut self, depth: usize) -> Option<String> {
        if !self.context.can_apply || self.context.in_loop || self.tables.is_empty() {
            return None;
        }
        let index = self.random.below(self.tables.len());
        let table = &self.tables[index];
        if !table.needs.is_subset(&self.valid) {
            return None;
        }
        let (name, actions, invalidates) = (table.name.clone(), table.actions.clone(), table.invalidates.clone());
        // Each once: BMv2's pipelines are graphs without ways back.
        self.tables.remove(index);
        self.forget(&invalidates);
        if depth < 2 || !self.random.one_in(6) {
            return Some(self.asked(&name, &actions, depth));
        }
        self.note("application at two places");
        let condition = self.expression(&Type::Bool, 2);
        let before = self.valid.clone();
        let yes = self.asked(&name, &actions, depth - 1);
        let after = std::mem::replace(&mut self.valid, before);
        let no = self.asked(&name, &actions, depth - 1);
        self.valid = self.valid.intersection(&after).copied().collect();
        Some(format!("if ({condition}) {{\n{yes}}} else {{\n{no}}}\n"))
    }

    /// Applies a table, and perhaps branches on the result.
    fn asked(&mut self, name: &str, actions: &[String], depth: usize) -> String {
        match self.random.below(3) {
            0 => {
                self.note("apply");
                format!("{name}.apply();\n")
            }
            1 => {
                let result = ["hit", "miss"][self.random.below(2)];
                self.note(if result == "hit" { "apply().hit" } else { "apply().miss" });
                let text = self.cases(vec![format!("if ({name}.apply().{result})")], depth);
                text.replacen("):", ")", 1)
            }
            _ => {
                self.note("switch over action_run");
                let mut labels: Vec<String> = actions.iter().take(2).cloned().collect();
                if self.random.one_in(2) {
                    labels.push("default".to_owned());
                }
                format!("switch ({name}.apply().action_run) {{\n{}}}\n", self.cases(labels, depth))
            }
        }
    }
}
