"""Reading packet-ins, the pipeline's reports to the controller (docs/protocol/wire-format.md, "Packet-in: events").

A packet-in is the header `Event` (protocol/headers.py), followed by the frame that caused it as it was received (nothing where a
packet-out entry caused it). Over P4Runtime the header travels as packet metadata, named as its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from protocol.codes import AdmittedVerdict, EntryProblem, EventType, RefusedVerdict, RemovedVerdict
from protocol.deployable_headers import DeployableEvent
from protocol.headers import EVENT_BYTES, Event
from protocol.layout import FieldError, Layout, layout_of

E = TypeVar("E", bound=Event)

__all__ = [
    "EVENT_BYTES",
    "EVENT_FIELDS",
    "AdmittedVerdict",
    "EntryProblem",
    "Event",
    "EventError",
    "EventType",
    "RefusedVerdict",
    "RemovedVerdict",
    "decode_event",
    "deployable_event_from_metadata",
    "event_from_metadata",
]

_LAYOUT = layout_of(Event)
_DEPLOYABLE_LAYOUT = layout_of(DeployableEvent)
EVENT_FIELDS = _LAYOUT.names
"""Names of the packet_in header's fields, in order."""


class EventError(ValueError):
    """A packet-in that is no event of the pipeline."""


def decode_event(data: bytes) -> tuple[Event, bytes]:
    """Event and remaining frame from the raw bytes the pipeline sends out of the CPU port."""
    try:
        values = _LAYOUT.values(data)
    except FieldError:
        raise EventError(f"packet-in of {len(data)} bytes is shorter than its header ({EVENT_BYTES} bytes)") from None
    return event_from_metadata(values), data[EVENT_BYTES:]


def event_from_metadata(metadata: Mapping[str, int]) -> Event:
    """Event from the packet metadata of a P4Runtime packet-in."""
    return _built(_LAYOUT, metadata)


def deployable_event_from_metadata(metadata: Mapping[str, int]) -> Event:
    """The same of the deployable variant."""
    return _built(_DEPLOYABLE_LAYOUT, metadata)


def _built(layout: Layout[E], metadata: Mapping[str, int]) -> E:
    try:
        return layout.build(metadata)
    except KeyError as error:
        raise EventError(f"packet-in has no metadata field {error}; is this the Nodectl pipeline?") from None
    except ValueError:
        raise EventError(f"packet-in has unknown event number {metadata['event']}") from None
