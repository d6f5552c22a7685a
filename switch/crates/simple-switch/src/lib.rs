//! The switch's command lines: simple_switch_grpc and p4switch.
