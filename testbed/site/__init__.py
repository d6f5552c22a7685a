"""The site of docs/: pages beside the folder, reference pages made of declarations, and the differences between Markdown's dialects."""
