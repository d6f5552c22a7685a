//! Annotations that silence warnings.

use crate::typed::{ActionId, Annotation, AnnotationBody, Local, Program, Value, find_annotation};
use p4_syntax::Kind;
use std::collections::HashSet;

/// Does `@noWarn` name this kind of warnings?
pub(super) fn is_silenced(annotations: &[Annotation], kind: Kind) -> bool {
    let names_it = |value: &Value| matches!(value, Value::String(name) if kind.is_called(name));
    annotations.iter().filter(|item| &*item.name == "noWarn").any(|item| match &item.body {
        AnnotationBody::Values(values) => values.iter().any(names_it),
        _ => false,
    })
}

/// May a declaration with these annotations be unused?
pub(super) fn may_be_unused(annotations: &[Annotation]) -> bool {
    is_silenced(annotations, Kind::Unused) || find_annotation(annotations, "hidden").is_some()
}

/// The actions that are silenced themselves or by their control.
pub(super) fn silenced_actions(program: &Program, kind: Kind) -> HashSet<ActionId> {
    let controls = program.controls.iter().filter(|control| is_silenced(&control.annotations, kind));
    let inside = controls.flat_map(|control| &control.locals).filter_map(|local| match local {
        Local::Action(id) => Some(*id),
        _ => None,
    });
    let all = program.actions.iter().enumerate();
    let themselves = all.filter(|(_, action)| is_silenced(&action.annotations, kind));
    inside.chain(themselves.map(|(position, _)| ActionId::from_index(position))).collect()
}
