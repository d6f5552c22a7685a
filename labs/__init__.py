"""The classroom: labs that check themselves. ``python -m testbed`` has its commands, labs/README.md its page."""
