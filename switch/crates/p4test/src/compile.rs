//! From a P4 source file to a loaded program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use v1model::Program;

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, std::io::Error),
    /// The compiler cannot be started.
    #[error("cannot run {0}: {1}")]
    Start(PathBuf, std::io::Error),
    /// The compiler refused the program.
    #[error("{0}")]
    Refused(String),
    /// The switch refused the compiled program.
    #[error("the switch refuses the compiled program: {0}")]
    Load(#[from] v1model::ProgramError),
}

/// The compiler that is used unless another one is named: the one beside this program, else the one on PATH.
#[must_use]
pub fn default_compiler() -> PathBuf {
    let name = "p4c-bm2-ss";
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|dir| dir.join(name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// A program, as the embedded switch has loaded it and as another switch is given it.
#[derive(Debug)]
pub struct Compiled {
    /// Loaded.
    pub program: Arc<Program>,
    /// BMv2 JSON.
    pub json: String,
    /// P4Info, protobuf text; for JSON, that of the file beside it (`program.p4info.txtpb`), if there is one.
    pub p4info: Option<String>,
}

/// Loads a program: BMv2 JSON as it is, anything else through the compiler.
pub fn load(path: &Path, compiler: &Path, includes: &[PathBuf]) -> Result<Arc<Program>, CompileError> {
    compile(path, compiler, includes).map(|compiled| compiled.program)
}

/// The same, with the files that another switch needs.
pub fn compile(path: &Path, compiler: &Path, includes: &[PathBuf]) -> Result<Compiled, CompileError> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| CompileError::Read(path.to_owned(), e));
    let load = |json: String, p4info| {
        let program = Arc::new(Program::from_json(&json)?);
        Ok(Compiled { program, json, p4info })
    };
    if path.extension().is_some_and(|e| e == "json") {
        return load(read(path)?, read(&path.with_extension("p4info.txtpb")).ok());
    }
    // Said here because a compiler's own message would name its command line.
    if let Err(error) = std::fs::metadata(path) {
        return Err(CompileError::Read(path.to_owned(), error));
    }
    let folder = tempfile::tempdir().map_err(|e| CompileError::Start(compiler.to_owned(), e))?;
    let (json, p4info) = (folder.path().join("program.json"), folder.path().join("program.p4info.txtpb"));
    let mut command = Command::new(compiler);
    for include in includes {
        command.arg("-I").arg(include);
    }
    command.arg("--std").arg("p4-16").arg("--p4runtime-files").arg(&p4info).arg("-o").arg(&json).arg(path);
    let output = command.output().map_err(|e| CompileError::Start(compiler.to_owned(), e))?;
    if !output.status.success() {
        return Err(CompileError::Refused(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()));
    }
    load(read(&json)?, read(&p4info).ok())
}
