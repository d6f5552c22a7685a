//! Generates the P4Runtime messages and service from the `.proto` files in `proto/`; protox parses them without `protoc`.

use std::path::PathBuf;
use std::process::ExitCode;

use prost::Message;

const ROOT: &str = "proto";
const FILES: [&str; 3] = ["p4/v1/p4runtime.proto", "google/rpc/code.proto", "stratum/p4_role_config.proto"];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ROOT}");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    let descriptors = protox::compile(FILES, [ROOT]).map_err(|e| format!("cannot parse the .proto files: {e}"))?;
    let mut messages = prost_build::Config::new();
    // Payloads and match values are shared slices of the received message, never copies.
    messages.bytes(["."]);
    messages.enable_type_names();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("descriptors.bin");
    std::fs::write(&out, descriptors.encode_to_vec()).map_err(|e| format!("cannot write {}: {e}", out.display()))?;
    // The comments are written for readers of the interface and do not read as Rust documentation.
    messages.disable_comments(["."]);
    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        // Clients bring their channels; so the compiler, which needs the messages alone, builds no transport.
        .build_transport(false)
        .compile_fds_with_config(descriptors, messages)
        .map_err(|e| format!("cannot generate Rust from the .proto files: {e}"))
}
