//! The compiler's command lines: `p4c` and `p4c-bm2-ss`.
//!
//! Both take the options that scripts in the field use ([`options`]). Other options of the real ones that have no
//! meaning here are ignored with a warning. Messages go to standard error; the exit code is 0 if the program was
//! compiled, else 1.

mod arguments;
pub mod compile;
mod json_text;
mod options;
mod p4runtime;

use compile::Verdict;
pub use options::command;
use options::{Options, ResourcesFormat};
use p4_syntax::diagnostic::headline;
use p4_syntax::{Kind, Severity};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Stack of the thread that the compiler runs in: deeply nested programs need a deep one.
pub const STACK_BYTES: usize = 512 << 20;

/// Which of the two commands is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// `p4c`: `-o` is a directory.
    Driver,
    /// `p4c-bm2-ss`: `-o` is a file.
    Compiler,
}

impl Flavor {
    /// The command's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Driver => "p4c",
            Self::Compiler => "p4c-bm2-ss",
        }
    }

    /// Prints the version where and as the command of this name does: a number first, of the p4c that this one is like,
    /// then whose it is.
    fn print_version(self) {
        let version = concat!("1.2.5 (Nodectl P4 toolchain ", env!("CARGO_PKG_VERSION"), ", in place of p4lang's p4c)");
        match self {
            Self::Driver => println!("p4c {version}"),
            Self::Compiler => eprintln!("p4c-bm2-ss\nVersion {version}"),
        }
    }

    /// Exit status after a wrong command line.
    fn usage_error(self) -> ExitCode {
        match self {
            Self::Driver => ExitCode::from(2),
            Self::Compiler => ExitCode::FAILURE,
        }
    }
}

/// Runs the command.
pub fn main(flavor: Flavor) -> ExitCode {
    let options = match Options::read(flavor, std::env::args_os()) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { flavor.usage_error() } else { ExitCode::SUCCESS };
        }
    };
    if options.version {
        flavor.print_version();
        return ExitCode::SUCCESS;
    }
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let result = worker.spawn(move || guarded(&options, flavor));
    match result.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The last resort: an internal error becomes a message.
fn guarded(options: &Options, flavor: Flavor) -> bool {
    std::panic::set_hook(Box::new(|info| {
        eprintln!("internal compiler error, please report it together with the program: {info}");
    }));
    catch_unwind(AssertUnwindSafe(|| run(options, flavor))).unwrap_or(false)
}

fn run(options: &Options, flavor: Flavor) -> bool {
    for warning in options.warnings() {
        eprintln!("warning: {warning}");
    }
    if let Err(message) = options.check() {
        eprintln!("{}", headline(Severity::Error, Some(Kind::Invalid), &message));
        return false;
    }
    if options.preprocess {
        return print_preprocessed(options);
    }
    let settings = compile::Settings {
        syntax: options.syntax(),
        emit_externs: options.emit_externs,
        check_only: options.check_only,
        warnings: options.severities.clone(),
        max_errors: options.max_errors(),
    };
    let compilation = compile::file(options.file(), &settings);
    eprint!("{}", compilation.messages);
    let (written, is_compiled) = match &compilation.verdict {
        Verdict::Refused => return false,
        Verdict::Checked => return true,
        Verdict::WithoutMain(program) => (write_control_plane(options, program), false),
        Verdict::Compiled(program) => (write(options, flavor, program), true),
    };
    match written {
        Ok(()) => is_compiled,
        Err(message) => {
            eprintln!("{message}");
            false
        }
    }
}

/// `-E`: the preprocessed text instead of a compilation.
fn print_preprocessed(options: &Options) -> bool {
    let (text, messages) = compile::preprocessed(options.file(), &options.syntax());
    eprint!("{messages}");
    // A reader that closes the pipe early wants no more.
    text.is_some_and(|text| std::io::stdout().write_all(text.as_bytes()).is_ok())
}

/// An error about a file, as a message.
fn plain(message: String) -> String {
    headline(Severity::Error, Some(Kind::Io), &message)
}

/// Writes all output that was asked for. A message begins with its kind or its place.
fn write(options: &Options, flavor: Flavor, program: &p4_ir::Program) -> Result<(), String> {
    if let Some(path) = json_path(options, flavor).map_err(plain)? {
        let json = p4_bmv2::json::program(program);
        let text = json_text::text(&json).map_err(|e| plain(e.to_string()))?;
        write_file(&path, &text).map_err(plain)?;
    }
    print_resources(options, program).map_err(plain)?;
    write_control_plane(options, program)
}

/// `--resources`: an estimate of the program's cost, on standard output.
fn print_resources(options: &Options, program: &p4_ir::Program) -> Result<(), String> {
    let Some(format) = options.resources else { return Ok(()) };
    let estimate = p4_resources::estimate(program);
    let text = match format {
        ResourcesFormat::Text => estimate.to_string(),
        ResourcesFormat::Json => serde_json::to_string_pretty(&estimate).map_err(|e| e.to_string())? + "\n",
    };
    // A reader that closes the pipe early wants no more.
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}

/// Writes what was asked for of P4Info and initial entries.
fn write_control_plane(options: &Options, program: &p4_ir::Program) -> Result<(), String> {
    let plane = &program.control_plane;
    let messages: [(_, _, fn(&_) -> _); 2] = [
        (options.p4info_outputs(), p4runtime::P4INFO, p4_bmv2::p4info::text),
        (options.entries_outputs(), p4runtime::ENTRIES, p4_bmv2::p4info::entries_text),
    ];
    for (outputs, name, text_of) in messages {
        let outputs = outputs.map_err(plain)?;
        if outputs.is_empty() {
            continue;
        }
        let text = text_of(plane).map_err(|error: p4_bmv2::p4info::Error| error.to_string())?;
        for output in outputs {
            let bytes = p4runtime::encode(name, &text, output.format).map_err(plain)?;
            write_file(&output.path, &bytes).map_err(plain)?;
        }
    }
    Ok(())
}

/// Where the JSON goes.
fn json_path(options: &Options, flavor: Flavor) -> Result<Option<PathBuf>, String> {
    match flavor {
        Flavor::Compiler => Ok(options.output.clone()),
        Flavor::Driver => {
            let directory = options.output.clone().unwrap_or_else(|| PathBuf::from("."));
            std::fs::create_dir_all(&directory)
                .map_err(|error| format!("cannot create the directory {}: {error}", directory.display()))?;
            let stem = options.file().file_stem().unwrap_or(options.file().as_os_str());
            Ok(Some(directory.join(stem).with_extension("json")))
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
