"""Grading: every hand-in of a folder, each checked by itself in a sandbox; a table and a page of the results."""
