"""``python -m tests.beside_load``: whether tests that are not in virtual time pass beside changing load, again and again."""
