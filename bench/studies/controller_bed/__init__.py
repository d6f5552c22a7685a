"""A controller's process, P4Runtime servers and switches that are models: for studies of the controller, and for its tests."""
