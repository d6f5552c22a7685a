// Queues with DualPI2 at chosen ports: one for senders that keep queues short and are marked often (L4S), one for the classic ones. Both
// follow one controller, so that a flow of either kind gets the same rate.
//
// Source: K. De Schepper, B. Briscoe, G. White, RFC 9332 (2023), appendix A, with its protection against overload (A.2). Names are those
// of the RFC. Which queue is next is the link model's: its scheduler pifo makes the time-shifted FIFO of the ranks below.
#ifndef DUALPI2_QUEUE_P4
#define DUALPI2_QUEUE_P4

// Ingress writes the packet's queue and rank, and egress reads the rest: docs/links.md, "Several queues".
struct traffic_manager_t {
    bit<16> queue;
    bit<48> rank;
    bit<48> dequeue_ns;
    bit<48> sojourn_ns;
    bit<32> queue_bytes;
    bit<32> port_bytes;
}

#include "base_probability.p4"
#include "random_number.p4"
#include "tell_sender.p4"

const bit<16> LOW_LATENCY_QUEUE = 0;
const bit<16> CLASSIC_QUEUE = 1;

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    // A classic packet goes behind those of the other queue that come up to so much later.
    action classify(bit<48> time_shift_us) {
        traffic_manager.rank = standard_metadata.ingress_global_timestamp;
        if (ipv4.dscp_ecn[0:0] == 0) {
            traffic_manager.queue = CLASSIC_QUEUE;
            traffic_manager.rank = traffic_manager.rank + time_shift_us;
        }
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

// So often on average: evenly, by recur(), or where the random number is small; 0 is none.
control Recur(in bit<32> index, in int<64> likelihood, in bit<32> random, out bit<1> occurs) {
    register<bit<64>>(2 * PORTS) counts;

    bit<64> count;

    apply {
        occurs = 0;
        if (random != 0) {
            if ((int<64>) ((bit<64>) random << 16) < likelihood) {
                occurs = 1;
            }
        } else {
            counts.read(count, index);
            count = count + (bit<64>) likelihood;
            if (count > (bit<64>) ONE) {
                count = count - (bit<64>) ONE;
                occurs = 1;
            }
            counts.write(index, count);
        }
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    UpdateBaseProbability() update_base_probability;
    Recur() recur;
    Recur() recur_overload;
    RandomNumber() random_number;
    TellSender() tell_sender;

    bit<48> target_ns = 0;
    bit<48> tick_ns = 0;
    int<64> alpha = 0;
    int<64> beta = 0;
    int<64> coupling = 0;
    bit<48> min_threshold_ns = 0;
    bit<48> max_threshold_ns = 0;
    int<64> ramp = 0;
    int<64> max_classic = 0;
    bit<32> max_packet_bytes = 0;
    bit<32> seed = 0;

    bit<1> queue = traffic_manager.queue[0:0];
    bit<32> index = (bit<32>) (standard_metadata.egress_port ++ queue);
    bit<48> delay = 0;
    int<64> p;
    int<64> p_classic;
    int<64> p_coupled;
    int<64> p_native = 0;
    bit<1> drops = 0;
    bit<1> marks = 0;
    bit<32> random = 0;

    // Delays in nanoseconds, times alpha and beta, are a probability times 2^48, and so are those above with_min_threshold_ns, times ramp.
    // Without a seed, marks are even.
    action manage(bit<48> with_target_ns, bit<48> with_tick_ns, bit<64> with_alpha, bit<64> with_beta, bit<64> with_coupling,
                  bit<48> with_min_threshold_ns, bit<48> with_max_threshold_ns, bit<64> with_ramp, bit<64> with_max_classic,
                  bit<32> with_max_packet_bytes, bit<32> with_seed) {
        target_ns = with_target_ns;
        tick_ns = with_tick_ns;
        alpha = (int<64>) with_alpha;
        beta = (int<64>) with_beta;
        coupling = (int<64>) with_coupling;
        min_threshold_ns = with_min_threshold_ns;
        max_threshold_ns = with_max_threshold_ns;
        ramp = (int<64>) with_ramp;
        max_classic = (int<64>) with_max_classic;
        max_packet_bytes = with_max_packet_bytes;
        seed = with_seed;
    }

    table managed_ports {
        key = { standard_metadata.egress_port: exact @name("egress_port"); }
        actions = { manage; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (managed_ports.apply().hit) {
            if (traffic_manager.queue_bytes != 0) {
                delay = traffic_manager.sojourn_ns;
            }
            update_base_probability.apply(standard_metadata.egress_port, queue, delay, traffic_manager.dequeue_ns, target_ns, tick_ns, alpha,
                beta, p);
            p_classic = (p >> 17) * (p >> 17) >> 14;
            p_coupled = p * coupling;
            if (seed != 0) {
                random_number.apply(standard_metadata.egress_port, seed, random);
            }

            if (traffic_manager.queue == CLASSIC_QUEUE) {
                if (traffic_manager.port_bytes > max_packet_bytes) {
                    recur.apply(index, p_classic, random, marks);
                    if (marks == 1 && (ipv4.dscp_ecn[1:0] == NOT_ECT || p_classic >= max_classic)) {
                        drops = 1;
                    }
                }
            } else if (p_coupled < ONE) {
                // laqm(): a ramp, but for a queue that was only this packet.
                if (traffic_manager.queue_bytes == 0) {
                    p_native = 0;
                } else if (traffic_manager.sojourn_ns >= max_threshold_ns) {
                    p_native = ONE;
                } else if (traffic_manager.sojourn_ns > min_threshold_ns) {
                    p_native = (int<64>) (bit<64>) (traffic_manager.sojourn_ns - min_threshold_ns) * ramp;
                }
                if (p_native > p_coupled) {
                    p_coupled = p_native;
                }
                recur.apply(index, p_coupled, random, marks);
            } else {
                recur.apply(index, p_coupled, random, marks);
                if (seed != 0) {
                    random_number.apply(standard_metadata.egress_port, seed, random);
                }
                recur_overload.apply(index, p_classic, random, drops);
            }
            if (drops == 1) {
                marks = 0;
            }
            if (marks == 1 || drops == 1) {
                tell_sender.apply(ipv4, standard_metadata, standard_metadata.egress_port, marks);
            }
        }
    }
}

#endif
