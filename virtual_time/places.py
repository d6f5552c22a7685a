"""Paths inside that the outside and the first programs inside have in common."""

from __future__ import annotations

INSIDE = "/nodectl"
"""Where the checkout is inside, wherever it is outside."""

PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Folders of programs."""
