// The controller of a port with two queues: one probability, from which each queue's own follows.
//
// Source: K. De Schepper, B. Briscoe, G. White, RFC 9332 (2023), appendix A: dualpi2_update(). Its timer is the packets that leave: one does
// what a tick is to do. Where several ticks have gone by, the next packets make up for them, one each.
#ifndef BASE_PROBABILITY_P4
#define BASE_PROBABILITY_P4

#include "ports.p4"
#include "queue_ticks.p4"

// Of probabilities: 2^48 is 1.
const int ONE = 1 << 48;

// p' follows the time in the slower queue. delay_ns is how long the packet that leaves waited, or 0 if it leaves nothing behind in its queue.
// Delays in nanoseconds, times alpha and beta, are a probability times 2^48.
control UpdateBaseProbability(in bit<9> port, in bit<1> queue, in bit<48> delay_ns, in bit<48> now, in bit<48> target_ns, in bit<48> tick_ns,
                              in int<64> alpha, in int<64> beta, out int<64> p) {
    register<bit<48>>(2 * PORTS) delays;
    register<bit<48>>(PORTS) next_ticks;
    register<bit<64>>(PORTS) probabilities;
    register<bit<48>>(PORTS) old_delays;

    bit<48> delay;
    bit<48> other_delay;
    bit<48> next_tick;
    bit<48> old_delay;
    bit<64> read_probability;

    apply {
        delay = delay_ns;
        delays.write((bit<32>) (port ++ queue), delay);
        delays.read(other_delay, (bit<32>) (port ++ ~queue));
        if (other_delay > delay) {
            delay = other_delay;
        }

        next_ticks.read(next_tick, (bit<32>) port);
        probabilities.read(read_probability, (bit<32>) port);
        p = (int<64>) read_probability;
        if (now >= next_tick) {
            old_delays.read(old_delay, (bit<32>) port);
            if (now - next_tick >= tick_ns << FORGOTTEN_TICKS_SHIFT) {
                next_tick = now;
                p = 0;
                old_delay = 0;
            }
            next_ticks.write((bit<32>) port, next_tick + tick_ns);
            p = p + alpha * ((int<64>) (bit<64>) delay - (int<64>) (bit<64>) target_ns)
                + beta * ((int<64>) (bit<64>) delay - (int<64>) (bit<64>) old_delay);
            if (p < 0) {
                p = 0;
            } else if (p > ONE) {
                p = ONE;
            }
            probabilities.write((bit<32>) port, (bit<64>) p);
            old_delays.write((bit<32>) port, delay);
        }
    }
}

#endif
