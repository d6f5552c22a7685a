"""Table entries that somebody has written into a file, in any of the formats of the field, as P4Runtime updates.

``reading.py`` takes a file and the program's P4Info; every mistake names the file and the line.
"""
