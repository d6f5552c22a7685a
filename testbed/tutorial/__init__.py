"""Exercises in the layout of p4lang's tutorials, as they are: a folder with P4 programs, ``topology.json`` and runtime JSON."""
