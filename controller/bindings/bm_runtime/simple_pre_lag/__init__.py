"""The service ``simple_pre_lag``: multicast groups and their nodes."""
