// The law of an XCP router, once a control interval: by how much the rates may rise and fall together, and how questions share that.
//
//     phi  = alpha (C - y) - beta Q / d
//     h    = max(0, gamma y - |phi|)
//
// phi is for efficiency; Q in it is the queue that stayed throughout. h is dealt out anew, though nothing is to change in all.
//
//     up   = (h + max(phi, 0)) / sum of RTTs
//     down = (h + max(-phi, 0)) / (y T)
//
// A question with the RTT r of a sender at rate x gives the rate x + r up - x r down. A sender asks once an RTT. So the RTTs of an
// interval's questions come to T for each sender, and all changes to phi. The paper has alpha = 0.4, beta = 0.226, gamma = 0.1. Rates are
// whole kbit/s; each division rounds down (division.p4).
#ifndef XCP_LAW_P4
#define XCP_LAW_P4

#include "division.p4"
#include "rate_units.p4"

const bit<64> XCP_ALPHA_Q10 = 410;      // 0.4, in 1/1024
const bit<64> XCP_BETA_Q10 = 231;       // 0.226
const bit<64> XCP_GAMMA_Q10 = 102;      // 0.1
const bit<64> MAX_UP = 0x3FFFFFFFFF;    // times 2^24 us it is below 2^62
const bit<64> WHOLE_Q16 = 0x10000;

// The factors after elapsed_us, in which arrived_bytes came and no packet waited for less than wait_us. The first one, up_q16, is in
// kbit/s a us, by 2^16. The second one, down_q32, is the part of a rate a us, by 2^32.
control XcpLaw(in bit<32> capacity_kbps,
               in bit<32> rtt_us,
               in bit<32> elapsed_us,
               in bit<64> arrived_bytes,
               in bit<32> wait_us,
               in bit<32> rtt_sum_us,
               out bit<64> up_q16,
               out bit<64> down_q32) {
    Division() divide;

    bit<64> arrived_kbps;
    bit<64> waiting_kbps;
    bit<64> gain_q10;
    bit<64> loss_q10;
    bit<64> change_kbps;
    bit<64> dealt_kbps;
    bit<64> up_kbps;
    bit<64> down_kbps;
    bit<64> part_q16;
    bit<32> waited_us;
    bit<32> divisor;
    bit<32> remainder;

    apply {
        divide.apply(arrived_bytes * BIT_PER_MS, elapsed_us, arrived_kbps, remainder);
        if (arrived_kbps > MAX_RATE_KBPS) {
            arrived_kbps = MAX_RATE_KBPS;
        }
        waited_us = wait_us;
        if (waited_us > MAX_WAIT_US) {
            waited_us = MAX_WAIT_US;
        }
        divide.apply((bit<64>) waited_us * (bit<64>) capacity_kbps, rtt_us, waiting_kbps, remainder);
        if (waiting_kbps > MAX_RATE_KBPS) {
            waiting_kbps = MAX_RATE_KBPS;
        }

        gain_q10 = XCP_ALPHA_Q10 * (bit<64>) capacity_kbps;
        loss_q10 = XCP_ALPHA_Q10 * arrived_kbps + XCP_BETA_Q10 * waiting_kbps;
        up_kbps = 0;
        down_kbps = 0;
        if (gain_q10 > loss_q10) {
            change_kbps = (gain_q10 - loss_q10) >> 10;
            up_kbps = change_kbps;
        } else {
            change_kbps = (loss_q10 - gain_q10) >> 10;
            down_kbps = change_kbps;
        }
        dealt_kbps = XCP_GAMMA_Q10 * arrived_kbps >> 10;
        if (dealt_kbps > change_kbps) {
            up_kbps = up_kbps + (dealt_kbps - change_kbps);
            down_kbps = down_kbps + (dealt_kbps - change_kbps);
        }

        // One sender at least is taken for granted, so that nobody gets more than there is.
        divisor = rtt_sum_us;
        if (divisor < elapsed_us) {
            divisor = elapsed_us;
        }
        divide.apply(up_kbps << 16, divisor, up_q16, remainder);
        if (up_q16 > MAX_UP) {
            up_q16 = MAX_UP;
        }

        part_q16 = 0;
        if (arrived_kbps != 0) {
            divide.apply(down_kbps << 16, arrived_kbps[31:0], part_q16, remainder);
            if (part_q16 > WHOLE_Q16) {
                part_q16 = WHOLE_Q16;
            }
        }
        divide.apply(part_q16 << 16, elapsed_us, down_q32, remainder);
    }
}

// The rate that a question is allowed: its sender's, raised and lowered.
control XcpAnswer(in bit<32> capacity_kbps,
                  in bit<32> rtt_us,
                  in bit<64> up_q16,
                  in bit<64> down_q32,
                  in bit<32> rate_kbps,
                  out bit<32> allowed_kbps) {
    bit<64> part_q16;
    bit<64> next_kbps;

    apply {
        part_q16 = (bit<64>) rtt_us * down_q32 >> 16;
        if (part_q16 > WHOLE_Q16) {
            part_q16 = WHOLE_Q16;
        }
        next_kbps = (bit<64>) rate_kbps + ((bit<64>) rtt_us * up_q16 >> 16);
        next_kbps = next_kbps - ((bit<64>) rate_kbps * part_q16 >> 16);
        if (next_kbps > (bit<64>) capacity_kbps) {
            next_kbps = (bit<64>) capacity_kbps;
        }
        allowed_kbps = next_kbps[31:0];
        if (allowed_kbps < (capacity_kbps >> LEAST_PART) + 1) {
            allowed_kbps = (capacity_kbps >> LEAST_PART) + 1;
        }
    }
}

#endif
