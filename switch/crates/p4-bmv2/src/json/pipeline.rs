//! Pipelines: tables, action profiles, conditionals.

use super::expr::{Names, bytes, hex, ones};
use super::{add_source, object};
use num_bigint::BigInt;
use p4_ir::control::{Entry, EntryKey, Key, KeyTarget, MatchKind, Node, NodeId, Pipeline, Table, TableId, TableNext};
use serde_json::{Map, Value, json};

/// `pipelines`.
pub fn pipelines(names: &Names) -> Value {
    let pipelines = [&names.program.ingress, &names.program.egress];
    let mut first_conditional = 0;
    let mut first_profile = 0;
    let mut result = vec![];
    for (id, pipeline) in pipelines.into_iter().enumerate() {
        let writer = Writer { names, pipeline };
        let (tables, conditionals) = writer.nodes(&mut first_conditional);
        let mut object = object! {"name": pipeline.name.as_str(), "id": id};
        add_source(&mut object, &pipeline.source);
        object.insert("init_table".to_owned(), writer.node_name(pipeline.start));
        object.insert("tables".to_owned(), Value::from(tables));
        let profiles = writer.profiles(&mut first_profile);
        object.insert("action_profiles".to_owned(), Value::from(profiles));
        object.insert("conditionals".to_owned(), Value::from(conditionals));
        result.push(Value::Object(object));
    }
    Value::from(result)
}

/// Writes one pipeline.
struct Writer<'a> {
    names: &'a Names<'a>,
    pipeline: &'a Pipeline,
}

impl Writer<'_> {
    fn table(&self, id: TableId) -> &Table {
        &self.names.program.tables[id.index()]
    }

    /// The name of a node, or null for the end of the pipeline.
    fn node_name(&self, node: Option<NodeId>) -> Value {
        match node.map(|id| &self.pipeline.nodes[id.index()]) {
            None => Value::Null,
            Some(Node::Table { table, .. }) => json!(self.table(*table).name),
            Some(Node::If { name, .. }) => json!(name),
        }
    }

    /// Tables and conditionals.
    fn nodes(&self, next_conditional: &mut usize) -> (Vec<Value>, Vec<Value>) {
        let mut tables = vec![];
        let mut conditionals = vec![];
        for node in &self.pipeline.nodes {
            match node {
                Node::Table { table, next } => tables.push(self.table_object(*table, next)),
                Node::If { name, condition, then, otherwise, source } => {
                    let mut object = object! {"name": name.as_str(), "id": *next_conditional};
                    *next_conditional += 1;
                    add_source(&mut object, source);
                    object.insert("expression".to_owned(), self.names.expr(condition));
                    object.insert("true_next".to_owned(), self.node_name(*then));
                    object.insert("false_next".to_owned(), self.node_name(*otherwise));
                    conditionals.push(Value::Object(object));
                }
            }
        }
        (tables, conditionals)
    }

    fn profiles(&self, next_id: &mut usize) -> Vec<Value> {
        let profiles = self.pipeline.profiles.iter();
        profiles
            .map(|profile| {
                let mut object = object! {"name": profile.name.as_str(), "id": *next_id};
                *next_id += 1;
                add_source(&mut object, &profile.source);
                object.insert("max_size".to_owned(), json!(profile.size));
                if let Some((algorithm, input)) = &profile.selector {
                    let input: Vec<Value> = input.iter().map(|e| self.names.data_expr(e)).collect();
                    object.insert("selector".to_owned(), json!({"algo": algorithm, "input": input}));
                }
                Value::Object(object)
            })
            .collect()
    }

    fn table_object(&self, id: TableId, next: &TableNext) -> Value {
        let table = self.table(id);
        let mut object = object! {"name": table.name.as_str(), "id": id.0};
        add_source(&mut object, &table.source);
        let mut put = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        put("key", table.keys.iter().map(|key| self.key(key)).collect());
        put("match_type", json!(table_match_type(&table.keys)));
        let kind = match &table.profile {
            None => "simple",
            Some(name) if self.is_selector(name) => "indirect_ws",
            Some(_) => "indirect",
        };
        put("type", json!(kind));
        if let Some(profile) = &table.profile {
            put("action_profile", json!(profile));
        }
        put("max_size", json!(table.size));
        put("with_counters", json!(table.with_counters));
        put("support_timeout", json!(table.support_timeout));
        put("direct_meters", json!(table.direct_meter));
        put("action_ids", table.actions.iter().map(|a| json!(a.0)).collect());
        let action_names: Vec<&str> =
            table.actions.iter().map(|a| self.names.program.actions[a.index()].name.as_str()).collect();
        put("actions", json!(action_names));
        let (base, next_tables) = self.next(next, &action_names);
        put("base_default_next", base);
        put("next_tables", next_tables);
        if let Some(default) = &table.default {
            put(
                "default_entry",
                json!({
                    "action_id": default.action.0,
                    // Of a table with a profile BMv2 takes the whole entry as constant, but not the action alone.
                    "action_const": default.constant && table.profile.is_none(),
                    "action_data": self.action_data(default.action, &default.args),
                    "action_entry_const": default.constant,
                }),
            );
        }
        if let Some(entries) = &table.entries {
            let entries = entries.iter().map(|entry| self.entry(entry, &table.keys));
            put("entries", entries.collect());
        }
        Value::Object(object)
    }

    fn is_selector(&self, profile: &str) -> bool {
        let program = self.names.program;
        let all = program.ingress.profiles.iter().chain(&program.egress.profiles);
        all.into_iter().any(|p| p.name == profile && p.selector.is_some())
    }

    /// `base_default_next` and `next_tables`.
    fn next(&self, next: &TableNext, actions: &[&str]) -> (Value, Value) {
        let mut map = Map::new();
        let base = match next {
            TableNext::Always(node) => {
                let name = self.node_name(*node);
                for action in actions {
                    map.insert((*action).to_owned(), name.clone());
                }
                name
            }
            TableNext::HitMiss { hit, miss } => {
                map.insert("__HIT__".to_owned(), self.node_name(*hit));
                map.insert("__MISS__".to_owned(), self.node_name(*miss));
                Value::Null
            }
            TableNext::Actions { cases, otherwise } => {
                let name = self.node_name(*otherwise);
                for (position, action) in actions.iter().enumerate() {
                    let case = cases.iter().find(|(index, _)| *index == position);
                    let target = case.map_or(name.clone(), |(_, node)| self.node_name(*node));
                    map.insert((*action).to_owned(), target);
                }
                name
            }
        };
        (base, Value::Object(map))
    }

    fn key(&self, key: &Key) -> Value {
        let target = match key.target {
            KeyTarget::Field(field) => self.names.field_pair(field),
            KeyTarget::Valid(header) => json!([self.names.header(header), "$valid$"]),
        };
        json!({
            "match_type": written_kind(key.kind),
            "name": key.name,
            "target": target,
            "mask": key.mask.as_ref().map(|mask| hex(mask, bytes(key.width))),
        })
    }

    fn action_data(&self, action: p4_ir::control::ActionId, args: &[BigInt]) -> Vec<String> {
        let params = &self.names.program.actions[action.index()].params;
        let params = params.iter().map(|(_, bits)| *bits);
        args.iter().zip(params).map(|(arg, bits)| hex(&(arg & ones(bits)), bytes(bits))).collect()
    }

    fn entry(&self, entry: &Entry, keys: &[Key]) -> Value {
        let mut object = Map::new();
        add_source(&mut object, &entry.source);
        let keys: Vec<Value> = entry.keys.iter().zip(keys).map(|(value, key)| entry_key(value, key)).collect();
        object.insert("match_key".to_owned(), json!(keys));
        object.insert(
            "action_entry".to_owned(),
            json!({
                "action_id": entry.action.0,
                "action_data": self.action_data(entry.action, &entry.args),
            }),
        );
        object.insert("priority".to_owned(), json!(entry.priority));
        Value::Object(object)
    }
}

/// BMv2 writes optional keys as ternary ones.
fn written_kind(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Optional => MatchKind::Ternary.name(),
        other => other.name(),
    }
}

/// The kind of the whole table: the most general kind of its keys.
fn table_match_type(keys: &[Key]) -> &'static str {
    let has = |kinds: &[MatchKind]| keys.iter().any(|key| kinds.contains(&key.kind));
    if has(&[MatchKind::Range]) {
        "range"
    } else if has(&[MatchKind::Ternary, MatchKind::Optional]) {
        "ternary"
    } else if has(&[MatchKind::Lpm]) {
        "lpm"
    } else {
        "exact"
    }
}

fn entry_key(value: &EntryKey, key: &Key) -> Value {
    let kind = written_kind(key.kind);
    let hex = |number: &BigInt| hex(number, bytes(key.width));
    match value {
        EntryKey::Exact(number) => json!({"match_type": kind, "key": hex(number)}),
        EntryKey::Lpm(number, length) => {
            json!({"match_type": kind, "key": hex(number), "prefix_length": length})
        }
        EntryKey::Ternary(number, mask) => {
            json!({"match_type": kind, "key": hex(number), "mask": hex(mask)})
        }
        EntryKey::Range(low, high) => {
            json!({"match_type": kind, "start": hex(low), "end": hex(high)})
        }
    }
}
