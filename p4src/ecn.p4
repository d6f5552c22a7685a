// ECN: a router that marks packets that come while its queue is long, instead of dropping those that no longer fit.
//
// Source: K. Ramakrishnan et al., RFC 3168 (2001), section 5; M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1: a
// packet is marked if more than K packets wait when it comes. The marks are for congestion control `dctcp`.
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"
#include "ports.p4"

// K. The paper wants more than C x RTT / 7 (its section 3.4): 36 frames of 1066 bytes at 36 Mbit/s and 60 ms.
#ifndef MARKING_THRESHOLD
#define MARKING_THRESHOLD 40
#endif

const bit<2> NOT_ECT = 0;               // the sender does not know of ECN: a mark is lost on it, and only a loss tells
const bit<2> CONGESTION_EXPERIENCED = 3;

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

struct metadata_t {
}

parser EcnParser(packet_in packet,
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
        transition accept;
    }
}

control EcnVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control EcnIngress(inout headers_t hdr,
                   inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
    }
}

// Behind the queue: only here a packet's enq_qdepth is known, the packets that waited when it came.
control EcnEgress(inout headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    counter(PORTS, CounterType.packets) marked;

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.dscp_ecn[1:0] != NOT_ECT && standard_metadata.enq_qdepth > MARKING_THRESHOLD) {
            hdr.ipv4.dscp_ecn[1:0] = CONGESTION_EXPERIENCED;
            marked.count((bit<32>) standard_metadata.egress_port);
        }
    }
}

control EcnComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control EcnDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(EcnParser(),
         EcnVerifyChecksum(),
         EcnIngress(),
         EcnEgress(),
         EcnComputeChecksum(),
         EcnDeparser()) main;
