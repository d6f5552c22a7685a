"""``testbed check FOLDER``: programs compile, packet tests pass, the run comes to what its bars say."""
