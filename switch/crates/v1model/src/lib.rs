//! One v1model switch that runs BMv2 JSON: no I/O, no threads, no clock.
