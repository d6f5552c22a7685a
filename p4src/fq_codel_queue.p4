// Queues with FQ-CoDel at chosen ports: each flow has one queue of many, which take turns, and each queue has CoDel.
//
// Source: T. Hoeiland-Joergensen et al., RFC 8290 (2018). The turns are the link model's (scheduler
// drr with new_first: docs/links.md), and so is what happens when all queues together are full.
#ifndef FQ_CODEL_QUEUE_P4
#define FQ_CODEL_QUEUE_P4

// Ingress writes the packet's queue, and egress reads the rest: docs/links.md, "Several queues".
struct traffic_manager_t {
    bit<16> queue;
    bit<48> dequeue_ns;
    bit<48> sojourn_ns;
    bit<32> queue_bytes;
    bit<32> port_bytes;
}

#include "codel_decision.p4"
#include "tell_sender.p4"

// Of all ports with FQ-CoDel together.
const bit<32> QUEUES = 65536;

const bit<64> ALL_FLOW_HASHES = 0x100000000;

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    bit<32> flow_hash;

    // seed: odd. It changes which flows share a queue: a CRC of sums is the sum of CRCs, so products go in (equal_cost_ways.p4).
    action classify(bit<32> seed, bit<16> queues) {
        hash(flow_hash, HashAlgorithm.crc32, (bit<32>) 0,
            { ipv4.source * seed, ipv4.destination * seed, transport_ports * seed, ipv4.protocol }, ALL_FLOW_HASHES);
        hash(traffic_manager.queue, HashAlgorithm.identity, (bit<16>) 0, { flow_hash }, queues);
    }

    table classified_ports {
        key = { standard_metadata.egress_spec: exact @name("egress_port"); }
        actions = { classify; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        classified_ports.apply();
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    CodelDecision(QUEUES) codel_decision;
    TellSender() tell_sender;

    bit<32> first_queue = 0;
    bit<48> target_ns = 0;
    bit<48> interval_ns = 0;
    bit<32> max_packet_bytes = 0;
    bit<1> marks = 0;
    bit<1> drops;

    // with_first_queue: where the port's queues begin in the registers of all ports.
    action manage(bit<32> with_first_queue, bit<48> with_target_ns, bit<48> with_interval_ns, bit<32> with_max_packet_bytes,
                  bit<1> with_marks) {
        first_queue = with_first_queue;
        target_ns = with_target_ns;
        interval_ns = with_interval_ns;
        max_packet_bytes = with_max_packet_bytes;
        marks = with_marks;
    }

    table managed_ports {
        key = { standard_metadata.egress_port: exact @name("egress_port"); }
        actions = { manage; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (managed_ports.apply().hit) {
            if (ipv4.dscp_ecn[1:0] == NOT_ECT) {
                marks = 0;
            }
            // Of all the port's queues, as in Linux: a flow of one packet among many is too late, too.
            codel_decision.apply(traffic_manager.dequeue_ns, traffic_manager.sojourn_ns, traffic_manager.queue_bytes,
                traffic_manager.port_bytes, first_queue + (bit<32>) traffic_manager.queue, target_ns, interval_ns, max_packet_bytes, marks, drops);
            if (drops == 1) {
                tell_sender.apply(ipv4, standard_metadata, standard_metadata.egress_port, marks);
            }
        }
    }
}

#endif
