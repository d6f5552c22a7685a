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

struct metadata_t {
}

#include "router.p4"

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

V1Switch(RouterParser(),
         RouterVerifyChecksum(),
         EcnIngress(),
         EcnEgress(),
         RouterComputeChecksum(),
         RouterDeparser()) main;
