//! The link model: bit rate, drop-tail queue, delay, loss, lateness.
