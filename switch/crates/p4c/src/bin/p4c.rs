//! `p4c`: compiles into a directory, as the driver of the real p4c does.

fn main() -> std::process::ExitCode {
    p4c_driver::main(p4c_driver::Flavor::Driver)
}
