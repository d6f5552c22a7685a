//! `p4-language-server`: see [`p4_language_server`].

use std::process::ExitCode;

fn main() -> ExitCode {
    p4_language_server::main()
}
