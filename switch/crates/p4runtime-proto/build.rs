//! Generates the P4Runtime messages and service from `.proto` files that are already on the machine:
//! the finsy package in the repository's virtual environment carries them. Nothing is vendored, and
//! protox parses them without `protoc`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prost::Message;

/// Names the folder with the `.proto` files when they are not in the repository's `.venv`.
const OVERRIDE: &str = "P4RUNTIME_PROTO_DIR";
const FILES: [&str; 3] = ["p4/v1/p4runtime.proto", "google/rpc/code.proto", "stratum1/p4_role_config.proto"];

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    println!("cargo::rerun-if-changed=build.rs");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    let root = proto_root()?;
    for file in FILES {
        println!("cargo::rerun-if-changed={}", root.join(file).display());
    }
    let descriptors = protox::compile(FILES, [&root])
        .map_err(|e| format!("cannot parse the P4Runtime .proto files in {}: {e}", root.display()))?;
    let mut messages = prost_build::Config::new();
    // Payloads and match values are shared slices of the received message, never copies.
    messages.bytes(["."]);
    messages.enable_type_names();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("descriptors.bin");
    std::fs::write(&out, descriptors.encode_to_vec()).map_err(|e| format!("cannot write {}: {e}", out.display()))?;
    // The comments are written for protoc's generators and do not read as Rust documentation.
    messages.disable_comments(["."]);
    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        // Who connects brings a channel; so the compiler, which needs the messages alone, builds no transport.
        .build_transport(false)
        .compile_fds_with_config(descriptors, messages)
        .map_err(|e| format!("cannot generate Rust from the P4Runtime .proto files: {e}"))
}

/// Finds the folder that holds `p4/v1/p4runtime.proto`.
fn proto_root() -> Result<PathBuf, String> {
    if let Some(dir) = std::env::var_os(OVERRIDE) {
        let dir = PathBuf::from(dir);
        return if has_protos(&dir) {
            Ok(dir)
        } else {
            Err(format!("{OVERRIDE}={} holds no p4/v1/p4runtime.proto", dir.display()))
        };
    }
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // crates/p4runtime-proto → crates → switch → repository
    let repository = manifest.ancestors().nth(3).unwrap_or(Path::new("/"));
    let library = repository.join(".venv/lib");
    let mut pythons: Vec<PathBuf> = std::fs::read_dir(&library)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("site-packages/finsy/proto"))
        .filter(|dir| has_protos(dir))
        .collect();
    pythons.sort();
    pythons.pop().ok_or_else(|| {
        format!(
            "no P4Runtime .proto files under {}: run `make setup` first (it installs finsy, which carries them), or set {OVERRIDE}",
            library.display()
        )
    })
}

fn has_protos(dir: &Path) -> bool {
    FILES.iter().all(|file| dir.join(file).is_file())
}
