"""Modules that clients of BMv2's Thrift services import; BMv2's build makes a package of this name."""
