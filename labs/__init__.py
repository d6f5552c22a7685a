"""The classroom: labs that check themselves. ``python -m labs`` is its command line, labs/README.md its page."""
