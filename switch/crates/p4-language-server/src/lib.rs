//! A language server for P4_16: an editor's questions about a program, answered by the compiler's front end.
//!
//! It speaks LSP over standard input and output ([`transport`], [`server`]). A changed text is checked at once with the
//! program that it belongs to ([`analysis`], [`programs`]), and messages go to the files they are about. Answers come
//! from the text as it stands ([`scan`], [`context`]) and the names of the last program that could be parsed
//! ([`index`]). Questions are therefore answered while a line is being typed.

mod analysis;
pub mod command_line;
mod completion;
mod context;
mod diagnostics;
mod embedded;
mod files;
mod hover;
mod index;
mod meaning;
mod outline;
mod positions;
mod programs;
mod scan;
mod server;
mod transport;

use clap::FromArgMatches;
use std::process::ExitCode;

/// Stack of the thread that programs are looked at in: deeply nested ones need a deep one, as in the compiler.
const STACK_BYTES: usize = 512 << 20;

/// Runs the command.
pub fn main() -> ExitCode {
    let matches = command_line::command().get_matches();
    let options = match command_line::Options::from_arg_matches(&matches) {
        Ok(options) => options,
        Err(error) => error.exit(),
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || server::run(&options));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("p4-language-server: cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}
