//! `p4c-bm2-ss`: compiles to one JSON file.

fn main() -> std::process::ExitCode {
    p4c_driver::main(p4c_driver::Flavor::Compiler)
}
