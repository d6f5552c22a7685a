"""Its structures, enumerations and exceptions."""

from bmv2_services import types_of

globals().update(types_of("standard"))
