"""Its client."""

from bmv2_services import client_of, types_of

globals().update(types_of("standard"))
Client = client_of("standard", "Standard")
