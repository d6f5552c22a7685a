"""The kinds of topology, a file each."""
