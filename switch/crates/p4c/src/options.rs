//! Command-line options.

use crate::Flavor;
use crate::arguments;
use crate::p4runtime::{Format, Output};
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use p4_syntax::Severity;
use p4_syntax::severities::{Severities, SeverityOption};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// p4c's compilers search this directory after those of `-I` and their own.
const INCLUDE_PATH: &str = "P4C_16_INCLUDE_PATH";

/// p4c's back ends for BMv2 define this macro, after those of the command line.
const TARGET_MACRO: (&str, &str) = ("__TARGET_BMV2__", "1");

/// Stands for the value of an option about kinds of messages that has none.
const ALL_KINDS: &str = "*";

/// Compiles P4_16 programs for the v1model architecture to BMv2 JSON and P4Info.
#[derive(Clone, Debug, Parser)]
#[command(disable_version_flag = true, args_override_self = true)]
pub struct Options {
    /// The program.
    #[arg(value_name = "FILE.p4", required_unless_present = "version")]
    file: Option<PathBuf>,

    /// Language: p4-16 (also p4_16, 16) is the only one.
    #[arg(long = "std", visible_alias = "p4v", short = 'x', value_name = "LANGUAGE", default_value = "p4-16")]
    pub language: String,

    /// Architecture: v1model is the only one.
    #[arg(long, short = 'a', default_value = "v1model")]
    pub arch: String,

    /// Target: bmv2 is the only one.
    #[arg(long, short = 'b', default_value = "bmv2")]
    pub target: String,

    /// Where to write the result (p4c: a directory, p4c-bm2-ss: a file).
    #[arg(short = 'o', long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Where to write P4Info; several paths are separated by commas. The names say the formats:
    /// .txtpb, .txt, .prototext (text), .json, .bin (binary).
    #[arg(long, value_name = "FILE,...")]
    p4runtime_files: Option<String>,

    /// The same, for one file in the format of `--p4runtime-format`.
    #[arg(long, value_name = "FILE")]
    pub p4runtime_file: Option<PathBuf>,

    /// Where to write the entries that the program gives its tables, as one P4Runtime WriteRequest; names as above.
    #[arg(long, value_name = "FILE,...")]
    p4runtime_entries_files: Option<String>,

    /// The same, for one file in the format of `--p4runtime-format`.
    #[arg(long, value_name = "FILE")]
    pub p4runtime_entries_file: Option<PathBuf>,

    /// Format of `--p4runtime-file` and `--p4runtime-entries-file`.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "binary")]
    pub p4runtime_format: Format,

    /// Directory to look for included files in.
    #[arg(short = 'I', value_name = "DIRECTORY", action = ArgAction::Append)]
    pub include: Vec<PathBuf>,

    /// Define a preprocessor macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", action = ArgAction::Append)]
    pub define: Vec<String>,

    /// Undefine a preprocessor macro.
    #[arg(short = 'U', value_name = "NAME", action = ArgAction::Append)]
    pub undefine: Vec<String>,

    /// Pass externs that v1model does not have on to the target.
    #[arg(long)]
    pub emit_externs: bool,

    /// Print what the program would cost on a switch, an estimate: tables, registers, parser, dependent tables.
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "text", conflicts_with = "check_only")]
    pub resources: Option<ResourcesFormat>,

    /// Only check the program: nothing is written, and it may be for no architecture and have no `main`.
    #[arg(long = "check")]
    pub check_only: bool,

    /// Leave out warnings: all, or those of one kind (`unused`, `uninitialized-use`, `overflow`, …; each begins with its
    /// kind). Of several of these options about a kind, the last one holds.
    #[arg(long = "Wdisable", value_name = "KIND", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = ALL_KINDS)]
    wdisable: Vec<String>,

    /// Make warnings of one kind mere information.
    #[arg(long = "Winfo", value_name = "KIND", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = ALL_KINDS)]
    winfo: Vec<String>,

    /// Show warnings of one kind, whatever is said of all.
    #[arg(long = "Wwarn", value_name = "KIND", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = ALL_KINDS)]
    wwarn: Vec<String>,

    /// Make errors of warnings: all, or those of one kind.
    #[arg(long = "Werror", value_name = "KIND", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = ALL_KINDS)]
    werror: Vec<String>,

    /// The severities that these four set together.
    #[arg(skip)]
    pub severities: Severities,

    /// So many errors may be, 20 unless given; one more ends the compilation.
    #[arg(long = "maxErrorCount", value_name = "NUMBER")]
    max_errors: Option<String>,

    /// Print the version.
    #[arg(long, short = 'V')]
    pub version: bool,

    /// Macros in the order of `-D` and `-U`, and this target's own.
    #[arg(skip)]
    pub macros: Vec<(String, String)>,

    /// Only preprocess: the text goes to standard output.
    #[arg(short = 'E')]
    pub preprocess: bool,

    // Options of the real compilers that have no meaning here.
    #[arg(short = 'v', long = "debug", hide = true, action = ArgAction::Count)]
    verbose: u8,
    #[arg(short = 'g', hide = true)]
    debug_info: bool,
    #[arg(short = 'c', long = "compile", hide = true)]
    compile: bool,
    #[arg(short = 'S', hide = true)]
    until_assembler: bool,
    #[arg(short = 'e', hide = true)]
    skip_preprocessor: bool,
    #[arg(long = "nocpp", hide = true)]
    nocpp: bool,
    #[arg(short = 'O', hide = true, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "")]
    optimization: Option<String>,
    #[arg(short = 'W', hide = true, value_name = "FLAG")]
    preprocessor_warnings: Vec<String>,
    #[arg(short = 'T', hide = true, value_name = "LEVELS")]
    log_levels: Vec<String>,
    #[arg(long = "ndebug", hide = true)]
    ndebug: bool,
    #[arg(long = "toJSON", alias = "toJson", hide = true, value_name = "FILE")]
    to_json: Option<PathBuf>,
    #[arg(long = "fromJSON", alias = "fromJson", hide = true, value_name = "FILE")]
    from_json: Option<PathBuf>,
    #[arg(long = "pp", hide = true, value_name = "FILE")]
    pretty_print: Option<PathBuf>,
    #[arg(long = "dump", hide = true, value_name = "DIRECTORY")]
    dump: Option<PathBuf>,
    #[arg(long = "top4", hide = true, value_name = "PASSES")]
    top4: Vec<String>,
    #[arg(long = "testJson", hide = true)]
    test_json: bool,
    #[arg(long = "loopsUnroll", hide = true)]
    loops_unroll: bool,
    #[arg(long = "parser-inline-opt", hide = true)]
    parser_inline_opt: bool,
    #[arg(long = "excludeFrontendPasses", hide = true, value_name = "PASSES")]
    exclude_frontend: Option<String>,
    #[arg(long = "excludeMidendPasses", hide = true, value_name = "PASSES")]
    exclude_midend: Option<String>,
    #[arg(long = "listFrontendPasses", hide = true)]
    list_passes: bool,
    #[arg(long = "metrics", hide = true, value_name = "METRICS")]
    metrics: Option<String>,
    #[arg(long = "doNotEmitIncludes", hide = true)]
    no_includes: bool,
    #[arg(long = "disable-annotations", hide = true, value_name = "NAMES", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "")]
    disable_annotations: Option<String>,
    #[arg(long = "M", hide = true)]
    dependencies: bool,
    #[arg(long = "MD", hide = true)]
    dependencies_beside: bool,
    #[arg(long = "MG", hide = true)]
    missing_headers: bool,
    #[arg(long = "MP", hide = true)]
    phony_targets: bool,
    #[arg(long = "MF", hide = true, value_name = "FILE")]
    dependency_file: Option<PathBuf>,
    #[arg(long = "MT", hide = true, value_name = "TARGET")]
    dependency_target: Vec<String>,
    #[arg(long = "MQ", hide = true, value_name = "TARGET")]
    quoted_target: Vec<String>,
}

/// The form of the output of `--resources`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResourcesFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// The options about kinds of messages, in the order in which they stand.
fn options_of_kinds(matches: &ArgMatches) -> Vec<SeverityOption> {
    let options = [
        ("wdisable", None),
        ("winfo", Some(Severity::Info)),
        ("wwarn", Some(Severity::Warning)),
        ("werror", Some(Severity::Error)),
    ];
    let mut found = Vec::new();
    for (id, severity) in options {
        let values = matches.get_many::<String>(id).into_iter().flatten();
        let places = matches.indices_of(id).into_iter().flatten();
        for (value, place) in values.zip(places) {
            let name = (value != ALL_KINDS).then(|| value.clone());
            found.push((place, SeverityOption { name, severity }));
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, item)| item).collect()
}

/// The macros that stand after `-D` and `-U` in this order: name, with its parameters if it has any, and value.
fn macros(matches: &ArgMatches) -> Vec<(String, String)> {
    let mut given: Vec<(usize, &str, Option<&str>)> = Vec::new();
    for (id, is_defined) in [("define", true), ("undefine", false)] {
        let values = matches.get_many::<String>(id).into_iter().flatten();
        for (text, place) in values.zip(matches.indices_of(id).into_iter().flatten()) {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            given.push((place, name, is_defined.then_some(value)));
        }
    }
    given.sort_by_key(|(place, ..)| *place);
    given.push((usize::MAX, TARGET_MACRO.0, Some(TARGET_MACRO.1)));
    let mut macros: Vec<(String, String)> = Vec::new();
    for (_, name, value) in given {
        let word = |name: &str| name.split('(').next().unwrap_or(name).to_owned();
        macros.retain(|(known, _)| word(known) != word(name));
        macros.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }
    macros
}

/// The declaration of a command's options.
///
/// `p4c` is a Python program, and its options are read as argparse reads them. A beginning of a name is enough, and the
/// name of a warning may be a word of its own. `p4c-bm2-ss` wants whole names, and such a name after `=`.
pub fn command(flavor: Flavor) -> clap::Command {
    let command = Options::command().name(flavor.name());
    match flavor {
        Flavor::Compiler => command,
        Flavor::Driver => {
            ["wdisable", "winfo", "wwarn", "werror"].into_iter().fold(command.infer_long_args(true), |command, name| {
                command.mut_arg(name, |arg| arg.require_equals(false))
            })
        }
    }
}

impl Options {
    /// Reads the words of a command line, its first being the command.
    ///
    /// # Errors
    /// A message for the user, or the help that was asked for.
    pub fn read(flavor: Flavor, words: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = command(flavor);
        let words = arguments::as_clap_reads_them(&command, words);
        let matches = command.try_get_matches_from_mut(words)?;
        let mut options = Self::from_arg_matches(&matches)?;
        options.macros = macros(&matches);
        options.severities = Severities::new(match flavor {
            Flavor::Compiler => options_of_kinds(&matches),
            Flavor::Driver => options.as_the_driver_passes_them_on(),
        });
        Ok(options)
    }

    /// p4c's driver splits names at commas, sorts by option, and takes one without a name for all only if it is alone.
    fn as_the_driver_passes_them_on(&self) -> Vec<SeverityOption> {
        let lists = [&self.winfo, &self.wwarn, &self.wdisable, &self.werror];
        let severities = [Some(Severity::Info), Some(Severity::Warning), None, Some(Severity::Error)];
        let mut items = Vec::new();
        for (list, severity) in lists.into_iter().zip(severities) {
            match list.as_slice() {
                [all] if all.is_empty() || all == ALL_KINDS => items.push(SeverityOption { name: None, severity }),
                names => {
                    let names = names.iter().flat_map(|names| names.split(','));
                    items.extend(names.map(|name| SeverityOption { name: Some(name.to_owned()), severity }));
                }
            }
        }
        items
    }

    /// The program.
    pub fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }

    /// The options of the preprocessor.
    pub fn syntax(&self) -> p4_syntax::Options {
        let later = std::env::var_os(INCLUDE_PATH).filter(|path| !path.is_empty());
        p4_syntax::Options {
            include_dirs: self.include.clone(),
            later_include_dirs: later.map(PathBuf::from).into_iter().collect(),
            defines: self.macros.clone(),
            ..p4_syntax::Options::default()
        }
    }

    /// All places for P4Info.
    ///
    /// # Errors
    /// A message for the user about a file name that does not say a format.
    pub fn p4info_outputs(&self) -> Result<Vec<Output>, String> {
        self.outputs(self.p4runtime_files.as_deref(), self.p4runtime_file.as_ref())
    }

    /// All places for the entries of the program's tables.
    ///
    /// # Errors
    /// A message for the user about a file name that does not say a format.
    pub fn entries_outputs(&self) -> Result<Vec<Output>, String> {
        self.outputs(self.p4runtime_entries_files.as_deref(), self.p4runtime_entries_file.as_ref())
    }

    fn outputs(&self, named: Option<&str>, other: Option<&PathBuf>) -> Result<Vec<Output>, String> {
        let other = other.map(|path| Ok(Output { path: path.clone(), format: self.p4runtime_format }));
        // A comma may stand after the last name too.
        let named = named.into_iter().flat_map(|names| names.split(',')).filter(|name| !name.is_empty());
        other.into_iter().chain(named.map(|name| Output::named(Path::new(name)))).collect()
    }

    /// The value of `--maxErrorCount`, read as p4c reads it: the digits it begins with, so 0 if there are none.
    pub fn max_errors(&self) -> Option<usize> {
        let text = self.max_errors.as_deref()?;
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        Some(if digits.is_empty() { 0 } else { digits.parse().unwrap_or(usize::MAX) })
    }

    /// The options that are ignored.
    pub fn warnings(&self) -> Vec<String> {
        let dependencies = self.dependencies
            || self.dependencies_beside
            || self.missing_headers
            || self.phony_targets
            || self.dependency_file.is_some()
            || !self.dependency_target.is_empty()
            || !self.quoted_target.is_empty();
        let ignored = [
            (dependencies, "-M and its like"),
            (self.ndebug, "--ndebug"),
            (self.to_json.is_some(), "--toJSON"),
            (self.pretty_print.is_some(), "--pp"),
            (self.dump.is_some(), "--dump"),
            (!self.top4.is_empty(), "--top4"),
            (!self.log_levels.is_empty(), "-T"),
            (self.metrics.is_some(), "--metrics"),
            (self.disable_annotations.is_some(), "--disable-annotations"),
            (self.exclude_frontend.is_some(), "--excludeFrontendPasses"),
            (self.exclude_midend.is_some(), "--excludeMidendPasses"),
            (self.list_passes, "--listFrontendPasses"),
        ];
        let ignored = ignored.iter().filter(|(given, _)| *given);
        ignored.map(|(_, option)| format!("the option {option} is ignored")).collect()
    }

    /// Refuses what this compiler is not.
    ///
    /// # Errors
    /// A message for the user.
    pub fn check(&self) -> Result<(), String> {
        if !matches!(self.language.as_str(), "p4-16" | "p4_16" | "16" | "1.2" | "P4-16" | "P4_16" | "P4₁₆") {
            return Err(format!("the language '{}' is not supported; use --std p4-16", self.language));
        }
        if let Some(file) = &self.from_json {
            return Err(format!("--fromJSON: {} is p4c's own intermediate form, which only p4c reads", file.display()));
        }
        if let Some(name) = self.severities.demoted_error() {
            return Err(format!("'{name}' is always an error and cannot be made less"));
        }
        if self.arch != "v1model" {
            return Err(format!("the architecture '{}' is not supported; use --arch v1model", self.arch));
        }
        let target = self.target.split('-').next().unwrap_or_default();
        if target != "bmv2" {
            return Err(format!("the target '{}' is not supported; use --target bmv2", self.target));
        }
        self.p4info_outputs()?;
        self.entries_outputs()?;
        Ok(())
    }
}
