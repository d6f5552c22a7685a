"""Registering the BPF congestion controls of this folder with the running kernel, and taking them out again.

Used by ``python -m hosts.cca`` and by runs::

    added = loader.register(["nodectl", "qtcol(alpha=1.5)"])     # builds if need be; [] if they are there already
    ...
    loader.unregister(added)

Schemes are given, and named in answers, as people write them (scheme_names.py).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hosts.cca.build import OBJECT_FOLDER, build
from hosts.cca.libbpf import BpfError, Libbpf, StructOpsMap, explain_missing_support
from hosts.cca.object_file import require_bpf_object
from hosts.cca.record import RECORD_FILE, Registered, locked_record, read_record
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme, socket_name, text_of
from hosts.cca.sources import SOURCE_FOLDER, SchemeSource, available
from hosts.connection import set_congestion_control
from protocol.errors import UserError

AVAILABLE_FILE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

Schemes = Sequence[Scheme | str]


class Origin(StrEnum):
    """Where a congestion control comes from."""

    KERNEL = "kernel"
    BPF = "BPF"
    BPF_FOREIGN = "BPF, not from here"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True)
class Entry:
    """One line of the list: a congestion control that can be chosen now, or one that could be loaded.

    ``text`` is how people write it, ``kernel_name`` how the kernel lists it, or would.
    """

    text: str
    kernel_name: str
    origin: Origin
    title: str

    @property
    def is_usable(self) -> bool:
        """Whether ``setsockopt(TCP_CONGESTION)`` would take it now."""
        return self.origin is not Origin.NOT_LOADED


def kernel_names() -> list[str]:
    """The congestion controls that can be chosen now, as the kernel lists them."""
    return AVAILABLE_FILE.read_text(encoding="ascii").split()


def usable_names(*, record_file: Path = RECORD_FILE) -> list[str]:
    """The same as people write them."""
    return [text_of(name, record_file=record_file) for name in kernel_names()]


def can_be_chosen(scheme: Scheme | str) -> bool:
    """Whether a connection can have it now. Chosen by root, the kernel loads a module that it has for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        try:
            set_congestion_control(connection, scheme)
        except (UserError, OSError):
            return False
    return True


def list_all(*, folder: Path = SOURCE_FOLDER, record_file: Path = RECORD_FILE) -> list[Entry]:
    """What can be chosen now and what could be loaded from ``folder``, with the origin of each.

    Without privileges the maps cannot be read; then everything of our names counts as ours.
    """
    sources = available(folder)
    plain = {socket_name(parse_scheme(name, folder)): name for name in sources}
    maps = _registered_maps()
    ours = read_record(record_file)
    usable = kernel_names()
    entries = []
    for kernel_name in usable:
        record = ours.get(kernel_name)
        text = record.text if record else plain.get(kernel_name) or text_of(kernel_name, record_file=record_file)
        source = sources.get(text.split("(")[0])
        entries.append(Entry(text, kernel_name, _origin(kernel_name, record, maps, source), source.title if source else ""))
    entries += [
        Entry(name, kernel_name, Origin.NOT_LOADED, sources[name].title) for kernel_name, name in plain.items() if kernel_name not in usable
    ]
    return entries


def _registered_maps() -> list[StructOpsMap] | None:
    """What is registered with the kernel; None without privileges."""
    try:
        return [entry for entry in Libbpf().struct_ops_maps() if entry.is_registered]
    except (BpfError, UserError):
        return None


def _origin(kernel_name: str, record: Registered | None, maps: list[StructOpsMap] | None, source: SchemeSource | None) -> Origin:
    if maps is None:
        return Origin.BPF if record or source else Origin.KERNEL
    holding = next((entry for entry in maps if entry.is_called(kernel_name)), None)
    if holding is None:
        return Origin.KERNEL
    return Origin.BPF if record is not None and record.map_id == holding.id else Origin.BPF_FOREIGN


def origin_of(scheme: Scheme | str) -> Origin:
    """Where ``scheme`` comes from, for the record of a run."""
    kernel_name = socket_name(parse_scheme(scheme) if isinstance(scheme, str) else scheme)
    return next((entry.origin for entry in list_all() if entry.kernel_name == kernel_name), Origin.NOT_LOADED)


def register(
    schemes: Schemes | None = None,
    *,
    folder: Path = SOURCE_FOLDER,
    objects: Path = OBJECT_FOLDER,
    record_file: Path = RECORD_FILE,
) -> list[str]:
    """Builds and registers those of ``schemes`` (default: all of ours) that are not there yet; returns their texts.

    One that was registered from here earlier and whose program has changed since is replaced by the new one (and is not
    among those returned: whoever registered it first takes it out).

    Raises:
        UserError: unknown scheme or constant, a scheme of the kernel that it does not have, no privileges, no BTF, clang or libbpf missing,
            source does not compile, or the kernel refuses the program. What this call had registered until then is unregistered.
    """
    wanted = _wanted(schemes, folder)
    for scheme in wanted:
        if scheme.from_kernel and not can_be_chosen(scheme):
            raise UserError(_not_the_kernels(scheme), "`python -m hosts.cca list` shows those there are")
    ours = [scheme for scheme in wanted if not scheme.from_kernel]
    if not ours:
        return []
    _require_support()
    library = Libbpf()
    added: list[str] = []
    with locked_record(record_file) as record:
        try:
            for scheme in ours:
                if _register_one(library, scheme, objects, record):
                    added.append(scheme.text)
        except (UserError, BpfError):
            for kernel_name in [name for name, entry in record.items() if entry.text in added]:
                library.unregister(record.pop(kernel_name).map_id)
            raise
    return added


def _wanted(schemes: Schemes | None, folder: Path) -> list[Scheme]:
    return parse_all(schemes or list(available(folder)), folder)


def _not_the_kernels(scheme: Scheme) -> str:
    return f"this kernel has no congestion control {scheme.name}"


@dataclass(frozen=True)
class Missing:
    """A scheme that could not be had, as people write it, and why, in one line or more."""

    name: str
    reason: str


def register_possible(
    schemes: Schemes | None = None,
    *,
    folder: Path = SOURCE_FOLDER,
    objects: Path = OBJECT_FOLDER,
    record_file: Path = RECORD_FILE,
) -> tuple[list[str], list[Missing]]:
    """As :func:`register`, but goes on with the others where one cannot be had; returns what was added and what is missing.

    Raises:
        UserError: unknown scheme or constant, or no privileges (nothing could be registered then, on any kernel).
    """
    wanted = _wanted(schemes, folder)
    ours = [scheme for scheme in wanted if not scheme.from_kernel]
    missing = [Missing(scheme.text, _not_the_kernels(scheme)) for scheme in wanted if scheme.from_kernel and not can_be_chosen(scheme)]
    lack = explain_missing_support()
    if lack:
        return [], missing + [Missing(scheme.text, lack) for scheme in ours]
    if ours:
        _require_support()
    added: list[str] = []
    for scheme in ours:
        try:
            added += register([scheme], folder=folder, objects=objects, record_file=record_file)
        except UserError as error:
            missing.append(Missing(scheme.text, str(error)))
    return added, missing


def _register_one(library: Libbpf, scheme: Scheme, objects: Path, record: dict[str, Registered]) -> bool:
    """Returns whether ``scheme`` was not there before and is now."""
    assert scheme.source is not None
    path = build(scheme.source, objects)
    require_bpf_object(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    kernel_name = socket_name(scheme)
    known = record.get(kernel_name)
    is_present = kernel_name in kernel_names()
    if is_present and (known is None or known.object_sha256 == digest):
        return False
    if is_present and known is not None:
        library.unregister(known.map_id)
    try:
        registered = library.register(path, scheme.name, kernel_name, scheme.program_values)
    except BpfError as error:
        if is_present:
            record.pop(kernel_name, None)
        raise _explain(scheme.text, error) from error
    record[kernel_name] = Registered(kernel_name, scheme.text, registered.id, digest)
    return not is_present


@dataclass(frozen=True)
class Removed:
    """One scheme taken out, as people write it; ``in_use``: connections that have it keep it until they close."""

    name: str
    in_use: bool


def unregister(schemes: Schemes | None = None, *, record_file: Path = RECORD_FILE) -> list[Removed]:
    """Unregisters those of ``schemes`` (default: all) that :func:`register` has registered, and nothing else.

    Raises:
        UserError: one is not registered from here, or no privileges.
    """
    if schemes is not None and not schemes:
        return []
    _require_support()
    library = Libbpf()
    removed = []
    with locked_record(record_file) as record:
        by_text = {entry.text: entry for entry in record.values()}
        texts = list(by_text) if schemes is None else list(dict.fromkeys(_canonical(scheme, by_text) for scheme in schemes))
        strangers = [text for text in texts if text not in by_text]
        if strangers:
            raise UserError(
                f"{', '.join(strangers)}: not registered from here, so not taken out",
                f"registered from here: {', '.join(by_text) or 'nothing'}; `python -m hosts.cca list` shows all",
            )
        for text in texts:
            entry = by_text[text]
            try:
                library.unregister(entry.map_id)
            except BpfError as error:
                if error.number != errno.ENOENT:  # somebody else has taken it out: that is fine
                    raise _explain(text, error) from error
            del record[entry.kernel_name]
            removed.append(Removed(text, any(m.id == entry.map_id for m in library.struct_ops_maps())))
    return removed


def _canonical(scheme: Scheme | str, registered: Mapping[str, Registered]) -> str:
    """The text of ``scheme`` as the record has it; one that was registered from another folder cannot be parsed, and stays as it is."""
    if isinstance(scheme, str) and scheme not in registered:
        with contextlib.suppress(UserError):
            return parse_scheme(scheme).text
    return str(scheme)


def _require_support() -> None:
    missing = explain_missing_support()
    if missing:
        raise UserError(missing, "use a kernel with BTF (Debian's and most distributions' have it), or the kernel's own schemes")
    if os.geteuid() != 0:
        raise UserError("registering congestion controls needs root", "run this as root")


def _explain(name: str, error: BpfError) -> UserError:
    if error.number in (errno.EPERM, errno.EACCES) and "BPF program load failed: Permission denied" not in error.log:
        return UserError(f"{name}: the kernel does not let us use BPF ({error})", "run this as root, with CAP_BPF and CAP_NET_ADMIN")
    if error.number in (0, errno.EEXIST) and str(error).startswith("is not registered"):
        return UserError(f"{name} is registered already", "`python -m hosts.cca list` shows by whom")
    return UserError(f"{name}: {error}", error.log or "the kernel's log (dmesg) may say more")
