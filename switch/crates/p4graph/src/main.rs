//! `p4graph PROGRAM -o FOLDER`.

fn main() -> std::process::ExitCode {
    p4graph::command_line::main()
}
