"""Packages of the P4 toolchain: a wheel and a Debian package."""
