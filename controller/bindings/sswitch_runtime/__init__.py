"""Modules that clients of the service ``simple_switch`` import (mirroring, queues, clock); BMv2's build makes a package of this name."""
