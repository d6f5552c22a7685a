//! Names: those of the output, each given once, and those that annotations give.

use p4_types::typed;
use std::collections::{HashMap, HashSet};

/// Names that are taken, by kind.
#[derive(Default)]
pub struct Names {
    instances: Taken,
    types: Taken,
}

impl Names {
    /// A name for a header instance, stack, union or scalar: `base`, or `base_0`, `base_1`, …
    pub fn new_instance(&mut self, base: &str) -> String {
        self.instances.unique(base)
    }

    /// A name for a type, made in the same way.
    pub fn new_type(&mut self, base: &str) -> String {
        self.types.unique(base)
    }
}

/// Names of one kind, each given once.
#[derive(Default)]
pub struct Taken {
    names: HashSet<String>,
    /// The number to try next for a base that is taken: an inlined statement asks for the same one at each call.
    next: HashMap<String, usize>,
}

impl Taken {
    /// Takes a name as it is.
    pub fn take(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// `base`, or `base_0`, `base_1`, …
    pub fn unique(&mut self, base: &str) -> String {
        if self.names.insert(base.to_owned()) {
            return base.to_owned();
        }
        let number = self.next.entry(base.to_owned()).or_default();
        loop {
            let name = format!("{base}_{number}");
            *number += 1;
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The value of `@name`, or the declared name.
pub fn control_plane_name(annotations: &[typed::Annotation], declared: &str) -> String {
    let name = typed::find_annotation(annotations, "name").and_then(typed::Annotation::string);
    name.unwrap_or(declared).trim_start_matches('.').to_owned()
}
