//! Ports of a switch: TAP devices and existing interfaces.
//!
//! [`Device`] is either; frames go in and out without blocking, and the caller polls [`Device::fd`].

pub mod clock;
mod device;
mod error;
mod netns;
mod packet_socket;
mod tap;

pub use device::{Device, Sent};
pub use error::PortError;
pub use netns::Netns;
pub use packet_socket::PacketSocket;
pub use tap::Tap;
