"""Lab 1: does the switch forward as a router does?"""

from labs.check import but, check, frame, ipv4, udp
from labs.check.measured import Measured
from labs.check.switch import Switch

OWN, NEXT = "02:00:00:00:00:99", "02:00:00:00:00:88"


def set_up(switch: Switch) -> None:
    """Two prefixes, one inside the other, and one address of its own in that."""
    switch.route("10.0.0.0/8", 2, OWN, NEXT)
    switch.route("10.0.2.0/24", 3, OWN, NEXT)
    switch.route("10.0.2.7/32", 4, OWN, NEXT)


def forwards(switch: Switch) -> None:
    """A program that drops everything drops the right packets too: that earns nothing."""
    switch.send(1, ipv4()).leaves(3, "a packet with nothing wrong has to be forwarded before it counts what is dropped")


@check(points=3)
def by_the_port_of_the_route(switch: Switch) -> None:
    """An IPv4 packet leaves by the port that its route names."""
    switch.send(1, ipv4(ipv4_destination="10.0.2.7")).leaves(4, "the route to 10.0.2.7/32 names port 4")


@check(points=2)
def longest_prefix(switch: Switch) -> None:
    """Of several routes that fit, the longest prefix counts."""
    switch.send(1, ipv4(ipv4_destination="10.9.9.9")).leaves(2, "only 10.0.0.0/8 fits 10.9.9.9; does the table look for prefixes?")
    switch.send(1, ipv4(ipv4_destination="10.0.2.200")).leaves(3, "10.0.2.0/24 is longer than 10.0.0.0/8, and both fit 10.0.2.200")
    switch.send(1, ipv4(ipv4_destination="10.0.2.7")).leaves(4, "10.0.2.7/32 is the longest that fits")


@check(points=1)
def no_route(switch: Switch) -> None:
    """A packet that no route fits is dropped."""
    forwards(switch)
    switch.send(1, ipv4(ipv4_destination="192.0.2.1")).is_dropped("there is no route to 192.0.2.1")


@check(points=2)
def new_addresses(switch: Switch) -> None:
    """It leaves with the port's own Ethernet address as source, and the next hop's as destination."""
    switch.send(1, ipv4()).leaves(3, ethernet_source=OWN, ethernet_destination=NEXT)


@check(points=1)
def ttl_goes_down(switch: Switch) -> None:
    """The TTL is one lower."""
    switch.send(1, ipv4(ipv4_ttl=64)).leaves(3, "each router takes one off", ipv4_ttl=63)
    switch.send(1, ipv4(ipv4_ttl=2)).leaves(3, "a TTL of 2 is enough for one more hop", ipv4_ttl=1)


@check(points=2)
def ttl_runs_out(switch: Switch) -> None:
    """A packet whose TTL would become 0 is dropped."""
    forwards(switch)
    switch.send(1, ipv4(ipv4_ttl=1)).is_dropped("its TTL of 1 has run out here, and 0 must not be sent")
    switch.send(1, ipv4(ipv4_ttl=0)).is_dropped("its TTL is 0 already; 0 - 1 is 255 in 8 bits, and it would go round for ever")


@check(points=2)
def checksum_is_right(switch: Switch) -> None:
    """The IPv4 checksum that leaves fits the header that leaves."""
    for packet in (ipv4(ipv4_ttl=64), ipv4(ipv4_ttl=9, ipv4_identification=0xFFFE, ipv4_dscp_ecn=0xB9), udp(ipv4_destination="10.0.2.7")):
        sent = switch.send(1, packet)
        if not sent.by_ports:
            raise sent.failed("the packet was dropped, though its checksum is right")
        port = sent.by_ports[0]
        sent.leaves_as(port, but(packet, ethernet_source=OWN, ethernet_destination=NEXT, ipv4_ttl=packet[22] - 1))


@check(points=1)
def nothing_else_changes(switch: Switch) -> None:
    """All other fields and all bytes after the header leave as they came."""
    payload = bytes(range(256)) * 4
    packet = udp(payload, ipv4_source="10.0.1.5", ipv4_dscp_ecn=0x2E, ipv4_identification=0xBEEF, ipv4_do_not_fragment=1)
    changed = ("ethernet.source", "ethernet.destination", "ipv4.ttl", "ipv4.checksum")
    switch.send(1, packet).leaves_as(3, packet, "only addresses, TTL and checksum may change", without=changed)


@check(points=2)
def wrong_checksum_comes(switch: Switch) -> None:
    """A packet whose IPv4 checksum is wrong is dropped: nobody knows which of its fields is damaged."""
    forwards(switch)
    switch.send(1, ipv4(ipv4_checksum=0x1234)).is_dropped("its checksum is wrong")
    switch.send(1, but(ipv4(), ipv4_destination="10.0.2.9", ipv4_checksum=0xBEEF)).is_dropped("its checksum is wrong")


@check(points=1)
def not_ipv4(switch: Switch) -> None:
    """A packet that is not IPv4 is dropped (ARP, IPv6, another version), and so is one whose header has options."""
    forwards(switch)
    ethernet = "020000000101" + "020000000001"
    switch.send(1, frame(ethernet, "0806", "0001080006040001", bytes(20))).is_dropped("it is an ARP packet: there is no IPv4 header in it")
    switch.send(1, frame(ethernet, "86dd", "6000000000083b40", bytes(40))).is_dropped("it is an IPv6 packet")
    options = frame(ethernet, "0800", "46000024000100004001", "0000", "0a000101", "0a000201", "01010101", bytes(12))
    switch.send(1, options).is_dropped("its header has options (header_length 6), over which this checksum is not computed")
    switch.send(1, ipv4(ipv4_version=5)).is_dropped("its version is 5, whatever its EtherType says")


@check(points=3, scenario="run.toml")
def carries_tcp(run: Measured) -> None:
    """In a network of two such switches TCP fills the bottleneck, and both connections get through."""
    run.at_least("total_mbps", 18.0, "the bottleneck carries 20 Mbit/s of frames, some 19 of payload")
    run.at_least("mean_mbps.A", 4.0, "A hardly gets through")
    run.at_least("mean_mbps.B", 4.0, "B hardly gets through")
