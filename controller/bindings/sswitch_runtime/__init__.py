"""What clients of the service ``simple_switch`` import (mirroring, queues, the clock); BMv2's build makes a package of this name."""
