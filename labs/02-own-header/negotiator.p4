// Lab 2: a switch that takes part in the negotiation of rates (docs/protocol.md). The missing parts are marked "Your part".
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"

const bit<16> NODECTL_PORT = 4747;
const bit<16> NODECTL_UDP_LENGTH = 40;      // with the UDP header
const bit<16> NODECTL_IPV4_LENGTH = 60;     // and the IPv4 header
const bit<8>  NODECTL_VERSION = 1;
const bit<8>  NEW_MESSAGE_TTL = 64;

const bit<16> TYPE_REQUEST   = 0x0011;
const bit<16> TYPE_SUCCESS   = 0x0012;
const bit<16> TYPE_FAILURE   = 0x0013;
const bit<16> TYPE_REDUCE    = 0x0021;
const bit<16> TYPE_INCREASE  = 0x0022;
const bit<16> TYPE_TERMINATE = 0x0023;

// Cells of the counter message_errors.
const bit<32> ERROR_VERSION = 2;
const bit<32> ERROR_TYPE = 3;
const bit<32> ERROR_MAX_ZERO = 5;
const bit<32> ERROR_MIN_ABOVE_MAX = 6;
const bit<32> ERROR_REASONS = 16;

header nodectl_t {
    bit<16> type;
    // Your part 1: the other fields of a negotiation message.
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    udp_t      udp;
    nodectl_t  nodectl;
}

struct metadata_t {
    bit<1>  is_changed;         // the message: its checksum is due
    bit<16> data_port;
    bit<1>  has_capacity;       // there is an entry for the data port
    bit<32> capacity_kbps;
}

parser NegotiatorParser(packet_in packet,
                        out headers_t hdr,
                        inout metadata_t meta,
                        inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.header_length, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        // Your part 2: if this is a message, extract it. Ports and both lengths tell.
        transition accept;
    }
}

control NegotiatorVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control NegotiatorIngress(inout headers_t hdr,
                          inout metadata_t meta,
                          inout standard_metadata_t standard_metadata) {
    counter(ERROR_REASONS, CounterType.packets) message_errors;

    Forwarding() forwarding;
    bit<1> is_routed;
    bit<48> received_from;
    bit<48> received_at;

    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        meta.has_capacity = 1;
        meta.capacity_kbps = capacity_kbps;
    }

    // The capacity of the link behind each port; the controller fills it in.
    table port_capacity {
        key = { meta.data_port: exact @name("data_port"); }
        actions = { set_capacity; NoAction; }
        const default_action = NoAction();
        size = 512;
    }

    // Sends a request back to its sender, as a failure.
    action turn_round() {
        // Your part 5.
    }

    apply {
        received_from = hdr.ethernet.source;
        received_at = hdr.ethernet.destination;
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);

        // Your part 3: count malformed messages, and leave them alone.
        // Your part 4: a request. Look up the capacity of the port that it leaves by; lower max_kbps to that, or turn the request round.
    }
}

control NegotiatorEgress(inout headers_t hdr,
                         inout metadata_t meta,
                         inout standard_metadata_t standard_metadata) {
    apply { }
}

control NegotiatorComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
        // Your part 6: where the message has changed, the UDP checksum must; it covers addresses, protocol, length, ports and message.
    }
}

control NegotiatorDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.nodectl);
    }
}

V1Switch(NegotiatorParser(),
         NegotiatorVerifyChecksum(),
         NegotiatorIngress(),
         NegotiatorEgress(),
         NegotiatorComputeChecksum(),
         NegotiatorDeparser()) main;
