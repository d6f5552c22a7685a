"""What is done around a run and never inside a kernel in virtual time: its description, watching it, choosing what is traced.

It is not part of the file system inside (virtual_time/image.py), so that a change here changes no digit.
"""
