"""What a run leaves in its folder, read while it grows or afterwards: for the live page, the pictures of a run, notebooks."""
