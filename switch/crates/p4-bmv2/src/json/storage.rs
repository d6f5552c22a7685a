//! Header types, header instances, stacks and unions.

use p4_ir::Program;
use p4_ir::storage::{FieldWidth, HeaderType};
use serde_json::{Value, json};

/// The fields of standard metadata that `simple_switch` knows under another name.
const ALIASES: [(&str, &str); 9] = [
    ("queueing_metadata.enq_timestamp", "enq_timestamp"),
    ("queueing_metadata.enq_qdepth", "enq_qdepth"),
    ("queueing_metadata.deq_timedelta", "deq_timedelta"),
    ("queueing_metadata.deq_qdepth", "deq_qdepth"),
    ("intrinsic_metadata.ingress_global_timestamp", "ingress_global_timestamp"),
    ("intrinsic_metadata.egress_global_timestamp", "egress_global_timestamp"),
    ("intrinsic_metadata.mcast_grp", "mcast_grp"),
    ("intrinsic_metadata.egress_rid", "egress_rid"),
    ("intrinsic_metadata.priority", "priority"),
];

/// `header_types`.
pub fn header_types(program: &Program) -> Value {
    let types = program.storage.header_types.iter();
    types.enumerate().map(|(id, header_type)| header_type_object(id, header_type)).collect()
}

/// One header type; metadata is padded to whole bytes, as BMv2 wants it.
fn header_type_object(id: usize, header_type: &HeaderType) -> Value {
    let mut bits = 0;
    let mut variable = false;
    let mut fields = Vec::with_capacity(header_type.fields.len() + 1);
    for field in &header_type.fields {
        bits += field.width.max_bits();
        fields.push(match field.width {
            FieldWidth::Bits(width) => json!([field.name, width, field.signed]),
            FieldWidth::Varbit(_) => {
                variable = true;
                json!([field.name, "*"])
            }
        });
    }
    if bits % 8 != 0 {
        fields.push(json!(["_padding", 8 - bits % 8, false]));
    }
    let mut object = json!({"name": header_type.name, "id": id, "fields": fields});
    if variable {
        object["max_length"] = json!(bits.div_ceil(8));
    }
    object
}

/// `headers`.
pub fn headers(program: &Program) -> Value {
    let storage = &program.storage;
    let headers = storage.headers.iter().enumerate();
    headers
        .map(|(id, header)| {
            json!({
                "name": header.name,
                "id": id,
                "header_type": storage.header_types[header.header_type.index()].name,
                "metadata": header.metadata,
                "pi_omit": true,
            })
        })
        .collect()
}

/// `header_stacks`.
pub fn header_stacks(program: &Program) -> Value {
    let storage = &program.storage;
    let stacks = storage.stacks.iter().enumerate();
    stacks
        .map(|(id, stack)| {
            json!({
                "name": stack.name,
                "id": id,
                "header_type": storage.header_types[stack.header_type.index()].name,
                "size": stack.elements.len(),
                "header_ids": stack.elements.iter().map(|e| e.0).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// `header_union_types`.
pub fn union_types(program: &Program) -> Value {
    let storage = &program.storage;
    let types = storage.union_types.iter().enumerate();
    types
        .map(|(id, union_type)| {
            let members: Vec<Value> = union_type
                .members
                .iter()
                .map(|(name, ty)| json!([name, storage.header_types[ty.index()].name]))
                .collect();
            json!({"name": union_type.name, "id": id, "headers": members})
        })
        .collect()
}

/// `header_unions`.
pub fn unions(program: &Program) -> Value {
    let storage = &program.storage;
    let unions = storage.unions.iter().enumerate();
    unions
        .map(|(id, union)| {
            json!({
                "name": union.name,
                "id": id,
                "union_type": storage.union_types[union.union_type.index()].name,
                "header_ids": union.members.iter().map(|m| m.0).collect::<Vec<_>>(),
                "pi_omit": true,
            })
        })
        .collect()
}

/// `header_union_stacks`.
pub fn union_stacks(program: &Program) -> Value {
    let storage = &program.storage;
    let stacks = storage.union_stacks.iter().enumerate();
    stacks
        .map(|(id, stack)| {
            json!({
                "name": stack.name,
                "id": id,
                "union_type": storage.union_types[stack.union_type.index()].name,
                "size": stack.elements.len(),
                "header_union_ids": stack.elements.iter().map(|e| e.0).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// `field_aliases`: those whose field exists.
pub fn field_aliases(program: &Program) -> Value {
    let Some(header) = program.storage.standard_metadata else {
        return json!([]);
    };
    let name = &program.storage.headers[header.index()].name;
    let fields = &program.storage.type_of(header).fields;
    ALIASES
        .iter()
        .filter(|(_, field)| fields.iter().any(|f| f.name == *field))
        .map(|(alias, field)| json!([alias, [name, field]]))
        .collect()
}
