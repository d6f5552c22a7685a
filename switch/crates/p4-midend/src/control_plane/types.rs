//! Types and annotations as the control plane sees them.

use crate::control_plane::names::control_plane_name;
use crate::storage::allocation::scalar_type;
use num_traits::ToPrimitive;
use p4_ir::control_plane::{Annotation, AnnotationValue, NewType, Notes, SerializableEnum, TypeInfo, TypeSpec};
use p4_syntax::SourceMap;
use p4_types::typed::{self, AnnotationBody, Type, Value};

/// Annotations whose bodies p4c reads as values wherever they stand.
const READ_BY_P4C: [&str; 4] = ["field_list", "p4runtime_translation", "noWarn", "deprecated"];

/// Annotations that P4Info has fields of their own for.
const ELSEWHERE: [&str; 4] = ["name", "id", "brief", "description"];

/// Annotations and documentation, without those in `skip`.
pub fn notes(sources: &SourceMap, annotations: &[typed::Annotation], skip: &[&str]) -> Notes {
    let text = |name: &str| {
        let found = typed::find_annotation(annotations, name);
        found.and_then(typed::Annotation::string).map(str::to_owned)
    };
    let kept = annotations.iter().filter(|a| !ELSEWHERE.contains(&&*a.name) && !skip.contains(&&*a.name));
    Notes {
        annotations: kept.map(|a| annotation(sources, a)).collect(),
        brief: text("brief"),
        description: text("description"),
    }
}

/// One annotation. The typed tree does not say whether `@name(…)` or `@name[…]` was written; only
/// the latter is a structured one.
fn annotation(sources: &SourceMap, annotation: &typed::Annotation) -> Annotation {
    let name = &annotation.name;
    let source = sources.text(annotation.span);
    let is_structured = source.find('[').is_some_and(|at| !source[..at].contains('('));
    // p4c reads the bodies of these annotations, and spells out the tokens of all others.
    let written = annotation.text.as_deref().filter(|_| !READ_BY_P4C.contains(&&**name));
    match &annotation.body {
        AnnotationBody::Empty if is_structured => Annotation::List(name.to_string(), vec![]),
        AnnotationBody::Empty => Annotation::Text(format!("@{name}")),
        AnnotationBody::Tokens(tokens) => Annotation::Text(format!("@{name}({tokens})")),
        AnnotationBody::Values(values) if is_structured => {
            Annotation::List(name.to_string(), values.iter().map(structured).collect())
        }
        AnnotationBody::Values(values) if values.is_empty() => Annotation::Text(format!("@{name}")),
        AnnotationBody::Pairs(pairs) if is_structured => Annotation::Pairs(
            name.to_string(),
            pairs.iter().map(|(key, value)| (key.to_string(), structured(value))).collect(),
        ),
        AnnotationBody::Values(_) | AnnotationBody::Pairs(_) if written.is_some() => {
            Annotation::Text(format!("@{name}({})", written.unwrap_or_default()))
        }
        AnnotationBody::Values(values) => {
            let parts: Vec<String> = values.iter().map(literal).collect();
            Annotation::Text(format!("@{name}({})", parts.join(", ")))
        }
        AnnotationBody::Pairs(pairs) => {
            let parts: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} = {}", literal(value))).collect();
            Annotation::Text(format!("@{name}({})", parts.join(" , ")))
        }
    }
}

/// A value as source text.
fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        Value::Error(id) => id.0.to_string(),
        Value::MatchKind(id) => id.0.to_string(),
        Value::Enum(position) => position.to_string(),
    }
}

fn structured(value: &Value) -> AnnotationValue {
    match value {
        Value::Bool(value) => AnnotationValue::Bool(*value),
        Value::Int(number) => AnnotationValue::Number(number.to_i64().unwrap_or(i64::MAX)),
        other => AnnotationValue::Text(match other {
            Value::String(text) => text.to_string(),
            other => literal(other),
        }),
    }
}

/// The number of `@id`.
pub fn id_of(annotations: &[typed::Annotation]) -> Option<u32> {
    let id = typed::find_annotation(annotations, "id")?.number()?;
    id.to_u32()
}

/// Numbers for the parts of something: those of `@id`, all others in order from 1, as P4Runtime
/// prescribes.
pub fn part_ids(annotations: &[&[typed::Annotation]]) -> Vec<u32> {
    let given: Vec<Option<u32>> = annotations.iter().map(|list| id_of(list)).collect();
    let mut taken: Vec<u32> = given.iter().flatten().copied().collect();
    let mut next = 1;
    let mut ids = vec![];
    for given in given {
        match given {
            Some(id) => {
                ids.push(id);
                next += 1;
            }
            None => {
                while taken.contains(&next) {
                    next += 1;
                }
                taken.push(next);
                ids.push(next);
            }
        }
    }
    ids
}

/// The contents of `@p4runtime_translation`: the URI, and the number of bits (`None`: a string).
fn translation(annotations: &[typed::Annotation]) -> Option<(String, Option<u32>)> {
    let found = typed::find_annotation(annotations, "p4runtime_translation")?;
    match &found.body {
        AnnotationBody::Values(values) => {
            let [Value::String(uri), second] = values.as_slice() else {
                return None;
            };
            let bits = match second {
                Value::Int(bits) => bits.to_u32(),
                _ => None,
            };
            Some((uri.to_string(), bits))
        }
        AnnotationBody::Tokens(tokens) => {
            let (uri, second) = tokens.rsplit_once(',')?;
            let uri = uri.trim().trim_matches('"').to_owned();
            let digits = second.trim().trim_start_matches("bit").trim();
            let digits = digits.trim_start_matches('<').trim_end_matches('>').trim();
            Some((uri, digits.parse().ok()))
        }
        _ => None,
    }
}

/// Types that the control plane knows.
pub struct TypeSpecs<'a> {
    typed: &'a typed::Program,
    sources: &'a SourceMap,
    /// Named types that have been noted.
    pub types: TypeInfo,
}

impl<'a> TypeSpecs<'a> {
    /// No type yet.
    pub fn new(typed: &'a typed::Program, sources: &'a SourceMap) -> Self {
        Self { typed, sources, types: TypeInfo::default() }
    }

    /// The width and the `type` name by which the control plane knows values of a type.
    pub fn visible_type(&mut self, ty: &Type) -> (u32, Option<String>) {
        self.type_spec(ty);
        match ty {
            Type::New(id) => {
                let declared = &self.typed[*id];
                let name = control_plane_name(&declared.annotations, &declared.name);
                let bits = match translation(&declared.annotations) {
                    Some((_, bits)) => bits.unwrap_or(0),
                    // A translation of the type below does not count.
                    None => self.typed.width(ty).unwrap_or(0) as u32,
                };
                (bits, Some(name))
            }
            _ => match self.typed.representation(ty) {
                Type::Error | Type::Enum(_) => (0, None),
                other => (scalar_type(self.typed, &other).map_or(0, |ty| ty.width()), None),
            },
        }
    }

    /// A type as P4Info writes it; named types are noted.
    pub fn type_spec(&mut self, ty: &Type) -> TypeSpec {
        match ty {
            Type::Bit(bits) => TypeSpec::Bit(*bits),
            Type::Int(bits) => TypeSpec::Int(*bits),
            Type::Varbit(bits) => TypeSpec::Varbit(*bits),
            Type::Tuple(parts) => TypeSpec::Tuple(parts.iter().map(|part| self.type_spec(part)).collect()),
            Type::List(part) => TypeSpec::Tuple(vec![self.type_spec(part)]),
            Type::Error => {
                let errors = self.typed.errors.iter().map(|e| e.name.to_string());
                self.types.errors = Some(errors.collect());
                TypeSpec::Error
            }
            Type::Enum(id) => self.enum_spec(*id),
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => self.struct_spec(*id),
            Type::Stack(element, size) => match self.type_spec(element) {
                TypeSpec::HeaderUnion(name) => TypeSpec::HeaderUnionStack(name, u64::from(*size)),
                TypeSpec::Header(name) => TypeSpec::HeaderStack(name, u64::from(*size)),
                other => other,
            },
            Type::New(id) => self.new_type_spec(*id),
            _ => TypeSpec::Bool,
        }
    }

    fn enum_spec(&mut self, id: typed::EnumId) -> TypeSpec {
        let declared = &self.typed[id];
        let name = control_plane_name(&declared.annotations, &declared.name);
        let types = &mut self.types;
        let members = declared.members.iter();
        let member_name = |m: &typed::EnumMember| control_plane_name(&m.annotations, &m.name);
        match &declared.underlying {
            None => {
                if !types.enums.iter().any(|(known, _)| *known == name) {
                    types.enums.push((name.clone(), members.map(member_name).collect()));
                }
                TypeSpec::Enum(name)
            }
            Some(underlying) => {
                if !types.serializable_enums.iter().any(|(known, _)| *known == name) {
                    let bits = self.typed.width(underlying).unwrap_or(0);
                    let definition = SerializableEnum {
                        bits: bits as u32,
                        members: members.map(|m| (member_name(m), m.value.clone())).collect(),
                    };
                    types.serializable_enums.push((name.clone(), definition));
                }
                TypeSpec::SerializableEnum(name)
            }
        }
    }

    fn struct_spec(&mut self, id: typed::StructId) -> TypeSpec {
        let declared = &self.typed[id];
        let name = control_plane_name(&declared.annotations, &declared.name);
        let types = &self.types;
        let known = match declared.kind {
            typed::StructKind::Struct => types.structs.iter().any(|(n, _)| *n == name),
            typed::StructKind::Header => types.headers.iter().any(|(n, _)| *n == name),
            typed::StructKind::Union => types.header_unions.iter().any(|(n, _)| *n == name),
        };
        let mut members = vec![];
        if !known {
            for field in &declared.fields {
                let field_name = control_plane_name(&field.annotations, &field.name);
                let spec = self.type_spec(&field.ty);
                members.push((field_name, spec));
            }
        }
        let types = &mut self.types;
        match declared.kind {
            typed::StructKind::Struct => {
                if !known {
                    types.structs.push((name.clone(), members));
                }
                TypeSpec::Struct(name)
            }
            typed::StructKind::Header => {
                if !known {
                    types.headers.push((name.clone(), members));
                }
                TypeSpec::Header(name)
            }
            typed::StructKind::Union => {
                if !known {
                    let members = members.into_iter().filter_map(|(n, spec)| match spec {
                        TypeSpec::Header(header) => Some((n, header)),
                        _ => None,
                    });
                    types.header_unions.push((name.clone(), members.collect()));
                }
                TypeSpec::HeaderUnion(name)
            }
        }
    }

    fn new_type_spec(&mut self, id: typed::NewTypeId) -> TypeSpec {
        let declared = &self.typed[id];
        let name = control_plane_name(&declared.annotations, &declared.name);
        let known = &self.types.new_types;
        if !known.iter().any(|(n, ..)| *n == name) {
            let mut underlying = declared.underlying.clone();
            while let Type::New(inner) = underlying {
                underlying = self.typed[inner].underlying.clone();
            }
            let spec = self.type_spec(&underlying);
            let definition = match translation(&declared.annotations) {
                Some((uri, bits)) => NewType::Translated(uri, bits),
                None => NewType::Original(spec),
            };
            let notes = notes(self.sources, &declared.annotations, &["p4runtime_translation"]);
            let types = &mut self.types;
            types.new_types.push((name.clone(), definition, notes));
        }
        TypeSpec::NewType(name)
    }
}
