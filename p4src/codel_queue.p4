// Queues with CoDel (RFC 8289) at chosen ports.
#ifndef CODEL_QUEUE_P4
#define CODEL_QUEUE_P4

// The switch tells these facts about a packet's time in the queue: docs/links.md, "Several queues".
struct traffic_manager_t {
    bit<48> dequeue_ns;   // now: when the packet left the queue
    bit<48> sojourn_ns;   // how long it was in there
    bit<32> queue_bytes;  // what it left behind
}

#include "codel_decision.p4"
#include "tell_sender.p4"

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    apply {
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    CodelDecision(PORTS) codel_decision;
    TellSender() tell_sender;

    bit<48> target_ns = 0;
    bit<48> interval_ns = 0;
    bit<32> max_packet_bytes = 0;
    bit<1> marks = 0;
    bit<1> drops;

    // with_marks: packets whose senders know of ECN are marked instead of dropped.
    action manage(bit<48> with_target_ns, bit<48> with_interval_ns, bit<32> with_max_packet_bytes, bit<1> with_marks) {
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
            codel_decision.apply(traffic_manager.dequeue_ns, traffic_manager.sojourn_ns, traffic_manager.queue_bytes,
                traffic_manager.queue_bytes, (bit<32>) standard_metadata.egress_port, target_ns, interval_ns, max_packet_bytes, marks, drops);
            if (drops == 1) {
                tell_sender.apply(ipv4, standard_metadata, standard_metadata.egress_port, marks);
            }
        }
    }
}

#endif
