//! Types as P4 writes them, for messages.

use crate::typed::{Program, Type};
use std::rc::Rc;

/// The type as it would be written in a program.
pub fn type_name(program: &Program, ty: &Type) -> String {
    type_name_with(program, &[], ty)
}

/// The same, with the names of type parameters.
pub fn type_name_with(program: &Program, variables: &[Rc<str>], ty: &Type) -> String {
    let with_args = |name: &str, args: &[Type]| {
        if args.is_empty() { name.to_owned() } else { with_args_always(program, variables, name, args) }
    };
    match ty {
        Type::Void => "void".into(),
        Type::Bool => "bool".into(),
        Type::Integer => "int".into(),
        Type::Bit(width) => format!("bit<{width}>"),
        Type::Int(width) => format!("int<{width}>"),
        Type::Varbit(width) => format!("varbit<{width}>"),
        Type::Error => "error".into(),
        Type::MatchKind => "match_kind".into(),
        Type::String => "string".into(),
        Type::Enum(id) => program[*id].name.to_string(),
        Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
            let entry = &program[*id];
            if entry.name.is_empty() {
                let fields: Vec<String> = entry
                    .fields
                    .iter()
                    .map(|field| format!("{} = {}", field.name, type_name_with(program, variables, &field.ty)))
                    .collect();
                return format!("{{{}}}", fields.join(", "));
            }
            with_args(&entry.name, &entry.type_args)
        }
        Type::Stack(element, size) => format!("{}[{size}]", type_name_with(program, variables, element)),
        Type::Tuple(items) => with_args_always(program, variables, "tuple", items),
        Type::List(element) => format!("list<{}>", type_name_with(program, variables, element)),
        Type::New(id) => program[*id].name.to_string(),
        Type::Extern(id, args) => with_args(&program[*id].name, args),
        Type::Apply(id, args) => with_args(&program[*id].name, args),
        Type::Parser(id) => format!("parser {}", program[*id].name),
        Type::Control(id) => format!("control {}", program[*id].name),
        Type::Package(id, args) => with_args(&program[*id].name, args),
        Type::Variable(id) => variables.get(id.0 as usize).map_or_else(|| "_".into(), ToString::to_string),
        Type::Unknown => "_".into(),
    }
}

fn with_args_always(program: &Program, variables: &[Rc<str>], name: &str, args: &[Type]) -> String {
    let args: Vec<String> = args.iter().map(|arg| type_name_with(program, variables, arg)).collect();
    format!("{name}<{}>", args.join(", "))
}
