//! Options in the program itself: `@diagnostic("kind", "disable")` and `@command_line("--Wdisable=kind")`.
//!
//! As in p4c, only their order matters, not the declarations that they are attached to. They count as options behind
//! those of the command line.

use crate::ast::{Annotation, AnnotationBody, Expr, ExprKind};
use crate::severities::{Severities, SeverityOption};
use crate::{Diagnostics, Kind, Severity};

/// The options of a command line and those of a program's annotations together.
pub fn together(options: &Severities, annotations: &[Annotation], diagnostics: &mut Diagnostics) -> Severities {
    let mut items = options.items().to_vec();
    for annotation in annotations {
        let found = match &*annotation.name.name {
            "diagnostic" => diagnostic(annotation, diagnostics).into_iter().collect(),
            _ => command_line(annotation, diagnostics),
        };
        if let Some(name) = Severities::new(found.clone()).demoted_error() {
            let message = format!("'{name}' is always an error and cannot be made less");
            diagnostics.error_of(Kind::Invalid, annotation.span, message);
        } else {
            items.extend(found);
        }
    }
    Severities::new(items)
}

/// The expressions in an annotation's brackets, if it has a list of them.
fn expressions(annotation: &Annotation) -> &[Expr] {
    match &annotation.body {
        AnnotationBody::Tokens { expressions: Some(list), .. } | AnnotationBody::Expressions(list) => list,
        _ => &[],
    }
}

fn text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::String(text) => Some(text),
        _ => None,
    }
}

/// `@diagnostic("kind", "disable")`
fn diagnostic(annotation: &Annotation, diagnostics: &mut Diagnostics) -> Option<SeverityOption> {
    let [kind, action] = expressions(annotation) else {
        let message = "'@diagnostic' takes a kind of messages and \"disable\", \"warn\" or \"error\"";
        diagnostics.warning_of(Kind::Missing, annotation.span, message);
        return None;
    };
    let (Some(kind), Some(action)) = (text(kind), text(action)) else {
        diagnostics.warning_of(Kind::Missing, annotation.span, "'@diagnostic' takes two strings");
        return None;
    };
    let severity = match action {
        "disable" => None,
        "warn" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        _ => {
            let message = format!("'@diagnostic' knows \"disable\", \"warn\" and \"error\", not \"{action}\"");
            diagnostics.warning_of(Kind::Mismatch, annotation.span, message);
            return None;
        }
    };
    Some(SeverityOption { name: Some(kind.to_owned()), severity })
}

/// `@command_line("--Wdisable=kind", …)`: the options about kinds of messages.
fn command_line(annotation: &Annotation, diagnostics: &mut Diagnostics) -> Vec<SeverityOption> {
    let mut items = vec![];
    for expr in expressions(annotation) {
        let Some(word) = text(expr) else {
            diagnostics.warning(expr.span, "'@command_line' takes strings");
            continue;
        };
        let (option, name) = word.split_once('=').map_or((word, None), |(option, name)| (option, Some(name)));
        let severity = match option {
            "--Wdisable" => None,
            "--Winfo" => Some(Severity::Info),
            "--Wwarn" => Some(Severity::Warning),
            "--Werror" => Some(Severity::Error),
            _ => {
                let message = format!("the option '{word}' is ignored in '@command_line'");
                diagnostics.warning_of(Kind::Ignore, expr.span, message);
                continue;
            }
        };
        items.push(SeverityOption { name: name.map(str::to_owned), severity });
    }
    items
}
