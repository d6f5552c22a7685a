// Whether CoDel drops a packet that leaves a queue: when for an interval each has waited longer than a target, ever more often until they do
// not.
//
// Source: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, RFC 8289 (2018), section 5. There, a loop takes packets out of the queue until
// one may be sent. Here, each packet that leaves the queue goes through egress once, and the link takes the next one at the same moment if
// it is dropped.
#ifndef CODEL_DECISION_P4
#define CODEL_DECISION_P4

#include "inverse_square_root.p4"

const bit<2> NO_STEP = 0;
const bit<2> STEP_IF_LATE = 1;
const bit<2> STEP_ANYWAY = 2;

// The state machine of so many queues: whether the packet of one is to be dropped. Names are those of the RFC. queue_bytes is left in the
// queue, bytes_left in all that count as one with it.
control CodelDecision(in bit<48> now,
                      in bit<48> sojourn_ns,
                      in bit<32> queue_bytes,
                      in bit<32> bytes_left,
                      in bit<32> index,
                      in bit<48> target_ns,
                      in bit<48> interval_ns,
                      in bit<32> max_packet_bytes,
                      in bit<1> can_be_marked,
                      out bit<1> drops)
                     (bit<32> queues) {
    InverseSquareRoot() inverse_square_root;

    register<bit<48>>(queues) first_above_times;
    register<bit<48>>(queues) drop_nexts;
    register<bit<16>>(queues) counts;
    register<bit<16>>(queues) last_counts;
    register<bit<1>>(queues) droppings;
    // Whether drop_next has yet to move on by the control law: if the next packet is late too, or in any case. The RFC does it after it
    // has looked at that packet, but for one that is marked before.
    register<bit<2>>(queues) steps;

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
        if (sojourn_ns < target_ns || bytes_left <= max_packet_bytes) {
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

        // The RFC looks for the next packet at once, and there is none.
        if (queue_bytes == 0 && drops == 1 && can_be_marked == 0) {
            first_above_time = 0;
            dropping = 0;
            if (step == STEP_IF_LATE) {
                step = NO_STEP;
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

#endif
