//! Graphs as Graphviz DOT and as Mermaid.

use std::collections::HashMap;
use std::fmt::Write;

use crate::{Graph, Shape};

/// Arrows' labels are wrapped behind so many characters.
const WRAP: usize = 40;

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Graphviz: `dot -Tsvg`.
#[must_use]
pub fn dot(graph: &Graph) -> String {
    let mut out = format!("digraph \"{}\" {{\n  node [fontname=\"Helvetica\", fontsize=10];\n", quoted(&graph.name));
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=9];\n");
    for node in &graph.nodes {
        let (shape, fill) = match node.shape {
            Shape::End => ("ellipse", "white"),
            Shape::State => ("box", "#e8f0fe"),
            Shape::Table => ("box", "#e6f4ea"),
            Shape::Condition => ("box", "#fef7e0"),
            Shape::Statement => ("box", "white"),
        };
        let style = if node.shape == Shape::Condition { "filled,rounded" } else { "filled" };
        let lines: Vec<String> = node.lines.iter().map(|line| quoted(line)).collect();
        let label = lines.join("\\n");
        let name = quoted(&node.name);
        let _ =
            writeln!(out, "  \"{name}\" [label=\"{label}\", shape={shape}, style=\"{style}\", fillcolor=\"{fill}\"];");
    }
    for edge in &graph.edges {
        let label = quoted(&wrapped(&edge.label, "\n")).replace('\n', "\\n");
        let _ = writeln!(out, "  \"{}\" -> \"{}\" [label=\"{label}\"];", quoted(&edge.from), quoted(&edge.to));
    }
    out.push_str("}\n");
    out
}

fn wrapped(text: &str, break_with: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for (index, word) in text.split(", ").enumerate() {
        if index > 0 {
            out.push(',');
            if length + word.len() > WRAP {
                out.push_str(break_with);
                length = 0;
            } else {
                out.push(' ');
            }
        }
        out.push_str(word);
        length += word.len() + 2;
    }
    out
}

/// Mermaid, as Markdown pages show it.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let escaped =
        |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = "flowchart TD\n".to_owned();
    // Names may have characters that Mermaid's do not.
    let ids: HashMap<&str, usize> = graph.nodes.iter().enumerate().map(|(id, node)| (&node.name[..], id)).collect();
    for (id, node) in graph.nodes.iter().enumerate() {
        let label = node.lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br>");
        let (open, close) = match node.shape {
            Shape::End => ("([", "])"),
            Shape::Condition => ("{{", "}}"),
            _ => ("[", "]"),
        };
        let _ = writeln!(out, "  n{id}{open}\"{label}\"{close}");
    }
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (ids.get(&edge.from[..]), ids.get(&edge.to[..])) else { continue };
        let label = wrapped(&escaped(&edge.label), "<br>");
        let label = if label.is_empty() { label } else { format!("|\"{label}\"|") };
        let _ = writeln!(out, "  n{from} -->{label} n{to}");
    }
    out
}
