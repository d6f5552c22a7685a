//! Assignments of several headers at once that read the headers they write, as in `pair = { pair.b, pair.a }`.

use crate::calls::call::Touched;
use crate::lowerer::Lowerer;
use crate::storage::place::{Place, Value};
use p4_types::typed::Type;

impl Lowerer<'_> {
    /// A value to assign part by part. Headers (stacks, unions, varbits) in it that an earlier part overwrites are
    /// copied first. The assignment itself takes care of simple values.
    pub fn without_overlap(&mut self, place: &Place, value: &Value, ty: &Type) -> Value {
        let (places, values): (Vec<Place>, _) = match (place, value) {
            (Place::Struct(places), Value::Struct(values)) => (places.to_vec(), values),
            (Place::Stack(_) | Place::UnionStack(_), Value::Stack(values)) => (self.elements(place), values),
            _ => return value.clone(),
        };
        if !values.iter().any(holds_place) {
            return value.clone();
        }
        let types = self.part_types(ty, places.len());
        let mut written = Touched::default();
        let mut parts = vec![];
        for ((place, value), ty) in places.iter().zip(values.iter()).zip(types) {
            let crosses = holds_place(value) && self.value_touches(value, &written);
            let part =
                if crosses { self.snapshot(value.clone(), &ty) } else { self.without_overlap(place, value, &ty) };
            parts.push(part);
            self.add_place(place, &mut written);
        }
        match value {
            Value::Stack(_) => Value::Stack(parts.into()),
            _ => Value::Struct(parts.into()),
        }
    }
}

/// Is there anything in it that is not a simple value?
fn holds_place(value: &Value) -> bool {
    match value {
        Value::Place(_) => true,
        Value::Struct(parts) | Value::Header(parts) | Value::Stack(parts) => parts.iter().any(holds_place),
        _ => false,
    }
}
