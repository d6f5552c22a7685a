// Which of several equally short ways a packet takes: those of two hosts' packets to each other are the same, there and back.
//
// Source: D. Thaler and C. Hopps, RFC 2991 (2000), modulo-N hash. Negotiation counts on it that data, messages and answers pass the same
// switches, so the addresses are hashed in order of size, and nothing of the transport: messages have other ports than their data.
#ifndef EQUAL_COST_WAYS_P4
#define EQUAL_COST_WAYS_P4

#include "ipv4.p4"

const bit<64> ALL_HASHES = 0x100000000;

// A CRC of sums is the sum of CRCs, so another addend would move all pairs of hosts together; products with an odd seed move them apart.
// Layers of switches see different bits of it (shift), or the second would have no choice left.
control ChooseWay(in ipv4_t ipv4, in bit<32> seed, in bit<8> shift, in bit<16> ways, out bit<16> way) {
    bit<32> lower;
    bit<32> higher;
    bit<32> mixed;

    apply {
        lower = ipv4.source;
        higher = ipv4.destination;
        if (lower > higher) {
            lower = ipv4.destination;
            higher = ipv4.source;
        }
        hash(mixed, HashAlgorithm.crc32, (bit<32>) 0, { lower * seed, higher * seed }, ALL_HASHES);
        mixed = mixed >> shift;
        hash(way, HashAlgorithm.identity, (bit<16>) 0, { mixed }, ways);
    }
}

#endif
