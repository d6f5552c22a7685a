//! Ports of a switch: TAP devices and existing interfaces.
//!
//! [`Device`] is either; frames go in and out without blocking, and the caller polls [`Device::fd`], or waits with a [`Ring`].

pub mod clock;
mod device;
mod error;
mod frame_buffers;
mod netns;
mod outbox;
mod packet_socket;
mod ring;
mod tap;

pub use device::Device;
pub use error::PortError;
pub use netns::Netns;
pub use packet_socket::PacketSocket;
pub use ring::{News, Ring};
pub use tap::Tap;
