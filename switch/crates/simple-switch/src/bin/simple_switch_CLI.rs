//! BMv2's `simple_switch_CLI`.

#![allow(non_snake_case)] // scripts call it by this name

fn main() -> std::process::ExitCode {
    simple_switch::command_lines::simple_switch_cli::main()
}
