//! Names: those of the output, each given once, and those that annotations give.

use p4_types::typed;
use std::collections::HashSet;

/// Names that are taken, by kind.
#[derive(Default)]
pub struct Names {
    instances: HashSet<String>,
    types: HashSet<String>,
    /// Of tables, conditionals and so on.
    pub(super) nodes: HashSet<String>,
}

impl Names {
    /// A name for a header instance, stack, union or scalar: `base`, or `base_0`, `base_1`, …
    pub fn new_instance(&mut self, base: &str) -> String {
        unique(&mut self.instances, base)
    }

    /// A name for a type, made in the same way.
    pub fn new_type(&mut self, base: &str) -> String {
        unique(&mut self.types, base)
    }
}

/// `base`, or `base_0`, `base_1`, …
pub fn unique(taken: &mut HashSet<String>, base: &str) -> String {
    let mut name = base.to_owned();
    let mut number = 0;
    while !taken.insert(name.clone()) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

/// The value of `@name`, or the declared name.
pub fn control_plane_name(annotations: &[typed::Annotation], declared: &str) -> String {
    let name = typed::find_annotation(annotations, "name").and_then(typed::Annotation::string);
    name.unwrap_or(declared).trim_start_matches('.').to_owned()
}
