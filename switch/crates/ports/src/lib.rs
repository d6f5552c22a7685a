//! Ports of a switch: TAP devices and existing interfaces.
