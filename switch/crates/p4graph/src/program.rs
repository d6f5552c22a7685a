//! From BMv2 JSON to graphs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Edge, Graph, Node, Shape};

/// Characters of a condition or a statement that are shown.
const MAX_TEXT: usize = 60;

/// The JSON is not a program.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("this is not BMv2 JSON of a v1model program: \"{0}\" is missing")]
pub struct NotAProgram(&'static str);

/// All graphs of a program. Without `statements`, only tables and the conditions they depend on are in the control flow.
///
/// # Errors
/// A part that every program has is missing.
pub fn graphs(json: &Value, statements: bool) -> Result<Vec<Graph>, NotAProgram> {
    let parsers = json.get("parsers").and_then(Value::as_array).ok_or(NotAProgram("parsers"))?;
    let pipelines = json.get("pipelines").and_then(Value::as_array).ok_or(NotAProgram("pipelines"))?;
    let actions = array(json, "actions");
    let mut all: Vec<Graph> = parsers.iter().map(parser).collect();
    all.extend(pipelines.iter().map(|pipeline| control(pipeline, &actions, statements)));
    Ok(all)
}

fn array(value: &Value, key: &str) -> Vec<Value> {
    value.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// `header.field` of `["header", "field"]`; metadata without the compiler's names.
fn field(value: &Value) -> String {
    let parts: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match parts[..] {
        ["scalars", field] => field.split_once('.').map_or(field, |(_, field)| field).to_owned(),
        _ => parts.join("."),
    }
}

fn parser(parser: &Value) -> Graph {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for state in array(parser, "parse_states") {
        let name = text(&state, "name");
        let mut lines = vec![name.clone()];
        for op in array(&state, "parser_ops") {
            let target = op.pointer("/parameters/0/value");
            if let ("extract" | "extract_VL", Some(target)) = (&text(&op, "op")[..], target) {
                let target = target.as_str().map_or_else(|| field(target), str::to_owned);
                lines.push(format!("extract {target}"));
            }
        }
        let keys: Vec<String> = array(&state, "transition_key").iter().map(key_part).collect();
        if !keys.is_empty() {
            lines.push(format!("select ({})", keys.join(", ")));
        }
        nodes.push(Node { name: name.clone(), lines, shape: Shape::State });
        // Several values that lead to one state share an arrow.
        let mut labels: Vec<(String, Vec<String>)> = Vec::new();
        for transition in array(&state, "transitions") {
            let to = transition.get("next_state").and_then(Value::as_str).unwrap_or(ACCEPT).to_owned();
            let label = if keys.is_empty() { String::new() } else { case(&transition) };
            match labels.iter_mut().find(|(known, _)| *known == to) {
                Some((_, all)) => all.push(label),
                None => labels.push((to, vec![label])),
            }
        }
        edges.extend(labels.into_iter().map(|(to, all)| Edge { from: name.clone(), to, label: all.join(", ") }));
    }
    nodes.push(Node { name: ACCEPT.to_owned(), lines: vec![ACCEPT.to_owned()], shape: Shape::End });
    Graph { name: text(parser, "name"), nodes, edges }
}

const ACCEPT: &str = "accept";

fn key_part(part: &Value) -> String {
    let value = part.get("value").cloned().unwrap_or_default();
    match &text(part, "type")[..] {
        "lookahead" => format!("lookahead {} bits", value.get(1).and_then(Value::as_u64).unwrap_or(0)),
        _ => field(&value),
    }
}

fn case(transition: &Value) -> String {
    let value = text(transition, "value");
    match (&text(transition, "type")[..], transition.get("mask").and_then(Value::as_str)) {
        ("default", _) => "default".to_owned(),
        (_, Some(mask)) => format!("{value} &&& {mask}"),
        _ => value,
    }
}

/// A step of a pipeline and where it leads: label and name.
struct Step {
    node: Node,
    next: Vec<(String, Option<String>)>,
    /// Not in the program: made of statements.
    hidden: bool,
}

fn control(pipeline: &Value, actions: &[Value], statements: bool) -> Graph {
    let mut steps: BTreeMap<String, Step> = BTreeMap::new();
    let target = |value: &Value| value.as_str().map(str::to_owned);
    for table in array(pipeline, "tables") {
        let name = text(&table, "name");
        let hidden = array(&table, "key").is_empty() && name.starts_with("tbl_");
        let next_tables = table.get("next_tables").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut ways: Vec<(String, Option<String>)> = Vec::new();
        for (label, next) in &next_tables {
            let label = match &label[..] {
                "__HIT__" => "hit".to_owned(),
                "__MISS__" => "miss".to_owned(),
                action => short(action).to_owned(),
            };
            ways.push((label, target(next)));
        }
        let node = if hidden { statement_node(&name, &table, actions) } else { table_node(&name, &table) };
        steps.insert(name, Step { node, next: merged(ways), hidden });
    }
    for condition in array(pipeline, "conditionals") {
        let name = text(&condition, "name");
        let fragment = text(condition.get("source_info").unwrap_or(&Value::Null), "source_fragment");
        let lines = vec![condition_text(&fragment)];
        let way = |label: &str, key: &str| (label.to_owned(), condition.get(key).and_then(target));
        let next = merged(vec![way("true", "true_next"), way("false", "false_next")]);
        steps.insert(name.clone(), Step { node: Node { name, lines, shape: Shape::Condition }, next, hidden: false });
    }
    let mut start = pipeline.get("init_table").and_then(target);
    if !statements {
        start = without_statements(&mut steps, start);
    }
    graph(text(pipeline, "name"), steps, start)
}

/// `a == b` of `if (a == b) {`; what the compiler has cut ends in dots.
fn condition_text(fragment: &str) -> String {
    let text = fragment.trim().trim_end_matches(['{', ' ']);
    let bare = text.strip_prefix("if (").unwrap_or(text);
    if fragment.chars().count() >= MAX_TEXT {
        return cut(bare.trim_end_matches([' ', '.'])) + " …";
    }
    cut(if bare.len() == text.len() { bare } else { bare.strip_suffix(')').unwrap_or(bare) })
}

/// The last part of a name.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() < MAX_TEXT {
        text
    } else {
        format!("{} …", text.chars().take(MAX_TEXT - 2).collect::<String>())
    }
}

fn table_node(name: &str, table: &Value) -> Node {
    let mut lines = vec![name.to_owned()];
    for key in array(table, "key") {
        let named = key.get("name").and_then(Value::as_str).map(str::to_owned);
        let key_name = named.unwrap_or_else(|| field(key.get("target").unwrap_or(&Value::Null)));
        lines.push(format!("{key_name}: {}", text(&key, "match_type")));
    }
    let actions: Vec<String> =
        array(table, "actions").iter().filter_map(Value::as_str).map(|name| format!("{}()", short(name))).collect();
    lines.push(actions.join(", "));
    Node { name: name.to_owned(), lines, shape: Shape::Table }
}

fn statement_node(name: &str, table: &Value, actions: &[Value]) -> Node {
    let id = table.pointer("/default_entry/action_id");
    let action = actions.iter().find(|action| action.get("id") == id && id.is_some());
    let mut lines: Vec<String> = Vec::new();
    for primitive in action.map(|action| array(action, "primitives")).unwrap_or_default() {
        let fragment = text(primitive.get("source_info").unwrap_or(&Value::Null), "source_fragment");
        let line = if fragment.is_empty() { text(&primitive, "op") } else { cut(&fragment) };
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    Node { name: name.to_owned(), lines, shape: Shape::Statement }
}

/// Ways that lead to the same place share an arrow; all to one place: no label.
fn merged(ways: Vec<(String, Option<String>)>) -> Vec<(String, Option<String>)> {
    let mut all: Vec<(String, Option<String>)> = Vec::new();
    for (label, to) in ways {
        match all.iter_mut().find(|(_, known)| *known == to) {
            Some((labels, _)) => *labels = format!("{labels}, {label}"),
            None => all.push((label, to)),
        }
    }
    if let [(label, _)] = &mut all[..] {
        label.clear();
    }
    all
}

/// Takes statements out, and then conditions that decide nothing any more. Returns the new first step.
fn without_statements(steps: &mut BTreeMap<String, Step>, start: Option<String>) -> Option<String> {
    let mut start = start;
    loop {
        let gone = steps.iter().find_map(|(name, step)| match &step.next[..] {
            [(_, to)] if step.hidden || step.node.shape == Shape::Condition => Some((name.clone(), to.clone())),
            [] if step.hidden => Some((name.clone(), None)),
            _ => None,
        });
        let Some((name, to)) = gone else {
            return start;
        };
        steps.remove(&name);
        if start.as_ref() == Some(&name) {
            start.clone_from(&to);
        }
        for step in steps.values_mut() {
            for (_, next) in &mut step.next {
                if next.as_ref() == Some(&name) {
                    next.clone_from(&to);
                }
            }
            step.next = merged(std::mem::take(&mut step.next));
        }
    }
}

fn graph(name: String, steps: BTreeMap<String, Step>, start: Option<String>) -> Graph {
    let end = |shape: &str| Node { name: shape.to_owned(), lines: vec![shape.to_owned()], shape: Shape::End };
    let to = |next: &Option<String>| {
        next.clone().filter(|next| steps.contains_key(next)).unwrap_or_else(|| "end".to_owned())
    };
    // Only what can be reached.
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> = start.iter().cloned().collect();
    while let Some(name) = open.pop() {
        if let Some(step) = steps.get(&name)
            && reached.insert(name)
        {
            open.extend(step.next.iter().filter_map(|(_, next)| next.clone()));
        }
    }
    let mut edges = vec![Edge { from: "start".to_owned(), to: to(&start), label: String::new() }];
    let mut nodes = vec![end("start")];
    for (name, step) in steps.iter().filter(|(name, _)| reached.contains(*name)) {
        nodes.push(step.node.clone());
        let arrows =
            step.next.iter().map(|(label, next)| Edge { from: name.clone(), to: to(next), label: label.clone() });
        edges.extend(arrows);
    }
    nodes.push(end("end"));
    Graph { name, nodes, edges }
}
