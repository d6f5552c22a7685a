"""Modules that P4Runtime clients import and no package for today's protobuf has; the folder is on the path of a user's own controller."""
