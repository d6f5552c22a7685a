"""Names of schemes: as people write them, and as the kernel knows them. Only this module maps one to the other.

- ``NAME``: this testbed's own source, hosts/cca/NAME.bpf.c, even if the kernel has a module of that name.
- ``NAME(constant=value,…)``: the same with these constants. Each choice of constants is registered by itself, so they run side by side.
- ``linux:NAME``: the kernel's own scheme of that name.
- ``reno``, ``cubic``, ``bbr``: always the kernel's; they need no prefix.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from hosts.cca.constants import as_written, program_values, user_values
from hosts.cca.needs import Needs, needs_of
from hosts.cca.record import RECORD_FILE, read_record
from hosts.cca.sources import KERNEL_ONLY, NAME_LENGTH_MAX, SOURCE_FOLDER, SchemeSource, available, source_of

KERNEL_PREFIX = "linux:"
REGISTERED_PREFIX = "bpf_"
"""Ours are registered under names that no kernel module has."""

_CHECKSUM_DIGITS = 8
_SCHEME = re.compile(r"(?P<prefix>linux:)?(?P<name>[a-z][a-z0-9_-]*)\s*(?:\((?P<constants>[^()]*)\))?")
_BETWEEN_SCHEMES = re.compile(r"[,\s]+(?![^(]*\))")


@dataclass(frozen=True)
class Scheme:
    """A scheme that was asked for. Two are equal if their canonical texts are.

    ``text`` is canonical and serves as a label: constants in the order of the source, numbers without superfluous digits.
    ``constants`` has those that were given, in the user's units.
    """

    text: str
    name: str = field(compare=False)
    from_kernel: bool = field(compare=False)
    constants: dict[str, str | float] = field(compare=False, default_factory=dict)
    source: SchemeSource | None = field(compare=False, default=None, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def needs(self) -> Needs:
        """Its needs beside the sender's congestion control (``NAME.toml`` beside its source); none for the kernel's.

        Raises:
            UserError: the declaration is wrong.
        """
        return Needs() if self.source is None else needs_of(self.source)

    @property
    def program_values(self) -> dict[str, int]:
        """Its constants as its program holds them."""
        return {} if self.source is None else program_values(self.source, self.constants)


def parse_scheme(text: str, folder: Path = SOURCE_FOLDER) -> Scheme:
    """The scheme that ``text`` names; those of this testbed are sources in ``folder``.

    Whether the kernel has a ``linux:NAME`` is not looked at here, since it may load a module for it: see ``loader.can_be_chosen``.

    Raises:
        UserError: ``text`` is wrong; the message says how, and lists the schemes, or the constants that can be set and their ranges.
    """
    match = _SCHEME.fullmatch(text.strip())
    if match is None:
        raise UserError(f"{text!r} is no name of a scheme", "for example: cubic, qtcolfair, qtcolfair(alpha=1.5), linux:vegas")
    name, written = match["name"], match["constants"]
    if match["prefix"] or name in KERNEL_ONLY:
        return _kernels(name, written)
    source = source_of(name, folder)
    if source is None:
        raise UserError(
            f"there is no scheme {name}",
            f"there are: {', '.join([*available(folder), *KERNEL_ONLY])}; other schemes of the kernel: {KERNEL_PREFIX}NAME",
        )
    constants = user_values(source, _pairs(name, written))
    return Scheme(name + as_written(constants), name, False, constants, source)


def _kernels(name: str, written: str | None) -> Scheme:
    if written is not None:
        raise UserError(f"nothing can be set in {name}, which is the kernel's", "only the testbed's own schemes have constants")
    if len(name) > NAME_LENGTH_MAX:
        raise UserError(f"{KERNEL_PREFIX}{name} is too long a name", f"the kernel's names have up to {NAME_LENGTH_MAX} characters")
    return Scheme(name if name in KERNEL_ONLY else KERNEL_PREFIX + name, name, True)


def _pairs(name: str, written: str | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in (written or "").split(","):
        constant, is_value, value = (part.strip() for part in pair.partition("="))
        if not constant and not is_value:
            continue
        if not is_value or not constant or not value:
            raise UserError(f"{name}: {pair.strip()!r} is no constant with a value", f"for example {name}(alpha=1.5)")
        if constant in pairs:
            raise UserError(f"{name}: {constant} is given twice", "give each constant once")
        pairs[constant] = value
    return pairs


def split_schemes(text: str) -> list[str]:
    """The texts of schemes in a list with commas or spaces between them; those within parentheses do not count."""
    return [word for word in _BETWEEN_SCHEMES.split(text.strip()) if word]


def parse_all(schemes: Iterable[Scheme | str], folder: Path = SOURCE_FOLDER) -> list[Scheme]:
    """Each of ``schemes`` once, in their order.

    Raises:
        UserError: one of them cannot be; see :func:`parse_scheme`.
    """
    parsed = (scheme if isinstance(scheme, Scheme) else parse_scheme(scheme, folder) for scheme in schemes)
    return list(dict.fromkeys(parsed))


def socket_name(scheme: Scheme) -> str:
    """The name that ``setsockopt(TCP_CONGESTION)`` takes for ``scheme``, whether or not it is registered now; 15 characters at most.

    A choice of constants has a name of its own, from a checksum of its text.
    """
    if scheme.from_kernel:
        return scheme.name
    plain = REGISTERED_PREFIX + scheme.name
    if not scheme.constants and len(plain) <= NAME_LENGTH_MAX:
        return plain
    checksum = hashlib.sha256(scheme.text.encode()).hexdigest()[:_CHECKSUM_DIGITS]
    return f"{scheme.name[: NAME_LENGTH_MAX - 1 - _CHECKSUM_DIGITS]}_{checksum}"


def text_of(kernel_name: str, *, record_file: Path = RECORD_FILE) -> str:
    """The reverse of :func:`socket_name`: how people write the congestion control that the kernel calls ``kernel_name``.

    The record knows those that were registered from here; BPF programs of somebody else keep the kernel's name.
    """
    registered = read_record(record_file).get(kernel_name)
    if registered is not None:
        return registered.text
    if kernel_name in KERNEL_ONLY:
        return kernel_name
    ours = kernel_name.removeprefix(REGISTERED_PREFIX)
    if ours != kernel_name and ours in available():
        return ours
    return KERNEL_PREFIX + kernel_name
