"""The command line of the testbed: ``python -m testbed COMMAND``. A file a group of commands, each of a few lines."""
