// Lab 2: a switch that takes part in the negotiation of rates (docs/protocol.md).
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
    bit<8>  version;
    bit<8>  flags;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
    bit<32> max_kbps;
    bit<32> min_kbps;
    bit<32> rtt_us;
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
        transition select(hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (NODECTL_PORT, NODECTL_PORT, NODECTL_UDP_LENGTH, NODECTL_IPV4_LENGTH): parse_nodectl;
            default: accept;
        }
    }

    state parse_nodectl {
        packet.extract(hdr.nodectl);
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
    bit<32> sender;

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
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        hdr.ethernet.source = received_at;
        hdr.ethernet.destination = received_from;
        sender = hdr.ipv4.source;
        hdr.ipv4.source = hdr.ipv4.destination;
        hdr.ipv4.destination = sender;
        hdr.ipv4.ttl = NEW_MESSAGE_TTL;
        hdr.nodectl.type = TYPE_FAILURE;
        meta.is_changed = 1;
    }

    apply {
        received_from = hdr.ethernet.source;
        received_at = hdr.ethernet.destination;
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);

        if (is_routed == 1 && hdr.nodectl.isValid()) {
            if (hdr.nodectl.version != NODECTL_VERSION) {
                message_errors.count(ERROR_VERSION);
            } else if (hdr.nodectl.type == TYPE_REQUEST) {
                if (hdr.nodectl.max_kbps == 0) {
                    message_errors.count(ERROR_MAX_ZERO);
                } else if (hdr.nodectl.min_kbps > hdr.nodectl.max_kbps) {
                    message_errors.count(ERROR_MIN_ABOVE_MAX);
                } else {
                    meta.data_port = (bit<16>) standard_metadata.egress_spec;
                    port_capacity.apply();
                    if (meta.has_capacity == 1) {
                        if (meta.capacity_kbps < hdr.nodectl.min_kbps) {
                            turn_round();
                        } else if (meta.capacity_kbps < hdr.nodectl.max_kbps) {
                            hdr.nodectl.max_kbps = meta.capacity_kbps;
                            meta.is_changed = 1;
                        }
                    }
                }
            } else if (hdr.nodectl.type != TYPE_SUCCESS && hdr.nodectl.type != TYPE_FAILURE && hdr.nodectl.type != TYPE_REDUCE
                       && hdr.nodectl.type != TYPE_INCREASE && hdr.nodectl.type != TYPE_TERMINATE) {
                message_errors.count(ERROR_TYPE);
            }
        }
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
        update_checksum(meta.is_changed == 1,
            { hdr.ipv4.source, hdr.ipv4.destination, 8w0, hdr.ipv4.protocol, hdr.udp.length,
              hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length,
              hdr.nodectl.type, hdr.nodectl.version, hdr.nodectl.flags, hdr.nodectl.content_id, hdr.nodectl.destination_id,
              hdr.nodectl.subflow, hdr.nodectl.max_kbps, hdr.nodectl.min_kbps, hdr.nodectl.rtt_us },
            hdr.udp.checksum, HashAlgorithm.csum16);
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
