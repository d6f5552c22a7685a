//! Ports of a switch: TAP devices and existing interfaces.
//!
//! [`Device`] is either; frames go in and out without blocking, and the caller polls [`Device::fd`], or waits with a [`Ring`].

mod arrival;
pub mod clock;
mod device;
mod error;
mod frame_buffers;
mod kernel_call;
mod mapped;
mod netns;
mod offloads;
mod outbox;
mod packet_socket;
mod receive_ring;
mod received_messages;
mod ring;
mod tap;
mod vlan_tag;

pub use device::Device;
pub use error::PortError;
pub use mapped::Mapped;
pub use netns::Netns;
pub use packet_socket::PacketSocket;
pub use receive_ring::ring_bytes;
pub use ring::{News, Ring};
pub use tap::Tap;
