"""Its client."""

from bmv2_services import client_of, types_of

globals().update(types_of("simple_pre_lag"))
Client = client_of("simple_pre_lag", "SimplePreLAG")
