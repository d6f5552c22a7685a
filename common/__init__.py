"""What all parts of the testbed share and that is no protocol: errors, units, clocks, files, how command lines end."""
