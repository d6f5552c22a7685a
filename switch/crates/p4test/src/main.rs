//! `p4test PROGRAM TEST.stf`.

fn main() -> std::process::ExitCode {
    p4test::command_line::main()
}
