"""Types of the words on the hosts' command lines, for ``argparse``; each raises :class:`argparse.ArgumentTypeError` for any other word."""

from __future__ import annotations

import argparse
from ipaddress import AddressValueError, IPv4Address

from protocol.wire import MAX_RATE_KBPS

LEAST_RATE_MBPS = 0.001
"""A message says kbit/s."""


def address(text: str) -> str:
    """An IPv4 address."""
    try:
        return str(IPv4Address(text))
    except AddressValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no IPv4 address") from error


def port(text: str) -> int:
    """A TCP or UDP port."""
    number = whole(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port (1 to 65535)")
    return number


def whole(text: str) -> int:
    """A whole number, 0 or above."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number, 0 or above")
    return int(text)


def rate(text: str) -> float:
    """Mbit/s, 0 or above."""
    number = _number(text)
    if not 0 <= number <= MAX_RATE_KBPS / 1000:
        raise argparse.ArgumentTypeError(f"{text} is no rate in Mbit/s")
    return number


def positive_rate(text: str) -> float:
    """Mbit/s that one can ask for."""
    number = rate(text)
    if number < LEAST_RATE_MBPS:
        raise argparse.ArgumentTypeError(f"{text} Mbit/s is too little to ask for")
    return number


def seconds(text: str) -> float:
    """More than nothing, less than a million."""
    number = _number(text)
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no number") from error
