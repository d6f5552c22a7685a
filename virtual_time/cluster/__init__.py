"""Jobs on other machines: a Ray cluster, or a Ray of our own on this one."""
