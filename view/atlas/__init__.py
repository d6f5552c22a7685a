"""The atlas's page, one HTML file: maps of schemes beside one another, which one clicks to the runs behind a value."""
