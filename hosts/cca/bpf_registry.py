"""Congestion controls as BPF programs of the machine's kernel."""

from __future__ import annotations

import errno
from functools import cached_property
from pathlib import Path

from common.errors import UserError
from hosts.cca.build import build
from hosts.cca.libbpf import BpfError, Libbpf, StructOpsMap, explain_missing_support
from hosts.cca.object_file import require_bpf_object
from hosts.cca.record import Registered
from hosts.cca.registry import Origin
from hosts.cca.scheme_names import Scheme, socket_name
from hosts.cca.sources import SchemeSource


class BpfRegistry:
    """Builds schemes to ``objects`` and registers them through libbpf."""

    stays_in_use = False

    def __init__(self, objects: Path) -> None:
        self._objects = objects

    def explain_missing_support(self) -> str | None:
        """As the protocol says: a kernel without BTF."""
        return explain_missing_support()

    def object_of(self, scheme: Scheme) -> Path:
        """Builds it if need be."""
        assert scheme.source is not None
        path = build(scheme.source, self._objects)
        require_bpf_object(path)
        return path

    def register(self, scheme: Scheme, path: Path) -> int:
        """As the protocol says."""
        try:
            return self._library.register(path, scheme.name, socket_name(scheme), scheme.program_values).id
        except BpfError as error:
            raise _explain(scheme.text, error) from error

    def unregister(self, entry: Registered) -> bool:
        """As the protocol says."""
        assert entry.map_id is not None
        try:
            self._library.unregister(entry.map_id)
        except BpfError as error:
            if error.number != errno.ENOENT:  # somebody else has taken it out: that is fine
                raise _explain(entry.text, error) from error
        return any(m.id == entry.map_id for m in self._library.struct_ops_maps())

    def origin(self, kernel_name: str, record: Registered | None, source: SchemeSource | None) -> Origin:
        """Without privileges the maps cannot be read; then everything of our names counts as ours."""
        if self._registered_maps is None:
            return Origin.BPF if record or source else Origin.KERNEL
        holding = next((entry for entry in self._registered_maps if entry.is_called(kernel_name)), None)
        if holding is None:
            return Origin.KERNEL
        return Origin.BPF if record is not None and record.map_id == holding.id else Origin.BPF_FOREIGN

    @cached_property
    def _library(self) -> Libbpf:
        return Libbpf()

    @cached_property
    def _registered_maps(self) -> list[StructOpsMap] | None:
        """The struct_ops maps that are registered with the kernel; None without privileges."""
        try:
            return [entry for entry in self._library.struct_ops_maps() if entry.is_registered]
        except (BpfError, UserError):
            return None


def _explain(name: str, error: BpfError) -> UserError:
    if error.number in (errno.EPERM, errno.EACCES) and "BPF program load failed: Permission denied" not in error.log:
        return UserError(f"{name}: the kernel does not let us use BPF ({error})", "run this as root, with CAP_BPF and CAP_NET_ADMIN")
    if error.number in (0, errno.EEXIST) and str(error).startswith("is not registered"):
        return UserError(f"{name} is registered already", "`python -m hosts.cca list` shows by whom")
    return UserError(f"{name}: {error}", error.log or "the kernel's log (dmesg) may say more")
