// CoDel: a router that drops (or marks) packets when for an interval each has waited longer than a target, ever more often until they do not.
//
// Source: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, RFC 8289 (2018), section 5. There, a loop takes packets out of the queue until
// one may be sent. Here, each packet that leaves the queue goes through egress once, and the link takes the next one at the same moment if
// it is dropped.
#include <core.p4>
#include <v1model.p4>

#include "forwarding.p4"
#include "inverse_square_root.p4"
#include "ports.p4"
#include "traffic_manager.p4"

struct metadata_t {
    traffic_manager_t traffic_manager;
}

#include "router.p4"

control CodelIngress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    bit<1> is_routed;

    apply {
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, is_routed);
    }
}

const bit<2> NO_STEP = 0;
const bit<2> STEP_IF_LATE = 1;
const bit<2> STEP_ANYWAY = 2;

// The state machine of one queue: whether its packet is to be dropped. Names are those of the RFC.
control Codel(in traffic_manager_t queue,
              in bit<32> index,
              in bit<48> target_ns,
              in bit<48> interval_ns,
              in bit<32> max_packet_bytes,
              in bit<1> can_be_marked,
              out bit<1> drops) {
    InverseSquareRoot() inverse_square_root;

    register<bit<48>>(PORTS) first_above_times;
    register<bit<48>>(PORTS) drop_nexts;
    register<bit<16>>(PORTS) counts;
    register<bit<16>>(PORTS) last_counts;
    register<bit<1>>(PORTS) droppings;
    // Whether drop_next has yet to move on by the control law: if the next packet is late too, or in any case. The RFC does it after it
    // has looked at that packet, but for one that is marked before.
    register<bit<2>>(PORTS) steps;

    bit<48> now = queue.dequeue_ns;
    bit<48> first_above_time;
    bit<48> drop_next;
    bit<16> count;
    bit<16> last_count;
    bit<1> dropping;
    bit<2> step;
    bit<1> is_late = 0;
    bit<1> begins = 0;
    bit<32> share;

    apply {
        drops = 0;
        first_above_times.read(first_above_time, index);
        drop_nexts.read(drop_next, index);
        counts.read(count, index);
        last_counts.read(last_count, index);
        droppings.read(dropping, index);
        steps.read(step, index);

        // dodequeue: late are packets once all of an interval have been above the target.
        if (queue.sojourn_ns < target_ns || queue.queue_bytes <= max_packet_bytes) {
            first_above_time = 0;
        } else if (first_above_time == 0) {
            first_above_time = now + interval_ns;
        } else if (now >= first_above_time) {
            is_late = 1;
        }

        if (dropping == 0 && is_late == 1) {
            begins = 1;
            dropping = 1;
            // Where it has been dropping until recently, it begins with the rate that it had.
            if (count > last_count && count - last_count > 1 && (now < drop_next || now - drop_next < (interval_ns << 4))) {
                count = count - last_count;
            } else {
                count = 1;
            }
            last_count = count;
            drop_next = now;
            step = STEP_ANYWAY;
        } else if (is_late == 0) {
            dropping = 0;
        }

        // The control law: the next drop is interval / sqrt(count) later.
        if (step == STEP_ANYWAY || (step == STEP_IF_LATE && is_late == 1)) {
            inverse_square_root.apply(count, share);
            drop_next = drop_next + ((interval_ns * (bit<48>) share) >> 16);
        }
        step = NO_STEP;

        if (begins == 1) {
            drops = 1;
        } else if (dropping == 1 && now >= drop_next) {
            drops = 1;
            count = count |+| 1;
            if (can_be_marked == 1) {
                step = STEP_ANYWAY;
            } else {
                step = STEP_IF_LATE;
            }
        }

        first_above_times.write(index, first_above_time);
        drop_nexts.write(index, drop_next);
        counts.write(index, count);
        last_counts.write(index, last_count);
        droppings.write(index, dropping);
        steps.write(index, step);
    }
}

control CodelEgress(inout headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    Codel() codel;
    counter(PORTS, CounterType.packets) dropped;
    counter(PORTS, CounterType.packets) marked;

    bit<48> target_ns = 0;
    bit<48> interval_ns = 0;
    bit<32> max_packet_bytes = 0;
    bit<1> marks = 0;
    bit<1> can_be_marked = 0;
    bit<1> drops;

    // with_marks: packets whose senders know of ECN are marked instead of dropped.
    action manage(bit<48> with_target_ns, bit<48> with_interval_ns, bit<32> with_max_packet_bytes, bit<1> with_marks) {
        target_ns = with_target_ns;
        interval_ns = with_interval_ns;
        max_packet_bytes = with_max_packet_bytes;
        marks = with_marks;
    }

    // Ports without an entry have queues that drop what finds no room, and nothing else.
    table managed_ports {
        key = { standard_metadata.egress_port: exact; }
        actions = { manage; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (hdr.ipv4.isValid() && managed_ports.apply().hit) {
            if (marks == 1 && hdr.ipv4.dscp_ecn[1:0] != NOT_ECT) {
                can_be_marked = 1;
            }
            codel.apply(meta.traffic_manager, (bit<32>) standard_metadata.egress_port, target_ns, interval_ns, max_packet_bytes,
                can_be_marked, drops);
            if (drops == 1 && can_be_marked == 1) {
                hdr.ipv4.dscp_ecn[1:0] = CONGESTION_EXPERIENCED;
                marked.count((bit<32>) standard_metadata.egress_port);
            } else if (drops == 1) {
                mark_to_drop(standard_metadata);
                dropped.count((bit<32>) standard_metadata.egress_port);
            }
        }
    }
}

V1Switch(RouterParser(),
         RouterVerifyChecksum(),
         CodelIngress(),
         CodelEgress(),
         RouterComputeChecksum(),
         RouterDeparser()) main;
