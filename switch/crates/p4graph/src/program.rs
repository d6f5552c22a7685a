//! From BMv2 JSON to graphs.

use std::collections::{BTreeMap, BTreeSet};

use bmv2_json::{FRAGMENT_CHARS, Node as Json, ProgramError, check_program, source_info};

use crate::{Edge, Graph, Node, Shape};

/// All graphs of a program. Without `statements`, only tables and the conditions they depend on are in the control flow.
///
/// # Errors
/// Not BMv2 JSON of a v1model program, or a part of it has a wrong form.
pub fn graphs(root: &Json, statements: bool) -> Result<Vec<Graph>, ProgramError> {
    check_program(root)?;
    let mut all = root.get("parsers").map(|node| parser(&node))?;
    all.extend(root.get("pipelines").map(|pipeline| control(&pipeline, &root.get("actions"), statements))?);
    Ok(all)
}

/// Characters of a condition or a statement that are shown.
const MAX_TEXT: usize = FRAGMENT_CHARS;

/// `header.field` of `["header", "field"]`; metadata without the compiler's names.
fn field(node: &Json) -> Result<String, ProgramError> {
    let parts = node.map(|part| part.string())?;
    Ok(match &parts[..] {
        [header, field] if header == "scalars" => {
            field.split_once('.').map_or(&field[..], |(_, field)| field).to_owned()
        }
        _ => parts.join("."),
    })
}

/// A name where there may be none: the next step, or the end.
fn target(node: &Json) -> Result<Option<String>, ProgramError> {
    if node.is_null() { Ok(None) } else { node.string().map(Some) }
}

fn parser(parser: &Json) -> Result<Graph, ProgramError> {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    parser.get("parse_states").each(|state| {
        let name = state.get("name").string()?;
        let mut lines = vec![name.clone()];
        state.get("parser_ops").each(|op| {
            if let "extract" | "extract_VL" = &op.get("op").string()?[..] {
                lines.push(format!("extract {}", extracted(&op.get("parameters").at(0).get("value"))?));
            }
            Ok(())
        })?;
        let keys = state.get("transition_key").map(|part| key_part(&part))?;
        if !keys.is_empty() {
            lines.push(format!("select ({})", keys.join(", ")));
        }
        nodes.push(Node { name: name.clone(), lines, shape: Shape::State });
        // Several values that lead to one state share an arrow.
        let mut labels: Vec<(String, Vec<String>)> = Vec::new();
        state.get("transitions").each(|transition| {
            let to = target(&transition.get("next_state"))?.unwrap_or_else(|| ACCEPT.to_owned());
            let label = if keys.is_empty() { String::new() } else { case(&transition)? };
            match labels.iter_mut().find(|(known, _)| *known == to) {
                Some((_, all)) => all.push(label),
                None => labels.push((to, vec![label])),
            }
            Ok(())
        })?;
        edges.extend(labels.into_iter().map(|(to, all)| Edge { from: name.clone(), to, label: all.join(", ") }));
        Ok(())
    })?;
    nodes.push(Node { name: ACCEPT.to_owned(), lines: vec![ACCEPT.to_owned()], shape: Shape::End });
    Ok(Graph { name: parser.get("name").string()?, nodes, edges })
}

const ACCEPT: &str = "accept";

/// The target of an extraction: a header by name, or a member of a stack or union.
fn extracted(node: &Json) -> Result<String, ProgramError> {
    if node.value.is_string() { node.string() } else { field(node) }
}

fn key_part(part: &Json) -> Result<String, ProgramError> {
    let value = part.get("value");
    Ok(match &part.get("type").string()?[..] {
        "lookahead" => format!("lookahead {} bits", value.at(1).u32()?),
        _ => field(&value)?,
    })
}

fn case(transition: &Json) -> Result<String, ProgramError> {
    let mask = target(&transition.get("mask"))?;
    if transition.get("type").string()? == "default" {
        return Ok("default".to_owned());
    }
    let value = transition.get("value").string()?;
    Ok(mask.map_or(value.clone(), |mask| format!("{value} &&& {mask}")))
}

/// A step of a pipeline and where it leads: label and name.
struct Step {
    node: Node,
    next: Vec<(String, Option<String>)>,
    /// Not in the program: made of statements.
    hidden: bool,
}

fn control(pipeline: &Json, actions: &Json, statements: bool) -> Result<Graph, ProgramError> {
    let mut steps: BTreeMap<String, Step> = BTreeMap::new();
    pipeline.get("tables").each(|table| {
        let name = table.get("name").string()?;
        let hidden = table.get("key").element_count()? == 0 && name.starts_with("tbl_");
        let next_tables = table.get("next_tables");
        let mut ways: Vec<(String, Option<String>)> = Vec::new();
        for action in next_tables.keys() {
            let label = match action {
                "__HIT__" => "hit",
                "__MISS__" => "miss",
                action => short(action),
            };
            ways.push((label.to_owned(), target(&next_tables.get(action))?));
        }
        let node = if hidden { statement_node(&name, &table, actions)? } else { table_node(&name, &table)? };
        steps.insert(name, Step { node, next: merged(ways), hidden });
        Ok(())
    })?;
    pipeline.get("conditionals").each(|condition| {
        let name = condition.get("name").string()?;
        let lines = vec![condition_text(&source_info(&condition).unwrap_or_default().fragment)];
        let way = |label: &str, key: &str| Ok((label.to_owned(), target(&condition.get(key))?));
        let next = merged(vec![way("true", "true_next")?, way("false", "false_next")?]);
        steps.insert(name.clone(), Step { node: Node { name, lines, shape: Shape::Condition }, next, hidden: false });
        Ok(())
    })?;
    let mut start = target(&pipeline.get("init_table"))?;
    if !statements {
        start = without_statements(&mut steps, start);
    }
    Ok(graph(pipeline.get("name").string()?, steps, start))
}

/// `a == b` of `if (a == b) {`; a text that the compiler has cut ends in dots.
fn condition_text(fragment: &str) -> String {
    let text = fragment.trim().trim_end_matches(['{', ' ']);
    let bare = text.strip_prefix("if (").unwrap_or(text);
    if fragment.chars().count() >= FRAGMENT_CHARS {
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

fn table_node(name: &str, table: &Json) -> Result<Node, ProgramError> {
    let mut lines = vec![name.to_owned()];
    table.get("key").each(|key| {
        let key_name = match target(&key.get("name"))? {
            Some(name) => name,
            None => field(&key.get("target"))?,
        };
        lines.push(format!("{key_name}: {}", key.get("match_type").string()?));
        Ok(())
    })?;
    let actions = table.get("actions").map(|action| Ok(format!("{}()", short(&action.string()?))))?;
    lines.push(actions.join(", "));
    Ok(Node { name: name.to_owned(), lines, shape: Shape::Table })
}

fn statement_node(name: &str, table: &Json, actions: &Json) -> Result<Node, ProgramError> {
    let id = table.get("default_entry").get("action_id").i64()?;
    let mut lines: Vec<String> = Vec::new();
    let index = (0..actions.element_count()?).find(|index| actions.at(*index).get("id").i64() == Ok(id));
    let action = index.map(|index| actions.at(index));
    action.iter().try_for_each(|action| {
        action.get("primitives").each(|primitive| {
            let fragment = source_info(&primitive).unwrap_or_default().fragment;
            let line = if fragment.is_empty() { primitive.get("op").string()? } else { cut(&fragment) };
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            Ok(())
        })
    })?;
    Ok(Node { name: name.to_owned(), lines, shape: Shape::Statement })
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
    // Only steps that can be reached.
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
