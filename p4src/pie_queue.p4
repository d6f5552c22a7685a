// Queues with PIE (Proportional Integral controller Enhanced) at chosen ports. Packets that come are dropped or marked with a probability.
// It rises while packets wait longer than a target, or ever longer.
//
// Source: R. Pan, P. Natarajan, F. Baker, G. White, RFC 8033 (2017), sections 4 and 5; its delay by time stamps (section 5.2), and random
// drops further apart (section 5.4). Names are those of the RFC. Its timer is the packets that come: one does what a tick is to do. Where
// several ticks have gone by, the next packets make up for them, one each.
#ifndef PIE_QUEUE_P4
#define PIE_QUEUE_P4

#include "queue_length.p4"
#include "queue_ticks.p4"
#include "random_number.p4"
#include "tell_sender.p4"

struct traffic_manager_t {
}

// How long the last packet of each port waited, in microseconds; 0 if it left nothing behind.
register<bit<32>>(PORTS) queueing_delays;

// Of probabilities: 2^40 is 1.
const int ONE = 1 << 40;
const int A_TENTH = ONE / 10;
const int A_FIFTIETH = ONE / 50;
const int LONG_DELAY_US = 250000;

// One tick: calculate_drop_prob().
control UpdateDropProb(in int<64> qdelay, in int<64> qdelay_old, in int<64> target_us, in int<64> alpha, in int<64> beta,
                       inout int<64> drop_prob) {
    int<64> p;

    apply {
        p = alpha * (qdelay - target_us) + beta * (qdelay - qdelay_old);
        if (drop_prob < ONE / 1000000) {
            p = p >> 11;
        } else if (drop_prob < ONE / 100000) {
            p = p >> 9;
        } else if (drop_prob < ONE / 10000) {
            p = p >> 7;
        } else if (drop_prob < ONE / 1000) {
            p = p >> 5;
        } else if (drop_prob < ONE / 100) {
            p = p >> 3;
        } else if (drop_prob < A_TENTH) {
            p = p >> 1;
        } else if (p > A_FIFTIETH) {
            p = A_FIFTIETH;
        }
        if (qdelay > LONG_DELAY_US) {
            p = p + A_FIFTIETH;
        }
        drop_prob = drop_prob + p;
        if (qdelay == 0 && qdelay_old == 0) {
            drop_prob = drop_prob - (drop_prob >> 6);
        }
        if (drop_prob < 0) {
            drop_prob = 0;
        } else if (drop_prob > ONE) {
            drop_prob = ONE;
        }
    }
}

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    UpdateDropProb() update_drop_prob;
    RandomNumber() random_number;
    CountEntering() count_entering;
    TellSender() tell_sender;

    register<bit<48>>(PORTS) next_ticks;
    register<bit<64>>(PORTS) drop_probs;
    register<bit<64>>(PORTS) accu_probs;
    register<bit<32>>(PORTS) old_delays;
    register<bit<32>>(PORTS) burst_allowances;

    bit<32> target_us = 0;
    bit<32> tick_us = 0;
    int<64> alpha = 0;
    int<64> beta = 0;
    bit<32> max_burst_us = 0;
    bit<32> seed = 0;
    bit<1> marks = 0;

    bit<32> port = (bit<32>) standard_metadata.egress_spec;
    bit<48> now = standard_metadata.ingress_global_timestamp;
    bit<48> next_tick;
    bit<64> read_prob;
    bit<64> accu_prob;
    int<64> drop_prob;
    bit<32> qdelay;
    bit<32> qdelay_old;
    bit<32> burst_allowance;
    bit<32> length;
    bit<32> random;
    bit<1> drops = 0;

    // A tick's delays in microseconds, times alpha and beta, are a probability times 2^40.
    action manage(bit<32> with_target_us, bit<32> with_tick_us, bit<64> with_alpha, bit<64> with_beta, bit<32> with_max_burst_us,
                  bit<32> with_seed, bit<1> with_marks) {
        target_us = with_target_us;
        tick_us = with_tick_us;
        alpha = (int<64>) with_alpha;
        beta = (int<64>) with_beta;
        max_burst_us = with_max_burst_us;
        seed = with_seed;
        marks = with_marks;
    }

    table managed_ports {
        key = { standard_metadata.egress_spec: exact @name("egress_port"); }
        actions = { manage; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (managed_ports.apply().hit) {
            next_ticks.read(next_tick, port);
            drop_probs.read(read_prob, port);
            drop_prob = (int<64>) read_prob;
            accu_probs.read(accu_prob, port);
            queueing_delays.read(qdelay, port);
            old_delays.read(qdelay_old, port);
            burst_allowances.read(burst_allowance, port);
            queue_lengths.read(length, port);

            if (now >= next_tick) {
                if (now - next_tick >= (bit<48>) tick_us << FORGOTTEN_TICKS_SHIFT) {
                    next_tick = now;
                    drop_prob = 0;
                    qdelay_old = 0;
                }
                next_tick = next_tick + (bit<48>) tick_us;
                update_drop_prob.apply((int<64>) (bit<64>) qdelay, (int<64>) (bit<64>) qdelay_old, (int<64>) (bit<64>) target_us, alpha, beta,
                    drop_prob);
                burst_allowance = burst_allowance |-| tick_us;
                if (drop_prob == 0 && qdelay < target_us >> 1 && qdelay_old < target_us >> 1) {
                    burst_allowance = max_burst_us;
                    accu_prob = 0;
                }
                qdelay_old = qdelay;
                next_ticks.write(port, next_tick);
                drop_probs.write(port, (bit<64>) drop_prob);
                old_delays.write(port, qdelay_old);
                burst_allowances.write(port, burst_allowance);
            }

            // drop_early()
            if (burst_allowance == 0 && !(qdelay_old < target_us >> 1 && drop_prob < ONE / 5) && length > 2) {
                if (drop_prob == 0) {
                    accu_prob = 0;
                } else {
                    accu_prob = accu_prob + (bit<64>) drop_prob;
                }
                if (accu_prob >= (bit<64>) (ONE / 2 * 17)) {
                    drops = 1;
                } else if (accu_prob >= (bit<64>) (ONE / 100 * 85)) {
                    random_number.apply(standard_metadata.egress_spec, seed, random);
                    if ((bit<64>) random << 8 < (bit<64>) drop_prob) {
                        drops = 1;
                    }
                }
            }
            if (drops == 1) {
                accu_prob = 0;
            }
            accu_probs.write(port, accu_prob);

            // A probability above a tenth says that marks are of no use.
            if (ipv4.dscp_ecn[1:0] == NOT_ECT || drop_prob > A_TENTH) {
                marks = 0;
            }
            if (drops == 0 || marks == 1) {
                count_entering.apply(standard_metadata.egress_spec);
            }
            if (drops == 1) {
                tell_sender.apply(ipv4, standard_metadata, standard_metadata.egress_spec, marks);
            }
        }
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    CountLeft() count_left;

    bit<32> delay = standard_metadata.deq_timedelta;

    apply {
        count_left.apply(standard_metadata);
        if (standard_metadata.deq_qdepth == 0) {
            delay = 0;
        }
        queueing_delays.write((bit<32>) standard_metadata.egress_port, delay);
    }
}

#endif
