"""A report as blocks, and how they are written: Markdown, HTML, tables, labels and marks."""
