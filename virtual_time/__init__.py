"""Virtual time: a command runs in a user-mode Linux kernel whose clock moves only while everyone inside waits (docs/timing.md)."""
