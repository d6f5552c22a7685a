"""Names of transmissions and texts of rates, for people."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address

from common.units import KILOBITS_PER_MEGABIT


class NameBook:
    """Names of transmissions by their addresses: the label, else "h1→h4", else the addresses."""

    def __init__(self, hosts: Mapping[IPv4Address, str], labels: Mapping[str, str]) -> None:
        """``labels`` has keys "SENDER>RECEIVER" (see scenario.network_description)."""
        self._hosts = {int(address): name for address, name in hosts.items()}
        self._labels = dict(labels)
        self._known: dict[tuple[int, int], str] = {}

    def host(self, address: int) -> str:
        """Name of the host with this IPv4 address, or the address itself."""
        return self._hosts.get(address) or str(IPv4Address(address))

    def transmission(self, sender_ip: int, receiver_ip: int, subflow: int = 0) -> str:
        """Name of the transmission from one address to another; subflows other than 0 are told apart by "/N"."""
        name = self._known.get((sender_ip, receiver_ip))
        if name is None:
            label = self._labels.get(f"{IPv4Address(sender_ip)}>{IPv4Address(receiver_ip)}")
            name = label or f"{self.host(sender_ip)}→{self.host(receiver_ip)}"
            self._known[sender_ip, receiver_ip] = name
        return f"{name}/{subflow}" if subflow else name


def rate_text(rate_kbps: int) -> str:
    """The rate in Mbit/s without its unit: one digit after the point, three below 1 Mbit/s."""
    digits = 1 if rate_kbps >= KILOBITS_PER_MEGABIT or rate_kbps == 0 else 3
    return f"{rate_kbps / KILOBITS_PER_MEGABIT:.{digits}f}"
