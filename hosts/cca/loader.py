"""Registering the BPF congestion controls of this folder with the running kernel, and taking them out again.

Used by ``python -m hosts.cca`` and by runs::

    added = loader.register(["nodectl"])     # builds if need be; [] if it is there already
    ...
    loader.unregister(added)

Constants that a paper varies can be set: ``loader.register(["qtcol"], constants={"alpha": "1.5"})``.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hosts.cca.build import OBJECT_FOLDER, build
from hosts.cca.constants import constants_of, program_values
from hosts.cca.libbpf import BpfError, Libbpf, explain_missing_support
from hosts.cca.object_file import require_bpf_object
from hosts.cca.record import RECORD_FILE, Registered, locked_record
from hosts.cca.sources import SECOND_NAME_PREFIX, SOURCE_FOLDER, Scheme, available, find
from hosts.connection import set_congestion_control
from protocol.errors import UserError

AVAILABLE_FILE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class Origin(StrEnum):
    """Where a congestion control comes from."""

    KERNEL = "kernel"
    BPF = "BPF"
    BPF_FOREIGN = "BPF, not from here"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True)
class Entry:
    """One line of the list: a congestion control that can be chosen now, or one that could be loaded."""

    name: str
    origin: Origin
    title: str
    constants: str = ""
    """What was set in it, as a user writes it: ``alpha=1.5``; empty for the paper's values."""

    @property
    def is_usable(self) -> bool:
        """Whether ``setsockopt(TCP_CONGESTION)`` would take it now."""
        return self.origin is not Origin.NOT_LOADED


def usable_names() -> list[str]:
    """The congestion controls that can be chosen now, as the kernel lists them."""
    return AVAILABLE_FILE.read_text(encoding="ascii").split()


def can_be_chosen(scheme: str) -> bool:
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
    schemes = available(folder)
    usable = usable_names()
    try:
        registered = {m.name: m.id for m in Libbpf().struct_ops_maps() if m.is_registered}
    except (BpfError, UserError):
        registered = {name: 0 for name in schemes if name in usable}
    ours: dict[str, Registered] = {}
    if os.access(record_file.parent, os.W_OK):
        with locked_record(record_file) as record:
            ours = dict(record)
    entries = []
    for name in usable:
        origin = Origin.KERNEL
        if name in registered:
            is_ours = registered[name] == 0 or (name in ours and registered[name] == ours[name].map_id)
            origin = Origin.BPF if is_ours else Origin.BPF_FOREIGN
        title = schemes[name].title if name in schemes else ""
        is_set = origin is Origin.BPF and name in ours and name in schemes
        entries.append(Entry(name, origin, title, _as_written(schemes[name], ours[name].constants) if is_set else ""))
    entries += [Entry(s.name, Origin.NOT_LOADED, s.title) for s in schemes.values() if s.name not in usable]
    return entries


def _as_written(scheme: Scheme, values: dict[str, int]) -> str:
    known = constants_of(scheme)
    return " ".join(f"{name}={value / known[name].scale:g}" for name, value in values.items() if name in known)


def origin_of(name: str) -> Origin:
    """Where congestion control ``name`` comes from, for the record of a run."""
    return next((entry.origin for entry in list_all() if entry.name == name), Origin.NOT_LOADED)


def register(
    names: list[str] | None = None,
    *,
    folder: Path = SOURCE_FOLDER,
    objects: Path = OBJECT_FOLDER,
    record_file: Path = RECORD_FILE,
    constants: Mapping[str, str] | None = None,
) -> list[str]:
    """Builds and registers those of ``names`` (default: all) that the kernel does not have yet; returns their names.

    One that was registered from here earlier and whose program has changed since is replaced by the new one (and is not
    among the names returned: whoever registered it first takes it out). ``constants`` (as a user writes them: ``{"alpha": "1.5"}``)
    are for one scheme, and replace it if it has others; without them, one that is there keeps what was set in it.

    Raises:
        UserError: unknown name or constant, no privileges, no BTF, clang or libbpf missing, source does not compile, or the kernel
            refuses the program. What this call had registered until then is unregistered.
    """
    schemes = find(names or [], folder)
    if constants and len(schemes) != 1:
        raise UserError("constants are set in one scheme at a time", "name one scheme, and its constants after it")
    values = program_values(schemes[0], constants) if constants else None
    _require_support()
    library = Libbpf()
    added: list[str] = []
    with locked_record(record_file) as record:
        try:
            for scheme in schemes:
                if _register_one(library, scheme, objects, record, values):
                    added.append(scheme.name)
        except (UserError, BpfError):
            for name in added:
                library.unregister(record.pop(name).map_id)
            raise
    return added


@dataclass(frozen=True)
class Missing:
    """A congestion control that could not be registered, and why, in one line or more."""

    name: str
    reason: str


def register_possible(
    names: list[str] | None = None,
    *,
    folder: Path = SOURCE_FOLDER,
    objects: Path = OBJECT_FOLDER,
    record_file: Path = RECORD_FILE,
) -> tuple[list[str], list[Missing]]:
    """As :func:`register`, but goes on with the others where one cannot be had; returns what was added and what is missing.

    Schemes that the kernel has under the same name are not missing, whatever else it lacks.

    Raises:
        UserError: unknown name, or no privileges (nothing could be registered then, on any kernel).
    """
    schemes = find(names or [], folder)
    lack = explain_missing_support()
    if lack:
        return [], [Missing(scheme.name, lack) for scheme in schemes if scheme.name not in usable_names()]
    _require_support()
    added: list[str] = []
    missing: list[Missing] = []
    for scheme in schemes:
        try:
            added += register([scheme.name], folder=folder, objects=objects, record_file=record_file)
        except UserError as error:
            missing.append(Missing(scheme.name, str(error)))
    return added, missing


def _register_one(library: Libbpf, scheme: Scheme, objects: Path, record: dict[str, Registered], wanted: dict[str, int] | None) -> bool:
    """Returns whether ``scheme`` was not there before and is now."""
    path = build(scheme, objects)
    require_bpf_object(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    known = record.get(scheme.name)
    is_present = scheme.name in usable_names()
    if is_present and known is None and wanted:
        raise UserError(
            f"{scheme.name} is there already and was not registered from here, so nothing can be set in it",
            f"`python -m hosts.cca list` shows where it comes from{_second_name_hint(scheme)}",
        )
    if is_present and (known is None or (known.object_sha256 == digest and wanted in (None, known.constants))):
        return False
    if is_present and known is not None:
        library.unregister(known.map_id)
        wanted = _still_settable(scheme, known.constants) if wanted is None else wanted
    try:
        registered = library.register(path, scheme.name, wanted)
    except BpfError as error:
        if is_present:
            record.pop(scheme.name, None)
        raise _explain(scheme.name, error) from error
    record[scheme.name] = Registered(scheme.name, registered.id, digest, wanted or {})
    return not is_present


def _still_settable(scheme: Scheme, constants: dict[str, int]) -> dict[str, int]:
    """What was set in a program that has changed since, without what it does not have any more."""
    known = constants_of(scheme)
    return {name: value for name, value in constants.items() if name in known}


def _second_name_hint(scheme: Scheme) -> str:
    second = SECOND_NAME_PREFIX + scheme.name
    return f"; {second} can be loaded beside it" if second in available(scheme.source.parent) else ""


@dataclass(frozen=True)
class Removed:
    """One congestion control taken out; ``in_use``: connections that have it keep it until they close."""

    name: str
    in_use: bool


def unregister(names: list[str] | None = None, *, record_file: Path = RECORD_FILE) -> list[Removed]:
    """Unregisters those of ``names`` (default: all) that :func:`register` has registered, and nothing else.

    Raises:
        UserError: a name is not registered from here, or no privileges.
    """
    if names == []:
        return []
    _require_support()
    library = Libbpf()
    removed = []
    with locked_record(record_file) as record:
        strangers = [name for name in names or [] if name not in record]
        if strangers:
            raise UserError(
                f"{', '.join(strangers)}: not registered from here, so not taken out",
                f"registered from here: {', '.join(record) or 'nothing'}; `python -m hosts.cca list` shows all",
            )
        for name in list(dict.fromkeys(names if names is not None else record)):
            entry = record[name]
            try:
                library.unregister(entry.map_id)
            except BpfError as error:
                if error.number != errno.ENOENT:  # somebody else has taken it out: that is fine
                    raise _explain(name, error) from error
            del record[name]
            removed.append(Removed(name, any(m.id == entry.map_id for m in library.struct_ops_maps())))
    return removed


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
