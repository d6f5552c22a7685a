"""Registers the congestion controls of this folder with the running kernel, and takes them out again.

They are BPF programs in the machine's own kernel, and modules in a user-mode kernel; only :func:`_registry` knows which.

Used by ``python -m hosts.cca`` and by runs::

    added = loader.register(["nodectl", "qtcol(alpha=1.5)"])     # builds if need be; [] if they are there already
    ...
    loader.unregister(added)

Schemes are given, and named in answers, as people write them (scheme_names.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from hosts.cca.bpf_registry import BpfRegistry
from hosts.cca.build import OBJECT_FOLDER
from hosts.cca.module_registry import ModuleRegistry, module_folder
from hosts.cca.record import RECORD_FILE, Registered, locked_record, read_record
from hosts.cca.registry import Missing, Origin, Registry, require_support
from hosts.cca.scheme_names import Scheme, parse_all, parse_scheme, socket_name, text_of
from hosts.cca.sources import SOURCE_FOLDER, available
from hosts.connection import set_congestion_control

AVAILABLE_FILE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

Schemes = Sequence[Scheme | str]

NO_SUPPORT_REMEDY = "use a kernel with BTF (Debian's and most distributions' have it), or the kernel's own schemes"


def _registry(objects: Path = OBJECT_FOLDER) -> Registry:
    """The way of the kernel that we run in."""
    folder = module_folder()
    return BpfRegistry(objects) if folder is None else ModuleRegistry(folder)


@dataclass(frozen=True)
class Entry:
    """One line of the list: a congestion control that can be chosen now, or one that could be loaded.

    ``text`` is how people write it, ``kernel_name`` how the kernel lists it, or would.
    """

    text: str
    kernel_name: str
    origin: Origin
    title: str


def explain_missing_support() -> str | None:
    """Why no scheme of ours can be had here, whatever the privileges; None if nothing speaks against it."""
    return _registry().explain_missing_support()


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
    """The congestion controls that can be chosen now, and those that could be loaded from ``folder``, each with its origin.

    Without privileges BPF maps cannot be read; then every congestion control with one of our names counts as ours.
    """
    sources = available(folder)
    plain = {socket_name(parse_scheme(name, folder)): name for name in sources}
    registry = _registry()
    ours = read_record(record_file)
    usable = kernel_names()
    entries = []
    for kernel_name in usable:
        record = ours.get(kernel_name)
        text = record.text if record else plain.get(kernel_name) or text_of(kernel_name, record_file=record_file)
        source = sources.get(text.split("(")[0])
        origin = registry.origin(kernel_name, record, source)
        entries.append(Entry(text, kernel_name, origin, source.title if source else ""))
    entries += [
        Entry(name, kernel_name, Origin.NOT_LOADED, sources[name].title) for kernel_name, name in plain.items() if kernel_name not in usable
    ]
    return entries


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

    A scheme that was registered from here earlier and whose program has changed since is replaced by the new one. It is not among those
    returned: the caller that registered it first takes it out.

    Raises:
        UserError: unknown scheme or constant, no such scheme in the kernel, no privileges, no BTF, no clang or libbpf, the source does not
            compile, or the kernel refuses the program. All that this call had registered until then is unregistered.
    """
    wanted = _wanted(schemes, folder)
    for scheme in wanted:
        if scheme.from_kernel and not can_be_chosen(scheme):
            raise UserError(_not_the_kernels(scheme), "`python -m hosts.cca list` shows those there are")
    ours = [scheme for scheme in wanted if not scheme.from_kernel]
    if not ours:
        return []
    registry = _registry(objects)
    require_support(registry, NO_SUPPORT_REMEDY)
    added: list[str] = []
    with locked_record(record_file) as record:
        try:
            for scheme in ours:
                if _register_one(registry, scheme, record):
                    added.append(scheme.text)
        except UserError:
            for kernel_name in [name for name, entry in record.items() if entry.text in added]:
                registry.unregister(record.pop(kernel_name))
            raise
    return added


def _wanted(schemes: Schemes | None, folder: Path) -> list[Scheme]:
    return parse_all(schemes or list(available(folder)), folder)


def _not_the_kernels(scheme: Scheme) -> str:
    return f"this kernel has no congestion control {scheme.name}"


def register_possible(
    schemes: Schemes | None = None,
    *,
    folder: Path = SOURCE_FOLDER,
    objects: Path = OBJECT_FOLDER,
    record_file: Path = RECORD_FILE,
) -> tuple[list[str], list[Missing]]:
    """As :func:`register`, but a scheme that cannot be had does not stop the others; returns those added and those missing.

    Raises:
        UserError: unknown scheme or constant, or no privileges (nothing could be registered then, on any kernel).
    """
    wanted = _wanted(schemes, folder)
    ours = [scheme for scheme in wanted if not scheme.from_kernel]
    missing = [Missing(scheme.text, _not_the_kernels(scheme)) for scheme in wanted if scheme.from_kernel and not can_be_chosen(scheme)]
    registry = _registry(objects)
    lack = registry.explain_missing_support()
    if lack:
        return [], missing + [Missing(scheme.text, lack) for scheme in ours]
    if ours:
        require_support(registry, NO_SUPPORT_REMEDY)
    added: list[str] = []
    for scheme in ours:
        try:
            added += register([scheme], folder=folder, objects=objects, record_file=record_file)
        except UserError as error:
            missing.append(Missing(scheme.text, str(error)))
    return added, missing


def _register_one(registry: Registry, scheme: Scheme, record: dict[str, Registered]) -> bool:
    """Returns whether ``scheme`` was not there before and is now."""
    path = registry.object_of(scheme)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    kernel_name = socket_name(scheme)
    known = record.get(kernel_name)
    is_present = kernel_name in kernel_names()
    if is_present and (known is None or known.object_sha256 == digest):
        return False
    if is_present and known is not None and registry.unregister(known) and registry.stays_in_use:
        raise UserError(f"{scheme.text} has changed, and open connections have it as it was", "load it again when they are closed")
    try:
        number = registry.register(scheme, path)
    except UserError:
        if is_present:
            record.pop(kernel_name, None)
        raise
    record[kernel_name] = Registered(kernel_name, scheme.text, number, digest)
    return not is_present


@dataclass(frozen=True)
class Removed:
    """One scheme taken out, as people write it; ``in_use``: connections that have it keep it until they close. ``stays``: until
    then it can be chosen, too, and has to be taken out again.
    """

    name: str
    in_use: bool
    stays: bool = False


def unregister(schemes: Schemes | None = None, *, record_file: Path = RECORD_FILE) -> list[Removed]:
    """Unregisters those of ``schemes`` (default: all) that :func:`register` has registered, and nothing else.

    Raises:
        UserError: one is not registered from here, or no privileges.
    """
    if schemes is not None and not schemes:
        return []
    registry = _registry()
    require_support(registry, NO_SUPPORT_REMEDY)
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
            in_use = registry.unregister(entry)
            stays = in_use and registry.stays_in_use
            if not stays:
                del record[entry.kernel_name]
            removed.append(Removed(text, in_use, stays))
    return removed


def _canonical(scheme: Scheme | str, registered: Mapping[str, Registered]) -> str:
    """The text of ``scheme`` as the record has it; one that was registered from another folder cannot be parsed, and stays as it is."""
    if isinstance(scheme, str) and scheme not in registered:
        with contextlib.suppress(UserError):
            return parse_scheme(scheme).text
    return str(scheme)
