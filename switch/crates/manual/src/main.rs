//! `write_manual FOLDER`: manual pages and shell completion of all commands, from the declarations that they read their options by.
//!
//! The folder gets `man1/`, `bash/`, `zsh/` and `fish/`, with the files named as each of them wants it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::simple_switch::command_lines::{p4switch, simple_switch, simple_switch_cli, simple_switch_grpc};
use clap::{Arg, Command, Parser};
use clap_complete::Shell;
use clap_mangen::Man;
use p4c_driver::Flavor;

const SOURCE: &str = concat!("Nodectl P4 toolchain ", env!("CARGO_PKG_VERSION"));

/// Writes manual pages (man1/) and shell completion (bash/, zsh/, fish/) of all commands of the toolchain.
#[derive(Parser)]
struct Arguments {
    /// Where to write them.
    folder: PathBuf,
}

/// A command, and its arguments after `--` if they are declared apart.
struct Documented {
    command: Command,
    after_dashes: Option<Command>,
}

fn commands() -> Vec<Documented> {
    let alone = [
        p4c_driver::command(Flavor::Driver),
        p4c_driver::command(Flavor::Compiler),
        p4_language_server::command_line::command(),
        p4graph::command_line::command(),
        p4sim::command_line::command(),
        p4switch::command(),
        p4test::command_line::command(),
        simple_switch_cli::command(),
    ];
    let mut all: Vec<Documented> =
        alone.into_iter().map(|command| Documented { command, after_dashes: None }).collect();
    for (command, target) in [
        (simple_switch_grpc::command(), simple_switch_grpc::target_command()),
        (simple_switch::command(), simple_switch::target_command()),
    ] {
        all.push(Documented { command, after_dashes: Some(target) });
    }
    all
}

fn main() -> ExitCode {
    match write(&Arguments::parse().folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("write_manual: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(folder: &Path) -> io::Result<()> {
    let pages = folder.join("man1");
    fs::create_dir_all(&pages)?;
    for Documented { command, after_dashes } in commands() {
        let name = command.get_name().to_owned();
        for (shell, place) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
            let place = folder.join(place);
            fs::create_dir_all(&place)?;
            clap_complete::generate_to(shell, &mut command.clone(), &name, place)?;
        }
        let mut command = command.disable_help_subcommand(true).mut_args(with_aliases);
        // Gives its own commands their whole names.
        command.build();
        page(&pages, command, after_dashes)?;
    }
    Ok(())
}

/// The option with its other names in its description, as `--help` shows them: the pages would not.
fn with_aliases(option: Arg) -> Arg {
    let aliases = option.get_visible_aliases().unwrap_or_default();
    if aliases.is_empty() {
        return option;
    }
    let names: Vec<String> = aliases.iter().map(|name| format!("--{name}")).collect();
    let about = option.get_help().map(ToString::to_string).unwrap_or_default();
    option.help(format!("{about} [also: {}]", names.join(", "))).long_help(None::<&str>)
}

/// Writes the page of a command and those of its own commands.
fn page(folder: &Path, command: Command, after_dashes: Option<Command>) -> io::Result<()> {
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        page(folder, one.clone(), None)?;
    }
    let manual = |command| Man::new(command).source(SOURCE).manual("P4").date("");
    let page = manual(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    if let Some(target) = after_dashes {
        let mut options = Vec::new();
        manual(target).render_options_section(&mut options)?;
        let options = String::from_utf8_lossy(&options).replacen(".SH OPTIONS", ".SH \"OPTIONS AFTER \\-\\-\"", 1);
        text.extend(options.bytes());
    }
    fs::write(folder.join(page.get_filename()), text)
}
