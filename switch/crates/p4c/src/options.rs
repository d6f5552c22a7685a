//! Command-line options.

use crate::p4runtime::{Format, Output};
use crate::warnings::Choice;
use clap::{ArgAction, Parser};
use std::path::PathBuf;

/// Compiles P4_16 programs for the v1model architecture to BMv2 JSON and P4Info.
#[derive(Clone, Debug, Parser)]
#[command(version, disable_version_flag = true, args_override_self = true)]
pub struct Options {
    /// The program.
    #[arg(value_name = "FILE.p4")]
    pub file: PathBuf,

    /// Language: p4-16 (also p4_16, 16) is the only one.
    #[arg(
        long = "std",
        visible_alias = "p4v",
        alias = "x",
        short = 'x',
        value_name = "LANGUAGE",
        default_value = "p4-16"
    )]
    pub language: String,

    /// Architecture: v1model is the only one.
    #[arg(long, short = 'a', default_value = "v1model")]
    pub arch: String,

    /// Target: bmv2 is the only one.
    #[arg(long, short = 'b', default_value = "bmv2")]
    pub target: String,

    /// Where to write the result (p4c: a directory, p4c-bm2-ss: a file).
    #[arg(short = 'o', value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Where to write P4Info; several paths are separated by commas. The names say the formats:
    /// .txtpb, .txt, .prototext (text), .json, .bin (binary).
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', action = ArgAction::Append)]
    pub p4runtime_files: Vec<PathBuf>,

    /// The same, for one file in the format of `--p4runtime-format`.
    #[arg(long, value_name = "FILE")]
    pub p4runtime_file: Option<PathBuf>,

    /// Where to write the entries that the program gives its tables, as one P4Runtime WriteRequest; names as above.
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', action = ArgAction::Append)]
    pub p4runtime_entries_files: Vec<PathBuf>,

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

    /// Only check the program: nothing is written, and it may be for no architecture and have no `main`.
    #[arg(long = "check")]
    pub check_only: bool,

    /// Leave out warnings: all, or `unused` or `uninitialized_use`.
    #[arg(long = "Wdisable", value_name = "WARNING", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "")]
    wdisable: Vec<String>,

    /// Show warnings that `--Wdisable` or `--Werror` without a name would not.
    #[arg(long = "Wwarn", value_name = "WARNING", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "")]
    wwarn: Vec<String>,

    /// Make errors of warnings: all, or `unused` or `uninitialized_use`.
    #[arg(long = "Werror", value_name = "WARNING", num_args = 0..=1)]
    #[arg(require_equals = true, default_missing_value = "")]
    werror: Vec<String>,

    /// Print the version.
    #[arg(long, short = 'V', action = ArgAction::Version)]
    pub version: (),

    // What the real compilers also take and what means nothing here.
    #[arg(short = 'E', hide = true)]
    preprocess: bool,
    #[arg(short = 'v', hide = true, action = ArgAction::Count)]
    verbose: u8,
    #[arg(short = 'g', hide = true)]
    debug_info: bool,
    #[arg(short = 'T', hide = true, value_name = "LEVELS")]
    log_levels: Vec<String>,
    #[arg(long = "ndebug", hide = true)]
    ndebug: bool,
    #[arg(long = "toJSON", hide = true, value_name = "FILE")]
    to_json: Option<PathBuf>,
    #[arg(long = "pp", hide = true, value_name = "FILE")]
    pretty_print: Option<PathBuf>,
    #[arg(long = "dump", hide = true, value_name = "DIRECTORY")]
    dump: Option<PathBuf>,
    #[arg(long = "top4", hide = true, value_name = "PASSES")]
    top4: Vec<String>,
    #[arg(long = "testJson", hide = true)]
    test_json: bool,
    #[arg(long = "maxErrorCount", hide = true, value_name = "NUMBER")]
    max_errors: Option<u32>,
    #[arg(long = "loopsUnroll", hide = true)]
    loops_unroll: bool,
    #[arg(long = "parser-inline-opt", hide = true)]
    parser_inline_opt: bool,
}

impl Options {
    /// Macros: name and value (`1` if none is given).
    pub fn defines(&self) -> Vec<(String, String)> {
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (text.clone(), "1".to_owned()),
        };
        let defines = self.define.iter().map(pair);
        defines.filter(|(name, _)| !self.undefine.contains(name)).collect()
    }

    /// All places for P4Info.
    ///
    /// # Errors
    /// A message for the user about a file name that does not say a format.
    pub fn p4info_outputs(&self) -> Result<Vec<Output>, String> {
        self.outputs(&self.p4runtime_files, self.p4runtime_file.as_ref())
    }

    /// All places for the entries of the program's tables.
    ///
    /// # Errors
    /// A message for the user about a file name that does not say a format.
    pub fn entries_outputs(&self) -> Result<Vec<Output>, String> {
        self.outputs(&self.p4runtime_entries_files, self.p4runtime_entries_file.as_ref())
    }

    fn outputs(&self, named: &[PathBuf], other: Option<&PathBuf>) -> Result<Vec<Output>, String> {
        let other = other.map(|path| Ok(Output { path: path.clone(), format: self.p4runtime_format }));
        // A comma may stand after the last name too.
        let named = named.iter().filter(|path| !path.as_os_str().is_empty());
        other.into_iter().chain(named.map(|path| Output::named(path))).collect()
    }

    /// What becomes of warnings.
    pub fn choice(&self) -> Choice {
        Choice { disabled: self.wdisable.clone(), shown: self.wwarn.clone(), errors: self.werror.clone() }
    }

    /// What is ignored.
    pub fn warnings(&self) -> Vec<String> {
        let ignored = [
            (self.preprocess, "-E"),
            (self.ndebug, "--ndebug"),
            (self.to_json.is_some(), "--toJSON"),
            (self.pretty_print.is_some(), "--pp"),
            (self.dump.is_some(), "--dump"),
            (!self.top4.is_empty(), "--top4"),
            (!self.log_levels.is_empty(), "-T"),
        ];
        let ignored = ignored.iter().filter(|(given, _)| *given).map(|(_, name)| (*name).to_owned());
        let unknown = self.choice().unknown_error().map(|name| format!("--Werror={name}"));
        ignored.chain(unknown).map(|option| format!("the option {option} is ignored")).collect()
    }

    /// Refuses what this compiler is not.
    ///
    /// # Errors
    /// A message for the user.
    pub fn check(&self) -> Result<(), String> {
        if !matches!(self.language.as_str(), "p4-16" | "p4_16" | "16" | "P4-16" | "P4_16") {
            return Err(format!("the language '{}' is not supported; use --std p4-16", self.language));
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
