//! Writes the interface as it was compiled to standard output, a serialised `google.protobuf.FileDescriptorSet`: so that it
//! can be compared with other implementations.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().lock().write_all(p4runtime_proto::DESCRIPTORS)
}
