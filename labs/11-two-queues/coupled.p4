// Lab 11: a port with two queues, low latency and classic, and one probability that both follow.
// The missing parts are marked "Your part".
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"
#include "base_probability.p4"          // ONE is the probability 1; UpdateBaseProbability works out p'

const bit<16> LOW_LATENCY_QUEUE = 0;
const bit<16> CLASSIC_QUEUE = 1;
const bit<2>  CE = 3;
const bit<48> TIME_SHIFT_US = 30000;    // a classic packet lets those of the other queue go first that come up to so much later
const bit<48> STEP_NS = 1000000;        // low-latency packets that have waited for longer are marked
const bit<8>  COUPLING_SHIFT = 1;       // the coupling factor k is 2 to the power of this
const bit<48> TARGET_NS = 15000000;     // of the classic queue
const bit<48> TICK_NS = 16000000;
const int<64> ALPHA = 45036;            // 0.16 a second, in 1/2^48 a nanosecond, times a tick
const int<64> BETA = 900720;            // 3.2 a second
const bit<32> QUEUES = 2;

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

// Ingress writes the packet's queue and rank, the smallest of which goes first; egress reads the rest.
struct traffic_manager_t {
    bit<16> queue;
    bit<48> rank;
    bit<48> dequeue_ns;
    bit<48> sojourn_ns;                 // how long the packet waited
    bit<32> queue_bytes;                // left behind in its queue
}

struct metadata_t {
    traffic_manager_t traffic_manager;
}

parser CoupledParser(packet_in packet,
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

control CoupledVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control CoupledIngress(inout headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
        if (is_routed == 1) {
            // Your part 1: the packet's queue, and its rank.
            meta.traffic_manager.queue = CLASSIC_QUEUE;
            meta.traffic_manager.rank = 0;
        }
    }
}

control CoupledEgress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    UpdateBaseProbability() update_base_probability;
    counter(QUEUES, CounterType.packets) marked;        // a cell for each queue, all ports together
    counter(QUEUES, CounterType.packets) dropped;
    register<bit<64>>(2 * PORTS) sums;                  // of each port's two queues

    bit<1>  queue = meta.traffic_manager.queue[0:0];
    bit<32> index = (bit<32>) (standard_metadata.egress_port ++ queue);
    bit<48> delay_ns = 0;
    int<64> base_probability;
    bit<64> p;                          // p', from 0 to ONE
    bit<64> probability;
    bit<64> sum;

    apply {
        if (hdr.ipv4.isValid()) {
            if (meta.traffic_manager.queue_bytes != 0) {
                delay_ns = meta.traffic_manager.sojourn_ns;
            }
            update_base_probability.apply(standard_metadata.egress_port, queue, delay_ns, meta.traffic_manager.dequeue_ns,
                TARGET_NS, TICK_NS, ALPHA, BETA, base_probability);
            p = (bit<64>) base_probability;

            // Your part 2: the probability with which a packet of this queue is told. In the low-latency queue, mind STEP_NS.
            probability = 0;

            // Your part 3: add it to the queue's sum. As soon as that is ONE or more, take ONE away: this packet is told.

            // Your part 4: tell its sender, by a mark or by a loss, and count which. Then write the sum back.
        }
    }
}

control CoupledComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.header_length == 5,
            IPV4_FIELDS(hdr.ipv4), hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control CoupledDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(CoupledParser(),
         CoupledVerifyChecksum(),
         CoupledIngress(),
         CoupledEgress(),
         CoupledComputeChecksum(),
         CoupledDeparser()) main;
