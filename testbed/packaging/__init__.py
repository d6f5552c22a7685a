"""The wheel of the whole testbed: kernel, file system and programs in one file, for any Linux on an x86-64 processor (docs/install.md)."""
