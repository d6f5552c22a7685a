//! `p4switch`: networks of switches.

fn main() -> std::process::ExitCode {
    simple_switch::command_lines::p4switch::main()
}
