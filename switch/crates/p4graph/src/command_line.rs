//! `p4graph PROGRAM -o FOLDER`: pictures of a P4 program.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{program, render};
use clap::{CommandFactory, Parser};
use serde_json::Value;

/// Draws a P4 program: parser states, and tables and conditions of ingress and egress.
///
/// Writes PARSER.dot and PARSER.mmd (Mermaid) for each part, and PARSER.svg where Graphviz (`dot`) is installed.
/// Exit code 0: done; 2: the program cannot be read or a file cannot be written; 3: the program does not compile.
#[derive(Parser)]
#[command(name = "p4graph", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
struct Arguments {
    /// The program: P4 source, or BMv2 JSON.
    program: PathBuf,
    /// Folder for the pictures.
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
    /// Folder to look for included files in.
    #[arg(short = 'I', value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Compiler for P4 source [default: p4c-bm2-ss beside this program or on PATH].
    #[arg(long)]
    compiler: Option<PathBuf>,
    /// Statements too, not only tables and conditions.
    #[arg(long)]
    statements: bool,
}

/// The declaration of its options.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command.
#[must_use]
pub fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("p4graph: {message}");
            ExitCode::from(code)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), (u8, String)> {
    let json = load(arguments)?;
    let graphs = program::graphs(&bmv2_json::Node::root(&json), arguments.statements);
    let graphs = graphs.map_err(|error| (2, format!("{}: {error}", arguments.program.display())))?;
    std::fs::create_dir_all(&arguments.output)
        .map_err(|error| (2, format!("{}: {error}", arguments.output.display())))?;
    let mut without_dot = false;
    for graph in &graphs {
        let file = |end: &str| arguments.output.join(format!("{}.{end}", graph.name));
        let write = |path: &Path, text: String| {
            std::fs::write(path, text).map_err(|error| (2, format!("{}: {error}", path.display())))?;
            println!("{}", path.display());
            Ok(())
        };
        write(&file("dot"), render::dot(graph))?;
        write(&file("mmd"), render::mermaid(graph))?;
        match Command::new("dot").arg("-Tsvg").arg("-o").arg(file("svg")).arg(file("dot")).status() {
            Ok(status) if status.success() => println!("{}", file("svg").display()),
            Ok(status) => return Err((2, format!("dot ended with {status}"))),
            Err(_) => without_dot = true,
        }
    }
    if without_dot {
        eprintln!("no SVG: Graphviz is not installed (apt-get install graphviz); Markdown pages show the .mmd files");
    }
    Ok(())
}

fn load(arguments: &Arguments) -> Result<Value, (u8, String)> {
    let program = &arguments.program;
    let shown = program.display();
    let read = |path: &Path| -> Result<Value, (u8, String)> {
        let text = std::fs::read_to_string(path).map_err(|error| (2, format!("{shown}: {error}")))?;
        bmv2_json::parse(&text).map_err(|error| (2, format!("{shown}: {error}")))
    };
    if program.extension().is_some_and(|end| end == "json") {
        return read(program);
    }
    std::fs::metadata(program).map_err(|error| (2, format!("{shown}: {error}")))?;
    let folder = tempfile::tempdir().map_err(|error| (2, error.to_string()))?;
    let json = folder.path().join("program.json");
    let name = "p4c-bm2-ss";
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|dir| dir.join(name)));
    let beside = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name));
    let mut compiler = Command::new(arguments.compiler.as_ref().unwrap_or(&beside));
    for include in &arguments.include {
        compiler.arg("-I").arg(include);
    }
    let output = compiler.args(["--std", "p4-16", "-o"]).arg(&json).arg(program).output();
    let output = output.map_err(|error| (2, format!("cannot run the compiler: {error}")))?;
    if !output.status.success() {
        return Err((3, String::from_utf8_lossy(&output.stderr).trim_end().to_owned()));
    }
    read(&json)
}
