// Random numbers that a model can draw too. v1model's random() differs from switch to switch.
//
// Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003, with shifts 13, 17, 5.
#ifndef RANDOM_NUMBER_P4
#define RANDOM_NUMBER_P4

#include "ports.p4"

// seed: not 0. Each port has a sequence of its own.
control RandomNumber(in bit<9> port, in bit<32> seed, out bit<32> number) {
    register<bit<32>>(PORTS) last;

    apply {
        last.read(number, (bit<32>) port);
        number = number ^ seed;  // a register is 0 at first, and the sequence would stay there
        number = number ^ (number << 13);
        number = number ^ (number >> 17);
        number = number ^ (number << 5);
        last.write((bit<32>) port, number ^ seed);
    }
}

#endif
