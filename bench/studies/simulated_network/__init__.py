"""Nodectl networks in simulated time: switches are reference models, controllers and senders the real ones without their I/O."""
