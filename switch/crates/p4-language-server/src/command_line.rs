//! The command's options.

use clap::{ArgAction, CommandFactory, Parser};
use std::path::PathBuf;

/// Answers an editor's questions about P4_16 programs, by the Language Server Protocol on standard input and output.
#[derive(Clone, Debug, Parser)]
#[command(name = "p4-language-server", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
pub struct Options {
    /// Directory to look for included files in.
    #[arg(short = 'I', value_name = "DIRECTORY", action = ArgAction::Append)]
    pub include: Vec<PathBuf>,

    /// Define a preprocessor macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", action = ArgAction::Append)]
    pub define: Vec<String>,

    /// Standard input and output, which is the only way; editors say so.
    #[arg(long)]
    pub stdio: bool,
}

/// The declaration of the options.
pub fn command() -> clap::Command {
    Options::command()
}
