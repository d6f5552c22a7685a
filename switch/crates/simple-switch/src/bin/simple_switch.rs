//! BMv2's `simple_switch`.

fn main() -> std::process::ExitCode {
    simple_switch::command_lines::simple_switch::main()
}
