//! The back-end: BMv2 JSON ([`json::program`]) and P4Info text ([`p4info::text`]) from the
//! intermediate representation.
//!
//! Both formats are public. The JSON is the one that BMv2's `docs/JSON_format.md` describes, as the
//! real `simple_switch` loads it; P4Info is the protobuf text form of `p4.config.v1.P4Info`.
//! Neither writer decides anything about the program: the mid-end has done all of that.
//!
//! The one thing that needs care is arithmetic: BMv2 computes with unlimited precision, so
//! [`json`] puts a mask (or `two_comp_mod`) round every operation whose result may leave its type.

pub mod json;
pub mod p4info;
