//! Types in P4Info.

use super::text::{Text, padded_bytes};
use super::{plain_annotations, structured_annotations};
use p4_ir::control_plane::{NewType, TypeInfo, TypeSpec};

/// `type_info`, if it is not empty.
pub fn type_info(text: &mut Text, info: &TypeInfo) {
    let empty = !info.is_present
        && info.structs.is_empty()
        && info.headers.is_empty()
        && info.header_unions.is_empty()
        && info.enums.is_empty()
        && info.errors.is_none()
        && info.serializable_enums.is_empty()
        && info.new_types.is_empty();
    if !empty {
        text.message("type_info", |text| type_info_body(text, info));
    }
}

/// Entries of a map, sorted by key as the text form of protobuf maps is.
fn sorted<T>(entries: &[T], key: impl Fn(&T) -> &str) -> Vec<&T> {
    let mut sorted: Vec<&T> = entries.iter().collect();
    sorted.sort_by(|a, b| key(a).cmp(key(b)));
    sorted
}

fn map_entry(text: &mut Text, map: &str, key: &str, value: impl FnOnce(&mut Text)) {
    text.message(map, |text| {
        text.string("key", key);
        text.message("value", value);
    });
}

fn type_info_body(text: &mut Text, info: &TypeInfo) {
    for (name, members) in sorted(&info.structs, |x| &x.0) {
        map_entry(text, "structs", name, |text| {
            for (member, spec) in members {
                text.message("members", |text| {
                    text.string("name", member);
                    type_spec(text, "type_spec", spec);
                });
            }
        });
    }
    for (name, members) in sorted(&info.headers, |x| &x.0) {
        map_entry(text, "headers", name, |text| {
            for (member, spec) in members {
                text.message("members", |text| {
                    text.string("name", member);
                    text.message("type_spec", |text| bitstring(text, spec));
                });
            }
        });
    }
    for (name, members) in sorted(&info.header_unions, |x| &x.0) {
        map_entry(text, "header_unions", name, |text| {
            for (member, header) in members {
                text.message("members", |text| {
                    text.string("name", member);
                    text.message("header", |text| text.string("name", header));
                });
            }
        });
    }
    for (name, members) in sorted(&info.enums, |x| &x.0) {
        map_entry(text, "enums", name, |text| {
            for member in members {
                text.message("members", |text| text.string("name", member));
            }
        });
    }
    if let Some(errors) = &info.errors {
        text.message("error", |text| {
            for error in errors {
                text.string("members", error);
            }
        });
    }
    for (name, definition) in sorted(&info.serializable_enums, |x| &x.0) {
        map_entry(text, "serializable_enums", name, |text| {
            text.message("underlying_type", |text| text.number("bitwidth", definition.bits));
            for (member, value) in &definition.members {
                text.message("members", |text| {
                    text.string("name", member);
                    text.bytes("value", &padded_bytes(value, definition.bits));
                });
            }
        });
    }
    for (name, definition, notes) in sorted(&info.new_types, |x| &x.0) {
        map_entry(text, "new_types", name, |text| {
            match definition {
                NewType::Original(spec) => type_spec(text, "original_type", spec),
                NewType::Translated(uri, sdn) => text.message("translated_type", |text| {
                    if !uri.is_empty() {
                        text.string("uri", uri);
                    }
                    match sdn {
                        Some(bits) => text.number("sdn_bitwidth", bits),
                        None => text.message("sdn_string", |_| {}),
                    }
                }),
            }
            plain_annotations(text, notes);
            structured_annotations(text, notes);
        });
    }
}

/// The body of a `P4BitstringLikeTypeSpec`.
fn bitstring(text: &mut Text, spec: &TypeSpec) {
    match spec {
        TypeSpec::Bit(bits) => text.message("bit", |text| text.number("bitwidth", bits)),
        TypeSpec::Int(bits) => text.message("int", |text| text.number("bitwidth", bits)),
        TypeSpec::Varbit(bits) => {
            text.message("varbit", |text| text.number("max_bitwidth", bits));
        }
        _ => {}
    }
}

/// `field { P4DataTypeSpec }`.
pub fn type_spec(text: &mut Text, field: &str, spec: &TypeSpec) {
    text.message(field, |text| data_type(text, spec));
}

fn data_type(text: &mut Text, spec: &TypeSpec) {
    let mut named = |kind: &str, name: &str| {
        text.message(kind, |text| text.string("name", name));
    };
    match spec {
        TypeSpec::Bit(_) | TypeSpec::Int(_) | TypeSpec::Varbit(_) => {
            text.message("bitstring", |text| bitstring(text, spec));
        }
        TypeSpec::Bool => text.message("bool", |_| {}),
        TypeSpec::Error => text.message("error", |_| {}),
        TypeSpec::Tuple(members) => text.message("tuple", |text| {
            for member in members {
                type_spec(text, "members", member);
            }
        }),
        TypeSpec::Struct(name) => named("struct", name),
        TypeSpec::Header(name) => named("header", name),
        TypeSpec::HeaderUnion(name) => named("header_union", name),
        TypeSpec::Enum(name) => named("enum", name),
        TypeSpec::SerializableEnum(name) => named("serializable_enum", name),
        TypeSpec::NewType(name) => named("new_type", name),
        TypeSpec::HeaderStack(name, size) => text.message("header_stack", |text| {
            text.message("header", |text| text.string("name", name));
            text.number("size", size);
        }),
        TypeSpec::HeaderUnionStack(name, size) => text.message("header_union_stack", |text| {
            text.message("header_union", |text| text.string("name", name));
            text.number("size", size);
        }),
    }
}
