//! Ports of a switch: TAP devices and existing interfaces.

mod netns;

pub use netns::Netns;
