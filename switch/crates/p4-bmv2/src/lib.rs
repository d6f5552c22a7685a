//! BMv2 JSON and P4Info from the intermediate representation.
