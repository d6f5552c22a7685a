"""The site of docs/: pages beside the folder, reference pages made of declarations, and what differs between Markdown's dialects."""
