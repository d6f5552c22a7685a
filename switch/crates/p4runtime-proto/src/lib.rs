//! P4Runtime messages, client and server traits as prost and tonic generate them.
//!
//! The module tree mirrors the protobuf packages because the generated code refers to itself that way.
#![allow(clippy::all, clippy::unwrap_used, deprecated)]

pub mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

pub mod p4 {
    pub mod config {
        pub mod v1 {
            tonic::include_proto!("p4.config.v1");
        }
    }
    pub mod v1 {
        tonic::include_proto!("p4.v1");
    }
}

/// The role configuration of Stratum, the one scheme in use.
pub mod stratum {
    tonic::include_proto!("stratum");
}

/// A serialised `FileDescriptorSet` of all of these, for text formats and other reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

pub use google::rpc::{Code, Status as RpcStatus};
pub use p4::config::v1 as config;
pub use p4::v1 as runtime;
