"""``testbed check FOLDER``: programs compile, packet tests pass, and the run meets its bars."""
