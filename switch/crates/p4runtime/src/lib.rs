//! The P4Runtime gRPC server.
pub mod arbitration;
pub mod bytestring;
pub mod data_type;
pub mod entity;
pub mod extras;
pub mod failure;
pub mod header;
pub mod read;
pub mod role;
pub mod schema;
pub mod status;
pub mod translation;
pub mod write;
