//! BMv2 JSON, format version 2.23.
//!
//! One file for each part of the document: [`storage`] (header types, headers, stacks, unions),
//! [`expr`] (expressions and typed values), [`ops`] (primitives), [`parser`], [`pipeline`] (tables
//! and conditionals), [`externs`] (arrays, calculations, checksums, lists).

mod expr;
mod externs;
mod ops;
mod parser;
mod pipeline;
mod storage;

use p4_ir::{Program, Source};
use serde_json::{Map, Value, json};

/// Major and minor version of the format that is written.
pub const VERSION: [u32; 2] = [2, 23];

/// The whole document.
pub fn program(program: &Program) -> Value {
    let mut root = Map::new();
    let mut put = |key: &str, value: Value| {
        root.insert(key.to_owned(), value);
    };
    let names = expr::Names::new(program);
    put("header_types", storage::header_types(program));
    put("headers", storage::headers(program));
    put("header_stacks", storage::header_stacks(program));
    put("header_union_types", storage::union_types(program));
    put("header_unions", storage::unions(program));
    put("header_union_stacks", storage::union_stacks(program));
    put("field_lists", externs::field_lists(program, &program.field_lists));
    put("errors", json!(program.errors));
    put("enums", externs::enums(program));
    put("parsers", parser::parsers(&names));
    put("parse_vsets", parser::value_sets(program));
    put("deparsers", externs::deparsers(&names));
    put("meter_arrays", externs::meters(&names));
    put("counter_arrays", externs::counters(program));
    put("register_arrays", externs::registers(program));
    put("calculations", externs::calculations(&names));
    put("learn_lists", externs::field_lists(program, &program.learn_lists));
    put("actions", ops::actions(&names));
    put("pipelines", pipeline::pipelines(&names));
    put("checksums", externs::checksums(&names));
    put("force_arith", json!([]));
    put("extern_instances", externs::extern_instances(program));
    put("field_aliases", storage::field_aliases(program));
    put("program", json!(program.file));
    put("__meta__", json!({"version": VERSION, "compiler": concat!("nodectl p4c ", env!("CARGO_PKG_VERSION"))}));
    Value::Object(root)
}

/// Adds `source_info` to an object, if the position is known.
fn add_source(object: &mut Map<String, Value>, source: &Source) {
    if let Some(source) = source {
        object.insert(
            "source_info".to_owned(),
            json!({
                "filename": &*source.file,
                "line": source.line,
                "column": source.column,
                "source_fragment": &*source.fragment,
            }),
        );
    }
}

/// An object from literal pairs, in order.
macro_rules! object {
    ($($key:literal : $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut map = serde_json::Map::new();
        $(map.insert($key.to_owned(), serde_json::Value::from($value));)*
        map
    }};
}
use object;
