"""Papers, a folder each: published values, experiments as data, and notes. docs/reproduce.md shows how to add to them."""
