"""The host service `nodectl`: any program's connections get negotiated rates (docs/host-service.md)."""
