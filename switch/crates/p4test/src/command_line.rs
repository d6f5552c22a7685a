//! `p4test PROGRAM TEST.stf`: runs a packet test, on the embedded switch or on BMv2.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::bmv2::Bmv2;
use crate::target::Embedded;
use crate::{compile, runner, stf};
use clap::{CommandFactory, Parser, ValueEnum};
use v1model::{TraceEvent, TraceFilter};

/// Runs a packet test (STF) of a P4 program: sends its packets in and compares what comes out.
///
/// Exit code 0: all as expected; 1: not; 2: the program or the test cannot be read; 3: the program does not compile.
#[derive(Parser)]
#[command(name = "p4test", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
struct Arguments {
    /// The program: P4 source, or BMv2 JSON.
    program: PathBuf,
    /// The test.
    test: PathBuf,
    /// Folder to look for included files in.
    #[arg(short = 'I', value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Compiler for P4 source [default: p4c-bm2-ss beside this program or on PATH].
    #[arg(long)]
    compiler: Option<PathBuf>,
    /// The switch: the embedded one, or BMv2's simple_switch_grpc on PATH.
    #[arg(long, value_enum, default_value_t = Choice::Embedded)]
    switch: Choice,
    /// Show what the switch does with each packet, or with those a filter names: `in 1 dst 10.0.0.0/24 udp count 5 brief`.
    #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    trace: Option<TraceFilter>,
    /// Write the trace to this file as JSON, one event a line, instead of showing it.
    #[arg(long, value_name = "FILE", requires = "trace")]
    trace_json: Option<PathBuf>,
    /// Say nothing if all is as expected.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Embedded,
    Bmv2,
}

/// The declaration of its options.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let statements = match read(&arguments.test) {
        Ok(statements) => statements,
        Err(message) => {
            eprintln!("p4test: {}: {message}", arguments.test.display());
            return ExitCode::from(2);
        }
    };
    let compiler = arguments.compiler.unwrap_or_else(compile::default_compiler);
    let compiled = match compile::compile(&arguments.program, &compiler, &arguments.include) {
        Ok(compiled) => compiled,
        Err(error) => {
            eprintln!("p4test: {}: {error}", arguments.program.display());
            let refused = matches!(error, compile::CompileError::Refused(_));
            return ExitCode::from(if refused { 3 } else { 2 });
        }
    };
    let program = &compiled.program;
    let report = match arguments.switch {
        Choice::Embedded => runner::run_on(&mut Embedded::new(program, arguments.trace), program, &statements),
        Choice::Bmv2 if arguments.trace.is_some() => {
            eprintln!("p4test: --trace looks into the embedded switch; BMv2 has --log-console of its own");
            return ExitCode::from(2);
        }
        Choice::Bmv2 => match Bmv2::start(&compiled) {
            Ok(mut bmv2) => runner::run_on(&mut bmv2, program, &statements),
            Err(error) => {
                eprintln!("p4test: {error}");
                return ExitCode::from(2);
            }
        },
    };
    if let Err(message) = show(&report.trace, arguments.trace_json.as_deref()) {
        eprintln!("p4test: {message}");
        return ExitCode::from(2);
    }
    for failure in &report.failures {
        eprintln!("{}: {failure}", arguments.test.display());
    }
    if !report.failures.is_empty() {
        eprintln!("{} of {} checks failed", report.failures.len(), report.failures.len() + report.passed);
        return ExitCode::FAILURE;
    }
    if !arguments.quiet {
        println!("{} packets in, {} checks passed", report.packets, report.passed);
    }
    ExitCode::SUCCESS
}

/// The trace, as text on standard output or as JSON in a file.
fn show(trace: &[TraceEvent], file: Option<&std::path::Path>) -> Result<(), String> {
    let Some(file) = file else {
        trace.iter().for_each(|event| println!("{event}"));
        return Ok(());
    };
    let lines: Result<Vec<String>, _> = trace.iter().map(serde_json::to_string).collect();
    let text = lines.map_err(|e| e.to_string())?.into_iter().map(|line| line + "\n").collect::<String>();
    std::fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

fn read(path: &std::path::Path) -> Result<Vec<stf::Statement>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    stf::parse(&text).map_err(|e| e.to_string())
}
