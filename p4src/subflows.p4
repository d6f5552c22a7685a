// Algorithm 2 of the paper: the subflows of one transmission that leave by the same port have one share (decision "what a transmission's subflows share").
#ifndef NODECTL_SUBFLOWS_P4
#define NODECTL_SUBFLOWS_P4

#include "division.p4"

// For a subflow with siblings (line 3). In meta: the share that Algorithm 1 gives the whole group, and the siblings' sum B_subs and number
// (lines 4 to 7). The port has free_kbps (B_v) for the group. Sets share_kbps to the subflow's part B_ci.
control SubflowShare(inout metadata_t meta, in bit<32> free_kbps) {
    ShortDivision() divide;
    bit<64> present_kbps;
    bit<32> left_kbps;
    bit<32> part_kbps;
    bit<32> remainder;

    apply {
        // The group keeps its present rates, as far as they fit: nobody else has to change for them.
        present_kbps = meta.group_sum_kbps + (bit<64>) meta.previous_rate_kbps;
        if (present_kbps > (bit<64>) free_kbps) {
            present_kbps = (bit<64>) free_kbps;
        }
        if (present_kbps > (bit<64>) meta.transmission_share_kbps) {
            meta.transmission_share_kbps = (bit<32>) present_kbps;
            meta.verdict = VERDICT_SHARE;
        }

        // Line 13: an equal part, which is B_subs · w / (B_subs + w) with the siblings' mean rate as w; more if they leave more.
        divide.apply(meta.transmission_share_kbps, meta.group_count + 1, part_kbps, remainder);
        meta.share_kbps = part_kbps;
        if ((bit<64>) meta.transmission_share_kbps > meta.group_sum_kbps) {
            left_kbps = (bit<32>) ((bit<64>) meta.transmission_share_kbps - meta.group_sum_kbps);
            if (left_kbps > part_kbps) {
                meta.share_kbps = left_kbps;
            }
        }
    }
}

#endif
