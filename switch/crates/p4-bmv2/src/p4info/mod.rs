//! P4Info, and the entries of the program's tables, in protobuf text form.
//!
//! [`ids`] gives every object its number and alias the way P4Runtime prescribes, [`text`] is the
//! notation, [`types`] and [`objects`] write the messages.

mod entries;
mod ids;
mod objects;
mod text;
mod types;

use p4_ir::Source;
use p4_ir::control_plane::{Annotation, AnnotationValue, ControlPlane, Notes, PackageInfo};
use p4_syntax::diagnostic::headline;
use p4_syntax::{Kind, Severity};
use text::Text;

/// Why there can be no P4Info; written like the compiler's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the message.
    pub kind: Kind,
    /// The error in words.
    pub message: String,
    /// The place of the error.
    pub at: Source,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = headline(Severity::Error, Some(self.kind), &self.message);
        match &self.at {
            None => f.write_str(&message),
            Some(at) => write!(f, "{}({}): {message}\n{}", at.file, at.line, at.fragment),
        }
    }
}

impl std::error::Error for Error {}

pub use entries::entries_text;
pub use ids::Ids;

/// The whole P4Info message.
///
/// # Errors
/// A description of names or `@id`s that are used twice.
pub fn text(control_plane: &ControlPlane) -> Result<String, Error> {
    let ids = Ids::new(control_plane)?;
    let mut text = Text::default();
    text.raw("# proto-file: p4/config/v1/p4info.proto\n");
    text.raw("# proto-message: p4.config.v1.P4Info\n\n");
    if let Some(info) = &control_plane.package {
        package(&mut text, info);
    }
    objects::all(&mut text, control_plane, &ids);
    types::type_info(&mut text, &control_plane.types);
    Ok(text.finish())
}

fn package(text: &mut Text, package: &PackageInfo) {
    let field = |key: &str| {
        let found = package.fields.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    };
    text.message("pkg_info", |text| {
        for key in ["name", "version"] {
            text.optional_string(key, field(key));
        }
        documentation(text, &package.notes);
        plain_annotations(text, &package.notes);
        text.string("arch", field("arch").unwrap_or("v1model"));
        for key in ["organization", "contact", "url"] {
            text.optional_string(key, field(key));
        }
        structured_annotations(text, &package.notes);
        if !package.platform.is_empty() {
            text.message("platform_properties", |text| {
                for (key, value) in &package.platform {
                    text.number(key, *value);
                }
            });
        }
    });
}

/// `doc`, if there is any.
fn documentation(text: &mut Text, notes: &Notes) {
    if notes.brief.is_none() && notes.description.is_none() {
        return;
    }
    text.message("doc", |text| {
        text.optional_string("brief", notes.brief.as_deref());
        text.optional_string("description", notes.description.as_deref());
    });
}

/// `annotations`.
fn plain_annotations(text: &mut Text, notes: &Notes) {
    for annotation in &notes.annotations {
        if let Annotation::Text(body) = annotation {
            text.string("annotations", body);
        }
    }
}

/// `structured_annotations`.
fn structured_annotations(text: &mut Text, notes: &Notes) {
    for annotation in &notes.annotations {
        match annotation {
            Annotation::Text(_) => {}
            Annotation::List(name, values) => text.message("structured_annotations", |text| {
                text.string("name", name);
                text.message("expression_list", |text| {
                    for value in values {
                        text.message("expressions", |text| annotation_value(text, value));
                    }
                });
            }),
            Annotation::Pairs(name, pairs) => text.message("structured_annotations", |text| {
                text.string("name", name);
                text.message("kv_pair_list", |text| {
                    for (key, value) in pairs {
                        text.message("kv_pairs", |text| {
                            text.string("key", key);
                            text.message("value", |text| annotation_value(text, value));
                        });
                    }
                });
            }),
        }
    }
}

fn annotation_value(text: &mut Text, value: &AnnotationValue) {
    match value {
        AnnotationValue::Text(value) => text.string("string_value", value),
        AnnotationValue::Number(value) => text.number("int64_value", *value),
        AnnotationValue::Bool(value) => text.word("bool_value", if *value { "true" } else { "false" }),
    }
}
