"""A link's keys in a scenario file: rate, delay, queue, losses, changes over time; each direction by itself if need be."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator, model_validator

from common.units import BITS_PER_MEGABIT, US_PER_MS
from scenario.base import PositiveRate, Strict
from scenario.disciplines.base import Discipline
from scenario.disciplines.parsing import NONE, parse_discipline
from scenario.schema_errors import first_error

Percent = Annotated[float, Field(ge=0, lt=100)]
DEFAULT_QUEUE_PACKETS = 1000


class BurstLoss(Strict):
    """Losses in bursts (Gilbert 1960, Elliott 1963): a good and a bad state, left by chance at each packet."""

    enter_percent: float = Field(gt=0, le=100)
    """Chance that a packet changes the good state into the bad one."""
    leave_percent: float = Field(gt=0, le=100)
    """Chance that a packet changes the bad state back."""
    good_loss_percent: Percent = 0.0
    """Chance that a packet is lost in the good state."""
    bad_loss_percent: float = Field(default=100.0, gt=0, le=100)
    """Chance that a packet is lost in the bad state."""


class FilteredLoss(Strict):
    """Packets of one kind that are lost besides, drawn from a sequence of their own; all others are not touched by it."""

    filter: str = Field(min_length=1, examples=["udp port 4747"])
    """The packets, named as for traces of packets: ``udp port 4747``, ``src 10.0.0.1``."""
    loss_percent: Percent
    """Chance that such a packet is lost."""


class TraceStep(Strict):
    """Values that hold from a moment on; a value that a step leaves out stays as it is."""

    at_s: float = Field(ge=0)
    """Seconds after the start of the transmissions."""
    rate_mbps: float | None = Field(default=None, ge=0, le=100_000)
    """Bit rate; 0: nothing leaves until another step."""
    delay_ms: float | None = Field(default=None, ge=0, le=10_000)
    """Propagation delay, one way."""
    loss_percent: Percent | None = None
    """Chance that a packet is lost."""


class LinkParameters(Strict):
    """One direction of a link."""

    rate_mbps: PositiveRate
    """Bit rate of Ethernet frames without FCS."""
    delay_ms: float = Field(default=0.0, ge=0, le=10_000)
    """Propagation delay, one way."""
    jitter_us: float = Field(default=0.0, ge=0, le=1_000_000)
    """At most this much more delay for each packet, drawn evenly, microseconds: a real host's variation. No packet overtakes another."""
    queue_packets: int | None = Field(default=None, ge=1, le=1_000_000)
    """Packets that fit into the queue (DropTail)."""
    queue_bytes: int | None = Field(default=None, ge=64, le=10_000_000_000)
    """Bytes that fit into the queue (DropTail). With both keys, the first limit holds; with neither, 1000 packets fit."""
    priorities: int = Field(default=1, ge=1, le=8)
    """Queues, each with these limits, that are served by strict priority; the P4 program says which packet waits in which."""
    discipline: str = Field(default=NONE, examples=["codel(target_ms=5, interval_ms=100)"])
    """How a switch chooses the next packet, and packets to drop or mark (docs/disciplines.md). A host's own queue stays DropTail."""
    negotiated_percent: float = Field(default=100.0, gt=0, le=100)
    """Share of the link reserved for negotiating flows. They may also use what other traffic leaves idle (docs/protocol/beside-tcp.md).
    100: they divide all of it, whatever others send."""
    loss_percent: Percent = 0.0
    """Chance that a packet is lost, independent of the others."""
    byte_error_rate: float = Field(default=0.0, ge=0, lt=1)
    """Probability that a byte is damaged: a packet of n bytes is lost with 1 − (1 − rate)^n."""
    burst_loss: BurstLoss | None = None
    """Losses in bursts."""
    filtered_loss: tuple[FilteredLoss, ...] = ()
    """Losses of some kinds of packets, besides."""
    trace: tuple[TraceStep, ...] = ()
    """Changes over time, counted from the start of the transmissions."""
    trace_repeats_after_s: float | None = Field(default=None, gt=0)
    """The trace begins anew after so many seconds."""

    @model_validator(mode="before")
    @classmethod
    def _default_queue(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("queue_packets") is None and value.get("queue_bytes") is None:
            return value | {"queue_packets": DEFAULT_QUEUE_PACKETS}
        return value

    @field_validator("discipline")
    @classmethod
    def _discipline_is_known(cls, value: str) -> str:
        parse_discipline(value)
        return value

    @model_validator(mode="after")
    def _queues_of_one_kind(self) -> LinkParameters:
        if self.priorities > 1 and self.queue_discipline.fields_of_link():
            raise ValueError("discipline: it has queues of its own, so the link has no priorities")
        return self

    @model_validator(mode="after")
    def _one_loss_model(self) -> LinkParameters:
        if sum(map(bool, (self.loss_percent, self.byte_error_rate, self.burst_loss))) > 1:
            raise ValueError("loss_percent, byte_error_rate and burst_loss: a direction of a link has one of them")
        return self

    @model_validator(mode="after")
    def _trace_goes_forward(self) -> LinkParameters:
        times = [step.at_s for step in self.trace]
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise ValueError("trace: the steps are not in the order of their times")
        if self.trace_repeats_after_s is not None and (not times or times[-1] >= self.trace_repeats_after_s):
            raise ValueError("trace_repeats_after_s: it has to be after the last step of the trace")
        return self

    @property
    def queue_discipline(self) -> Discipline:
        """``discipline`` with its parameters."""
        return parse_discipline(self.discipline)

    @property
    def rate_bps(self) -> int:
        """Bit rate, Ethernet frame bytes without FCS, in bit/s."""
        return round(self.rate_mbps * BITS_PER_MEGABIT)

    @property
    def delay_us(self) -> float:
        """Propagation delay, one way, in microseconds."""
        return self.delay_ms * US_PER_MS

    @property
    def loss(self) -> float:
        """Probability that a packet is lost, 0 to 1."""
        return self.loss_percent / 100.0


class Link(LinkParameters):
    """Both directions of a link: alike, but for the keys that ``reverse`` changes in the second one.

    The first direction is the one of the link's name: from the first-named end to the other, on an access link from the host.
    """

    reverse: dict[str, Any] = Field(default={}, examples=[{"rate_mbps": 5}])
    """Keys of the second direction that differ from the first."""

    @model_validator(mode="after")
    def _reverse_is_possible(self) -> Link:
        try:
            _ = self.back
        except ValidationError as error:
            raise ValueError(f"reverse: {first_error(error, LinkParameters)}") from None
        return self

    @cached_property
    def there(self) -> LinkParameters:
        """The first direction."""
        return LinkParameters.model_validate(self.model_dump(exclude={"reverse"}))

    @cached_property
    def back(self) -> LinkParameters:
        """The other direction."""
        return LinkParameters.model_validate(merged(self.model_dump(exclude={"reverse"}), self.reverse))

    def but(self, changes: dict[str, Any]) -> Link:
        """The link with some keys changed.

        Raises:
            pydantic.ValidationError: the changes make no link.
        """
        return Link.model_validate(merged(self.model_dump(), changes))


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Link parameters with some changed; another queue replaces the old one, however it is counted."""
    if {"queue_packets", "queue_bytes"} & changes.keys():
        base = base | {"queue_packets": None, "queue_bytes": None}
    return base | changes
