//! BMv2's `simple_switch_grpc`.

fn main() -> std::process::ExitCode {
    simple_switch::command_lines::simple_switch_grpc::main()
}
