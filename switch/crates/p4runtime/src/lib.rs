//! The P4Runtime gRPC server.
