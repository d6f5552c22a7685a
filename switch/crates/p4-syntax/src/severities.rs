//! The severities that options give to warnings: `--Wdisable`, `--Winfo`, `--Wwarn`, `--Werror`.

use crate::{Kind, Severity};

/// The options about severities, as p4c understands them. Of two options about the same kind, the later one holds. An
/// option with a name counts for more than one about all kinds. Names that no message has are nothing to complain of.
/// Errors stay errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Severities {
    items: Vec<SeverityOption>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeverityOption {
    /// The name of a kind; without one, all.
    pub name: Option<String>,
    /// The severity of its messages; `None` is silence.
    pub severity: Option<Severity>,
}

impl Severities {
    /// These options, in this order.
    pub fn new(items: Vec<SeverityOption>) -> Self {
        Self { items }
    }

    /// All of them.
    pub fn items(&self) -> &[SeverityOption] {
        &self.items
    }

    /// The severity of warnings of that kind; `None` is silence.
    ///
    /// `--Wwarn` without a name is about messages below a warning, which this compiler does not have. `--Winfo` without
    /// a name says nothing in p4c.
    pub fn severity(&self, kind: Option<Kind>) -> Option<Severity> {
        let names_it =
            |item: &&SeverityOption| item.name.as_deref().zip(kind).is_some_and(|(name, kind)| kind.is_called(name));
        let is_about_all =
            |item: &&SeverityOption| item.name.is_none() && matches!(item.severity, None | Some(Severity::Error));
        let last = self.items.iter().rev().find(names_it).or_else(|| self.items.iter().rev().find(is_about_all));
        last.map_or(Some(Severity::Warning), |item| item.severity)
    }

    /// The first name of errors that would have to become less.
    pub fn demoted_error(&self) -> Option<&str> {
        let less = self.items.iter().filter(|item| item.severity != Some(Severity::Error));
        let is_error = |name: &&str| Kind::ALL.iter().any(|kind| kind.is_always_error() && kind.name() == *name);
        less.filter_map(|item| item.name.as_deref()).find(is_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Error, Info, Warning};

    fn severities(items: &[(&str, Option<Severity>)]) -> Severities {
        let item = |(name, severity): &(&str, _)| {
            let name = (!name.is_empty()).then(|| (*name).to_owned());
            SeverityOption { name, severity: *severity }
        };
        Severities::new(items.iter().map(item).collect())
    }

    #[track_caller]
    fn becomes(items: &[(&str, Option<Severity>)], expected: [Option<Severity>; 3]) {
        let kinds = [Some(Kind::Unused), Some(Kind::UninitializedUse), None];
        assert_eq!(kinds.map(|kind| severities(items).severity(kind)), expected, "{items:?}");
    }

    #[test]
    fn names_count_for_more_than_all_and_later_for_more_than_earlier() {
        let shown = Some(Warning);
        becomes(&[], [shown, shown, shown]);
        becomes(&[("", None)], [None, None, None]);
        becomes(&[("unused", None)], [None, shown, shown]);
        becomes(&[("uninitialized_use", shown), ("", None)], [None, shown, None]);
        becomes(&[("unused", None), ("", Some(Error))], [None, Some(Error), Some(Error)]);
        becomes(&[("", Some(Error)), ("", None)], [None, None, None]);
        becomes(&[("unused", Some(Error)), ("unused", None)], [None, shown, shown]);
        becomes(&[("unused", None), ("unused", Some(Info))], [Some(Info), shown, shown]);
        becomes(&[("no-such-kind", Some(Error))], [shown, shown, shown]);
    }

    #[test]
    fn some_options_say_nothing_without_a_name() {
        becomes(&[("", None), ("", Some(Warning)), ("", Some(Info))], [None, None, None]);
        becomes(&[("", Some(Error)), ("", Some(Info))], [Some(Error); 3]);
    }

    #[test]
    fn errors_stay_errors() {
        assert_eq!(
            severities(&[("type-error", Some(Error)), ("type-error", None)]).demoted_error(),
            Some("type-error")
        );
        assert_eq!(severities(&[("I/O error", Some(Info))]).demoted_error(), Some("I/O error"));
        assert_eq!(severities(&[("invalid", None), ("", None), ("no-such-kind", None)]).demoted_error(), None);
    }
}
