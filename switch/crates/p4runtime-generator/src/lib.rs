//! Generates the P4Runtime messages and service from `.proto` files; protox parses them without `protoc`.
//!
//! The result is kept in `p4runtime-proto/src/generated/`, so that nobody who builds the switch builds these generators first.

use std::fs;
use std::path::Path;

use prost::Message;

const FILES: [&str; 3] = ["p4/v1/p4runtime.proto", "google/rpc/code.proto", "stratum/p4_role_config.proto"];

/// Writes a Rust file for each protobuf package of `protocol` into `out`, and a serialised `FileDescriptorSet` of all.
///
/// # Errors
///
/// A file cannot be parsed or written; the text says which.
pub fn generate(protocol: &Path, out: &Path) -> Result<(), String> {
    let descriptors = protox::compile(FILES, [protocol]).map_err(|e| format!("cannot parse the .proto files: {e}"))?;
    let mut messages = prost_build::Config::new();
    // Payloads and match values are shared slices of the received message, never copies.
    messages.bytes(["."]);
    messages.enable_type_names();
    // The comments are written for readers of the interface and do not read as Rust documentation.
    messages.disable_comments(["."]);
    let file = out.join("descriptors.bin");
    fs::write(&file, descriptors.encode_to_vec()).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        // Clients bring their channels; so the compiler, which needs the messages alone, builds no transport.
        .build_transport(false)
        .out_dir(out)
        .compile_fds_with_config(descriptors, messages)
        .map_err(|e| format!("cannot generate Rust from the .proto files: {e}"))
}
