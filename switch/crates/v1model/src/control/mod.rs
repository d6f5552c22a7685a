//! The control plane's view of a switch: methods of [`Switch`](crate::Switch) in the files beside this one.
//!
//! Objects are found by name once ([`Switch::table_id`](crate::Switch::table_id) and friends) and then used by id; ids
//! are indexes into the program's lists and become meaningless when another program is loaded.
//!
//! Byte strings are big-endian. A caller's may have any length, with or without leading zeros, as long as the value
//! fits the field. Those handed out are as long as the field (bits rounded up to bytes).

mod arrays;
mod calculations;
mod lookup;
mod notifications;
mod profiles;
mod replication;
mod tables;
mod trace;
mod value_sets;
mod watching;
