//! Arbitrary and damaged protobuf messages, by their descriptors.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _, Value};

use crate::random::Random;

/// Deeper than this nothing is filled in.
const DEEPEST: usize = 9;

/// Numbers that mean something to a P4Runtime server, or nearly do.
const NUMBERS: [i64; 18] = [0, 1, 2, 3, 4, 7, 8, 9, 16, 64, 100, 255, 510, 511, 65_535, 65_536, i32::MAX as i64, -1];

/// Fills a message with arbitrary fields; ids are often among these.
pub fn fill(kind: &MessageDescriptor, ids: &[u32], random: &mut Random, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(kind.clone());
    for field in kind.fields() {
        if random.one_in(2) || (depth > DEEPEST && matches!(field.kind(), Kind::Message(_))) {
            continue;
        }
        let value = if field.is_map() {
            continue;
        } else if field.is_list() {
            Value::List((0..random.below(3)).map(|_| single(&field, ids, random, depth)).collect())
        } else {
            single(&field, ids, random, depth)
        };
        message.set_field(&field, value);
    }
    message
}

/// Changes one place of a message.
pub fn damage(message: &mut DynamicMessage, ids: &[u32], random: &mut Random, depth: usize) {
    let fields: Vec<FieldDescriptor> = message.fields().map(|(field, _)| field).collect();
    let Some(field) = random.pick(&fields).cloned() else {
        *message = fill(&message.descriptor(), ids, random, depth);
        return;
    };
    if field.is_map() || random.one_in(12) {
        return message.clear_field(&field);
    }
    match message.get_field_mut(&field) {
        Value::Message(inner) if !random.one_in(8) => damage(inner, ids, random, depth + 1),
        Value::List(items) => damage_list(items, &field, ids, random, depth),
        value => *value = single(&field, ids, random, depth),
    }
}

fn damage_list(items: &mut Vec<Value>, field: &FieldDescriptor, ids: &[u32], random: &mut Random, depth: usize) {
    let at = random.below(items.len());
    match (random.below(6), items.get_mut(at)) {
        (0, Some(item)) => {
            let copy = item.clone();
            items.push(copy);
        }
        (1, Some(_)) => drop(items.remove(at)),
        (2, _) => items.push(single(field, ids, random, depth)),
        (_, Some(Value::Message(inner))) => damage(inner, ids, random, depth + 1),
        (_, Some(item)) => *item = single(field, ids, random, depth),
        (_, None) => {}
    }
}

/// One value of a field.
fn single(field: &FieldDescriptor, ids: &[u32], random: &mut Random, depth: usize) -> Value {
    let number = number(field, ids, random);
    match field.kind() {
        Kind::Bool => Value::Bool(random.one_in(2)),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(number as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(number),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(number as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(number as u64),
        Kind::Float => Value::F32(number as f32),
        Kind::Double => Value::F64(number as f64),
        Kind::Enum(_) => Value::EnumNumber(random.below(6) as i32),
        Kind::String => Value::String(["", "1", "the_ingress.route", "é\u{0}", "*"][random.below(5)].to_owned()),
        Kind::Bytes => {
            let length = [0, 1, 1, 2, 2, 4, 6, 9, 200][random.below(9)];
            Value::Bytes(random.bytes(length).into())
        }
        Kind::Message(kind) => Value::Message(fill(&kind, ids, random, depth + 1)),
    }
}

fn number(field: &FieldDescriptor, ids: &[u32], random: &mut Random) -> i64 {
    match random.pick(ids) {
        Some(id) if field.name().ends_with("_id") && !random.one_in(8) => i64::from(*id),
        _ if random.one_in(20) => random.draw() as i64,
        _ => NUMBERS[random.below(NUMBERS.len())],
    }
}
