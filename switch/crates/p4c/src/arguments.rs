//! The command lines of p4c and its driver, in the words that clap reads.

use std::ffi::OsString;

/// Options with one dash and several letters.
const LONG_WITH_ONE_DASH: [&str; 7] = ["-M", "-MD", "-MF", "-MG", "-MP", "-MT", "-MQ"];

/// Options of the driver whose value is more words of the command line of a stage.
const PASSED_ON: [&str; 2] = ["-Xp4c", "-Xpreprocessor"];

/// Options of the driver about stages that there are not, with a value.
const OF_OTHER_STAGES: [&str; 2] = ["-Xassembler", "-Xlinker"];

/// The words as clap is to see them; the first one, the command, stays.
pub fn as_clap_reads_them(command: &clap::Command, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut output = Vec::new();
    let mut words = words.into_iter();
    output.extend(words.next());
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            output.push(word);
            continue;
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let next = |words: &mut dyn Iterator<Item = OsString>| {
            value.clone().or_else(|| words.next().and_then(|word| word.into_string().ok()))
        };
        if PASSED_ON.contains(&name) {
            let more = next(&mut words).unwrap_or_default();
            output.extend(more.split_whitespace().map(OsString::from));
        } else if OF_OTHER_STAGES.contains(&name) {
            next(&mut words);
        } else if LONG_WITH_ONE_DASH.contains(&text) {
            output.push(format!("-{text}").into());
        } else if is_flag(command, name) && value.is_some() {
            // A value that p4c-bm2-ss does not look at either.
            output.push(name.into());
        } else if let Some(attached) = attached_with_sign(text) {
            // clap takes one away.
            output.push(format!("{}={attached}", &text[..2]).into());
        } else {
            output.push(word);
        }
    }
    output
}

/// Is it a long option without value?
fn is_flag(command: &clap::Command, name: &str) -> bool {
    let Some(name) = name.strip_prefix("--") else { return false };
    let mut found = command.get_arguments().filter(|arg| arg.get_long() == Some(name));
    found.any(|arg| !arg.get_action().takes_values())
}

/// `=value` of `-o=value`, where the sign belongs to the value.
fn attached_with_sign(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    let starts = characters.next() == Some('-') && characters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = text.get(2..)?;
    (starts && rest.starts_with('=')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flavor;
    use crate::options::Options;
    use p4_syntax::severities::SeverityOption;

    fn read(flavor: Flavor, line: &str) -> Result<Options, clap::Error> {
        Options::read(flavor, std::iter::once("command").chain(line.split(' ')).map(OsString::from))
    }

    #[track_caller]
    fn output_of(flavor: Flavor, line: &str) -> String {
        let options = read(flavor, line).unwrap_or_else(|error| panic!("{line}: {error}"));
        options.output.map(|path| path.display().to_string()).unwrap_or_default()
    }

    #[test]
    fn values_stand_behind_a_space_or_at_the_option() {
        for line in ["-o x a.p4", "-ox a.p4", "a.p4 -o x", "-o y a.p4 -o x"] {
            assert_eq!(output_of(Flavor::Compiler, line), "x", "{line}");
        }
        assert_eq!(output_of(Flavor::Compiler, "-o=x a.p4"), "=x");
        assert!(read(Flavor::Compiler, "a.p4 -o").is_err());
        assert!(read(Flavor::Compiler, "a.p4 b.p4").is_err());
        assert!(read(Flavor::Compiler, "--no-such-option a.p4").is_err());
    }

    #[test]
    fn lists_of_files_are_replaced() {
        let line = "--p4runtime-files a.txtpb,b.json --p4runtime-files=c.bin, a.p4";
        let options = read(Flavor::Compiler, line).unwrap_or_else(|error| panic!("{error}"));
        let paths: Vec<_> =
            options.p4info_outputs().unwrap_or_default().into_iter().map(|output| output.path).collect();
        assert_eq!(paths, [std::path::Path::new("c.bin")]);
    }

    /// The options about kinds of messages: name (`*` for all) and severity.
    fn kinds(flavor: Flavor, line: &str) -> Vec<String> {
        let options = read(flavor, line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let shown = |item: &SeverityOption| {
            let severity = item.severity.map_or("nothing".to_owned(), |severity| format!("{severity:?}"));
            format!("{} {severity}", item.name.as_deref().unwrap_or("*"))
        };
        options.severities.items().iter().map(shown).collect()
    }

    #[test]
    fn options_about_kinds_keep_their_order() {
        let line = "--Werror=a --Wdisable --Wwarn=b --Wdisable=a --Winfo=c,d --Wdisable= a.p4";
        let expected = ["a Error", "* nothing", "b Warning", "a nothing", "c,d Info", " nothing"];
        assert_eq!(kinds(Flavor::Compiler, line), expected);
        assert_eq!(kinds(Flavor::Compiler, "--Wdisable a.p4"), ["* nothing"]);
    }

    #[test]
    fn the_driver_sorts_options_about_kinds() {
        assert_eq!(kinds(Flavor::Driver, "--Werror=a --Wdisable b,c a.p4"), ["b nothing", "c nothing", "a Error"]);
        assert_eq!(kinds(Flavor::Driver, "a.p4 --Wdisable"), ["* nothing"]);
        assert_eq!(kinds(Flavor::Driver, "--Wwarn=b a.p4 --Wdisable="), ["b Warning", "* nothing"]);
    }

    #[test]
    fn numbers_of_errors_are_read_as_far_as_they_go() {
        let number = |line| read(Flavor::Compiler, line).ok().and_then(|options| options.max_errors());
        assert_eq!(number("a.p4"), None);
        assert_eq!(number("--maxErrorCount 5 a.p4"), Some(5));
        assert_eq!(number("--maxErrorCount=5x a.p4"), Some(5));
        assert_eq!(number("--maxErrorCount=x a.p4"), Some(0));
        assert_eq!(number("--maxErrorCount=99999999999999999999999 a.p4"), Some(usize::MAX));
    }

    #[test]
    fn the_driver_reads_as_argparse_does() {
        assert_eq!(output_of(Flavor::Driver, "--out x a.p4"), "x");
        assert!(read(Flavor::Compiler, "--p4runtime-fil x a.p4").is_err());
        let options = read(Flavor::Driver, "-Xp4c=--emit-externs -Xpreprocessor -DA=2 -Xlinker x a.p4");
        let options = options.unwrap_or_else(|error| panic!("{error}"));
        assert!(options.emit_externs);
        assert_eq!(options.macros[0], ("A".to_owned(), "2".to_owned()));
    }

    #[test]
    fn flags_ignore_values_and_dependencies_have_one_dash() {
        let options = read(Flavor::Compiler, "--emit-externs=no -MD -MF x.d -O2 -Wall a.p4");
        assert!(options.is_ok_and(|options| options.emit_externs));
    }
}
