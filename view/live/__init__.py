"""The live page: a run in a browser while it goes on, its replay, and its export (docs/live-page.md)."""
