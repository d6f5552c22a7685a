//! The forwarding thread: switches, queues, links and ports together.
