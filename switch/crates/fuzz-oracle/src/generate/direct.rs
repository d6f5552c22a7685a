//! Direct counters and meters.

use super::types::Type;
use super::{Callable, Generator};

/// A direct counter or meter, and actions that only its table has.
pub(super) struct Direct {
    /// Declarations before the table.
    pub before: String,
    /// Its properties.
    pub properties: String,
    pub actions: Vec<Callable>,
}

impl Generator {
    /// A direct counter or meter for some tables. All actions of the table call it first: BMv2 counts and meters whenever
    /// an entry is hit.
    pub(super) fn direct_objects(&mut self) -> Option<Direct> {
        let name = self.fresh("d");
        let (mut before, properties, first) = match self.random.below(10) {
            0 => {
                self.note("direct counter");
                let unit = ["packets", "bytes", "packets_and_bytes"][self.random.below(3)];
                let object = format!("direct_counter(CounterType.{unit}) {name};\n");
                (object, format!("counters = {name};\n"), format!("{name}.count();\n"))
            }
            1 => {
                let targets = self.visible(|variable| {
                    variable.writable && variable.name.starts_with("meta.") && variable.ty == Type::Bit(8)
                });
                let target = self.random.pick(&targets)?.name.clone();
                self.note("direct meter");
                let unit = ["packets", "bytes"][self.random.below(2)];
                let object = format!("direct_meter<bit<8>>(MeterType.{unit}) {name};\n");
                (object, format!("meters = {name};\n"), format!("{name}.read({target});\n"))
            }
            _ => return None,
        };
        let others = std::mem::take(&mut self.actions);
        for _ in 0..1 + self.random.below(2) {
            before.push_str(&self.action_that(&first));
        }
        let actions = std::mem::replace(&mut self.actions, others);
        Some(Direct { before, properties, actions })
    }
}
