"""The classroom: labs that check themselves. ``python -m labs`` is its command line, docs/labs.md its page."""
