//! `p4sim PROGRAM.json`.

fn main() -> std::process::ExitCode {
    p4sim::command_line::main()
}
