"""How long rejected measurements may be repeated."""

from __future__ import annotations


class RepetitionTime:
    """How long rejected measurements may be repeated, over all cells.

    Args:
        limit_s: real seconds for all repetitions together; None: without limit.
    """

    def __init__(self, limit_s: float | None = None) -> None:
        self._left_s = limit_s

    @property
    def is_left(self) -> bool:
        """Whether one more repetition may begin; the last one may go beyond the limit."""
        return self._left_s is None or self._left_s > 0

    def spend(self, seconds: float) -> None:
        """Take the real seconds of a repetition off what is left."""
        if self._left_s is not None:
            self._left_s -= seconds
