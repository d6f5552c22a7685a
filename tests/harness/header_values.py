"""Hypothesis strategies for headers: every value that fits each field."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

from protocol.layout import Header, LayoutField, layout_of

H = TypeVar("H", bound=Header)


def headers(header: type[H]) -> st.SearchStrategy[H]:
    """Headers of one kind."""
    layout = layout_of(header)
    return st.fixed_dictionaries({field.name: _values(field) for field in layout.fields}).map(layout.build)


def _values(field: LayoutField) -> st.SearchStrategy[int]:
    if field.kind is bool:
        return st.booleans().map(int)
    if field.kind is int:
        return st.integers(0, 2**field.bits - 1)
    return st.sampled_from(sorted(int(kind) for kind in field.kind))  # type: ignore[attr-defined]  # an enumeration
