//! Which warnings are shown and which are errors: `--Wdisable`, `--Wwarn`, `--Werror`.

use p4_syntax::{WarningKind, WarningLevel};

/// What the options say, as names of warnings; the empty name means all. A name counts for more than all, and an error
/// for more than silence.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Not shown.
    pub disabled: Vec<String>,
    /// Shown.
    pub shown: Vec<String>,
    /// Errors.
    pub errors: Vec<String>,
}

impl Choice {
    /// What becomes of warnings of that kind.
    pub fn level(&self, kind: WarningKind) -> WarningLevel {
        let lists = [
            (&self.errors, WarningLevel::Error),
            (&self.shown, WarningLevel::Shown),
            (&self.disabled, WarningLevel::Hidden),
        ];
        let with = |fits: &dyn Fn(&str) -> bool| lists.iter().find(|(list, _)| list.iter().any(|item| fits(item)));
        let chosen = with(&|item| kind.is_called(item)).or_else(|| with(&str::is_empty));
        chosen.map_or(WarningLevel::Shown, |(_, level)| *level)
    }

    /// The first name that no warning has and that would have to make errors.
    pub fn unknown_error(&self) -> Option<&str> {
        let known =
            |name: &str| WarningKind::NAMED.iter().any(|kind| kind.is_called(name)) || ALWAYS_ERRORS.contains(&name);
        self.errors.iter().map(String::as_str).find(|name| !name.is_empty() && !known(name))
    }

    /// The first name of errors that would have to become less.
    pub fn not_demoted(&self) -> Option<&str> {
        let mut names = self.disabled.iter().chain(&self.shown).map(String::as_str);
        names.find(|name| ALWAYS_ERRORS.contains(name))
    }
}

/// p4c's names of what is never a warning.
const ALWAYS_ERRORS: [&str; 10] = [
    "unexpected",
    "expected",
    "not-found",
    "overlimit",
    "insufficient",
    "type-error",
    "target-error",
    "I/O error",
    "Target model error",
    "reserved",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(disabled: &[&str], shown: &[&str], errors: &[&str]) -> Choice {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Choice { disabled: list(disabled), shown: list(shown), errors: list(errors) }
    }

    #[test]
    fn names_count_for_more_than_all() {
        let levels = |choice: Choice| {
            [WarningKind::Unused, WarningKind::UninitializedUse, WarningKind::Other].map(|kind| choice.level(kind))
        };
        use WarningLevel::{Error, Hidden, Shown};
        assert_eq!(levels(Choice::default()), [Shown, Shown, Shown]);
        assert_eq!(levels(choice(&[""], &[], &[])), [Hidden, Hidden, Hidden]);
        assert_eq!(levels(choice(&["unused"], &[], &[])), [Hidden, Shown, Shown]);
        assert_eq!(levels(choice(&[""], &["uninitialized_use"], &[])), [Hidden, Shown, Hidden]);
        assert_eq!(levels(choice(&["unused"], &[], &[""])), [Hidden, Error, Error]);
        assert_eq!(levels(choice(&[], &[], &["uninitialized_use"])), [Shown, Error, Shown]);
    }

    #[test]
    fn names_of_other_warnings_cannot_be_errors() {
        assert_eq!(choice(&[], &[], &["", "unused"]).unknown_error(), None);
        assert_eq!(choice(&["shadow"], &[], &["unused", "deprecated"]).unknown_error(), Some("deprecated"));
        assert_eq!(choice(&["type-error"], &[], &["type-error"]).not_demoted(), Some("type-error"));
        assert_eq!(choice(&["invalid"], &[], &["type-error"]).not_demoted(), None);
    }
}
