"""From an empty folder: templates that can be run as they are, each a folder below ``templates``."""
