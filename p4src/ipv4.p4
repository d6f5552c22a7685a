// Headers that every IPv4 router knows.
#ifndef IPV4_P4
#define IPV4_P4

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<8>  PROTOCOL_TCP = 6;
const bit<8>  PROTOCOL_UDP = 17;

// ECN: the last two bits of dscp_ecn (RFC 3168, RFC 9331).
const bit<2> NOT_ECT = 0;  // the sender does not know of ECN: a mark is lost on it, and only a loss tells
const bit<2> CONGESTION_EXPERIENCED = 3;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  header_length;
    bit<8>  dscp_ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<1>  reserved;
    bit<1>  do_not_fragment;
    bit<1>  more_fragments;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

// Of the checksum, which stands between protocol and source.
#define IPV4_FIELDS(ipv4) { \
    ipv4.version, ipv4.header_length, ipv4.dscp_ecn, ipv4.total_length, ipv4.identification, ipv4.reserved, \
    ipv4.do_not_fragment, ipv4.more_fragments, ipv4.fragment_offset, ipv4.ttl, ipv4.protocol, ipv4.source, ipv4.destination }

#endif
