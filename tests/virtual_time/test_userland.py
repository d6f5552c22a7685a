"""The programs inside: the same digest wherever the same versions are installed."""

from __future__ import annotations

from virtual_time.userland import INSIDE_PACKAGES, userland


def test_where_packages_were_installed_is_no_part_of_them() -> None:
    """The note of what was installed has the checksums of scripts, which name the folder of their Python."""
    notes = {path.rpartition("/")[2] for path in userland(("numpy",)).files if path.startswith(f"{INSIDE_PACKAGES}/numpy-")}
    assert "METADATA" in notes
    assert not notes & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
