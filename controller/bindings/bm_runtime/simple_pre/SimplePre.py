"""Its enumerations and exceptions, which are those of ``simple_pre_lag``; there is no client."""

from bmv2_services import types_of

globals().update(types_of("simple_pre_lag"))
