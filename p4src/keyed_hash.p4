// HalfSipHash-2-4 with 64 bits of output, over five words of 32 bits (Aumasson and Bernstein 2012; the 32-bit variant of their reference code).
//
// CRCs are linear: a host that knows a collision, or a checksum, of one key knows it of all. This hash is a pseudo-random function of its key.
#ifndef KEYED_HASH_P4
#define KEYED_HASH_P4

control KeyedHash(in bit<64> key, in bit<32> word_0, in bit<32> word_1, in bit<32> word_2, in bit<32> word_3, in bit<32> word_4,
                  out bit<64> hashed) {
    bit<32> v0;
    bit<32> v1;
    bit<32> v2;
    bit<32> v3;
    bit<32> low;

    action round() {
        v0 = v0 + v1;
        v1 = (v1[26:0] ++ v1[31:27]) ^ v0;
        v0 = v0[15:0] ++ v0[31:16];
        v2 = v2 + v3;
        v3 = (v3[23:0] ++ v3[31:24]) ^ v2;
        v0 = v0 + v3;
        v3 = (v3[24:0] ++ v3[31:25]) ^ v0;
        v2 = v2 + v1;
        v1 = (v1[18:0] ++ v1[31:19]) ^ v2;
        v2 = v2[15:0] ++ v2[31:16];
    }

    // Not more of them in one: p4c puts the expression that computed a variable in the place of the variable, though not across calls of
    // actions from apply. Over all rounds these expressions grow without end.
    action two_rounds() {
        round();
        round();
    }

    apply {
        v0 = key[31:0];
        v1 = key[63:32] ^ 0xEE;
        v2 = key[31:0] ^ 0x6C796765;
        v3 = key[63:32] ^ 0x74656462;
        v3 = v3 ^ word_0;
        two_rounds();
        v0 = v0 ^ word_0;
        v3 = v3 ^ word_1;
        two_rounds();
        v0 = v0 ^ word_1;
        v3 = v3 ^ word_2;
        two_rounds();
        v0 = v0 ^ word_2;
        v3 = v3 ^ word_3;
        two_rounds();
        v0 = v0 ^ word_3;
        v3 = v3 ^ word_4;
        two_rounds();
        v0 = v0 ^ word_4;
        v3 = v3 ^ 0x14000000;     // 20 bytes
        two_rounds();
        v0 = v0 ^ 0x14000000;
        v2 = v2 ^ 0xEE;
        two_rounds();
        two_rounds();
        low = v1 ^ v3;
        v1 = v1 ^ 0xDD;
        two_rounds();
        two_rounds();
        hashed = (v1 ^ v3) ++ low;
    }
}

#endif
