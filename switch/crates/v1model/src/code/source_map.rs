//! Names and source lines of a program's parts, for people only.

use std::collections::HashMap;

use crate::trace::SourceLine;

/// Names and places that a trace shows, and that the lowered program does not need.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// Fields of each header.
    pub fields: Vec<Vec<String>>,
    /// Parser states.
    pub states: Vec<String>,
    /// Errors by number.
    pub errors: HashMap<u32, String>,
    /// Where each table is declared.
    pub tables: Vec<Option<SourceLine>>,
    /// Each action's primitives, one an operation.
    pub actions: Vec<Vec<Label>>,
    /// Steps of ingress and egress.
    pub ingress: Vec<Label>,
    pub egress: Vec<Label>,
}

/// A name and a place.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub name: String,
    pub source: Option<SourceLine>,
}
