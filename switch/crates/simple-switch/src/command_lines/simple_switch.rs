//! BMv2's `simple_switch`, for scripts that start it: the same switch without P4Runtime, controlled by `simple_switch_CLI` alone.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use super::simple_switch_grpc::{Arguments, TargetArguments, known_words, plan};
use crate::launch::Plan;
use crate::thrift_port::{self, ThriftPort};
use crate::{LaunchError, error};

const NAME: &str = "simple_switch";
const SWAP: &str = "Accepted and ignored: the program stays";

/// Whether `simple_switch_grpc` has this option after `--` and `simple_switch` has not; ignored here, as any unknown option is there.
fn is_of_p4runtime(option: &clap::Arg) -> bool {
    option.get_long().is_some_and(|name| name.contains("grpc") || matches!(name, "cpu-port" | "disable-swap"))
}

/// The declaration of its options.
pub fn command() -> clap::Command {
    Arguments::command()
        .name(NAME)
        .about("A v1model P4 switch that simple_switch_CLI controls, with the command line of BMv2's simple_switch")
        .long_about(None::<&str>)
        .after_help("Options of the target come after `--`; see `FILE.json -- --help`.")
        .mut_arg("device_id", |option| option.help("Number of the switch"))
        .mut_arg("no_p4", |option| option.hide(true))
        .mut_arg("thrift_port", |option| {
            let about = "The port of the Thrift services at 127.0.0.1, by which `simple_switch_CLI --thrift-port` finds this switch";
            option.default_value("9090").help(about).long_help(None::<&str>)
        })
}

/// The declaration of the options after `--`.
pub fn target_command() -> clap::Command {
    let all = TargetArguments::command();
    let own: Vec<clap::Arg> = all.get_arguments().filter(|option| !is_of_p4runtime(option)).cloned().collect();
    clap::Command::new("simple_switch [...] --")
        .disable_version_flag(true)
        .args_override_self(true)
        .args(own)
        .mut_arg("enable_swap", |option| option.help(SWAP))
}

/// Runs the command.
pub fn main() -> ExitCode {
    let arguments = Arguments::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    if let Some(said) = arguments.version_asked_for(NAME) {
        println!("{said}");
        return ExitCode::SUCCESS;
    }
    error::conclude(NAME, run(arguments))
}

fn run(arguments: Arguments) -> Result<(), LaunchError> {
    if arguments.no_p4 {
        let message =
            "--no-p4 is not supported: only P4Runtime can give a switch its program later (simple_switch_grpc)";
        return Err(LaunchError::Usage(message.into()));
    }
    let (words, unknown) = known_words(&target_command(), &arguments.target);
    let words = std::iter::once(OsString::from(NAME)).chain(words);
    let declared = TargetArguments::command().name("simple_switch [...] --");
    let declared = declared.mut_args(|option| if is_of_p4runtime(&option) { option.hide(true) } else { option });
    let declared = declared.mut_arg("enable_swap", |option| option.help(SWAP));
    let target =
        TargetArguments::from_arg_matches(&declared.get_matches_from(words)).unwrap_or_else(|error| error.exit());
    let port = arguments.thrift_port.unwrap_or(thrift_port::DEFAULT);
    let plan = Plan { thrift_port: Some(ThriftPort::Given(port)), ..plan(arguments, &target, &unknown)? };
    plan.run_without_p4runtime(|| tracing::info!(port, "ready"))
}
