//! Pictures of a P4 program: its parser, and the way through ingress and egress, from BMv2 JSON (whoever wrote it).
//!
//! [`program::graphs`] makes [`Graph`]s of the JSON; [`render`] writes them as Graphviz DOT and as Mermaid.

pub mod command_line;
pub mod program;
pub mod render;

/// The shape of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Where the way begins and ends.
    End,
    /// A parser state.
    State,
    /// A table.
    Table,
    /// A condition.
    Condition,
    /// Statements.
    Statement,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Unique in its graph.
    pub name: String,
    /// The text in it, line by line.
    pub lines: Vec<String>,
    /// Its shape.
    pub shape: Shape,
}

/// An arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The text at it; may be empty.
    pub label: String,
}

/// One picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// `parser`, `ingress`, `egress`.
    pub name: String,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its arrows.
    pub edges: Vec<Edge>,
}
