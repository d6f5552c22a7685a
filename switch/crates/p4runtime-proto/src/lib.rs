//! P4Runtime messages, client and server traits as prost and tonic generate them (the crate `p4runtime-generator` writes and checks them).
//!
//! The module tree mirrors the protobuf packages because the generated code refers to itself that way.
#![allow(clippy::all, clippy::unwrap_used, deprecated)]

pub mod google {
    pub mod rpc {
        include!("generated/google.rpc.rs");
    }
}

pub mod p4 {
    pub mod config {
        pub mod v1 {
            include!("generated/p4.config.v1.rs");
        }
    }
    pub mod v1 {
        include!("generated/p4.v1.rs");
    }
}

/// The role configuration of Stratum, the one scheme in use.
pub mod stratum {
    include!("generated/stratum.rs");
}

/// A serialised `FileDescriptorSet` of all of these, for text formats and other reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

pub use google::rpc::{Code, Status as RpcStatus};
pub use p4::config::v1 as config;
pub use p4::v1 as runtime;
