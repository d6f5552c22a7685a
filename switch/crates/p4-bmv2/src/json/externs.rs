//! Arrays of state, calculations, checksums, lists of fields, enumerations and the deparser.

use super::expr::{Names, bytes, hex};
use super::ops::{self, FIRST_LIST_ID};
use super::{add_source, object};
use p4_ir::Program;
use p4_ir::control::{CalculationInput, MeterUnit};
use p4_ir::storage::FieldRef;
use serde_json::{Value, json};

/// `field_lists` or `learn_lists`.
pub fn field_lists(program: &Program, lists: &[(String, Vec<FieldRef>)]) -> Value {
    let names = Names::new(program);
    lists
        .iter()
        .enumerate()
        .map(|(index, (name, fields))| {
            json!({
                "id": index as u32 + FIRST_LIST_ID,
                "name": name,
                "elements": fields.iter().map(|f| names.field(*f)).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// `enums`.
pub fn enums(program: &Program) -> Value {
    let enums = program.enums.iter();
    enums.map(|e| json!({"name": e.name, "entries": e.members})).collect()
}

/// `deparsers`.
pub fn deparsers(names: &Names) -> Value {
    let program = names.program;
    let order: Vec<&str> = program.deparser.iter().map(|h| names.header(*h)).collect();
    let primitives = program.deparser_ops.iter();
    let primitives: Vec<Value> = primitives.map(|s| ops::primitive(names, s)).collect();
    json!([{"name": "deparser", "id": 0, "order": order, "primitives": primitives}])
}

/// `counter_arrays`.
pub fn counters(program: &Program) -> Value {
    let counters = program.counters.iter().enumerate();
    counters
        .map(|(id, counter)| {
            let mut object = object! {"name": counter.name.as_str(), "id": id};
            add_source(&mut object, &counter.source);
            match &counter.direct {
                None => {
                    object.insert("size".to_owned(), json!(counter.size));
                    object.insert("is_direct".to_owned(), json!(false));
                }
                Some(table) => {
                    object.insert("is_direct".to_owned(), json!(true));
                    object.insert("binding".to_owned(), json!(table));
                }
            }
            Value::Object(object)
        })
        .collect()
}

/// `meter_arrays`.
pub fn meters(names: &Names) -> Value {
    let meters = names.program.meters.iter().enumerate();
    meters
        .map(|(id, meter)| {
            let unit = match meter.unit {
                MeterUnit::Packets => "packets",
                MeterUnit::Bytes => "bytes",
            };
            let mut object = object! {"name": meter.name.as_str(), "id": id};
            add_source(&mut object, &meter.source);
            object.insert("is_direct".to_owned(), json!(meter.direct.is_some()));
            object.insert("size".to_owned(), json!(meter.size));
            object.insert("rate_count".to_owned(), json!(2));
            object.insert("type".to_owned(), json!(unit));
            if let Some((table, target)) = &meter.direct {
                object.insert("binding".to_owned(), json!(table));
                object.insert("result_target".to_owned(), names.field_pair(*target));
            }
            Value::Object(object)
        })
        .collect()
}

/// `register_arrays`.
pub fn registers(program: &Program) -> Value {
    let registers = program.registers.iter().enumerate();
    registers
        .map(|(id, register)| {
            let mut object = object! {"name": register.name.as_str(), "id": id};
            add_source(&mut object, &register.source);
            object.insert("size".to_owned(), json!(register.size));
            object.insert("bitwidth".to_owned(), json!(register.width));
            Value::Object(object)
        })
        .collect()
}

/// `calculations`.
pub fn calculations(names: &Names) -> Value {
    let calculations = names.program.calculations.iter().enumerate();
    calculations
        .map(|(id, calculation)| {
            let input: Vec<Value> = calculation
                .input
                .iter()
                .map(|input| match input {
                    CalculationInput::Field(field) => names.field(*field),
                    CalculationInput::Header(header) => names.header_value(*header),
                    CalculationInput::Const(value, bits) => json!({
                        "type": "hexstr",
                        "value": hex(value, bytes(*bits)),
                        "bitwidth": bits,
                    }),
                    CalculationInput::Payload => json!({"type": "payload", "value": null}),
                })
                .collect();
            let mut object = object! {"name": calculation.name.as_str(), "id": id};
            add_source(&mut object, &calculation.source);
            object.insert("algo".to_owned(), json!(calculation.algorithm));
            object.insert("input".to_owned(), json!(input));
            Value::Object(object)
        })
        .collect()
}

/// `checksums`.
pub fn checksums(names: &Names) -> Value {
    let checksums = names.program.checksums.iter().enumerate();
    checksums
        .map(|(id, checksum)| {
            let calculation = &names.program.calculations[checksum.calculation.index()];
            let mut object = object! {"name": checksum.name.as_str(), "id": id};
            add_source(&mut object, &checksum.source);
            object.insert("target".to_owned(), names.field_pair(checksum.target));
            object.insert("type".to_owned(), json!("generic"));
            object.insert("calculation".to_owned(), json!(calculation.name));
            object.insert("verify".to_owned(), json!(checksum.verify));
            object.insert("update".to_owned(), json!(!checksum.verify));
            object.insert("if_cond".to_owned(), names.expr(&checksum.condition));
            Value::Object(object)
        })
        .collect()
}

/// `extern_instances`: those that only some other target knows.
pub fn extern_instances(program: &Program) -> Value {
    let externs = program.externs.iter().enumerate();
    externs
        .map(|(id, instance)| {
            let attributes: Vec<Value> = instance
                .args
                .iter()
                .map(|(name, value)| json!({"name": name, "type": "hexstr", "value": hex(value, 1)}))
                .collect();
            json!({
                "name": instance.name,
                "id": id,
                "type": instance.kind,
                "attribute_values": attributes,
            })
        })
        .collect()
}
