// The one level that a port offers to all, in the place of allocation.p4 (docs/decisions/one-level-a-port.md).
//
// Transmissions that are held back elsewhere, or want no more, have less than the level; the others share the rest evenly. The
// remembered rates of the former may be out of date, and too high by now: no level is below the capacity divided by all.
#ifndef NODECTL_ALLOCATION_P4
#define NODECTL_ALLOCATION_P4

#include "division.p4"
#include "subflows.p4"

// Q_T does not count: nothing is kept for transmissions that are to come, since all make room for them.
control Allocation(inout metadata_t meta, in bit<32> max_kbps) {
    ShortDivision() divide;
    SubflowShare() subflow_share;

    bit<64> limited_kbps;           // sum of the rates below the level
    bit<32> rest_kbps;
    bit<32> present;                // N, and of it those who could use more
    bit<32> unlimited;
    bit<32> dividend;
    bit<32> divisor;
    bit<32> level_kbps;
    bit<32> remainder;

    apply {
        limited_kbps = meta.port_sum_kbps - meta.bottleneck_sum_kbps;
        rest_kbps = 0;
        if ((bit<64>) meta.capacity_kbps > limited_kbps) {
            rest_kbps = (bit<32>) ((bit<64>) meta.capacity_kbps - limited_kbps);
        }
        present = meta.port_count + 1;
        unlimited = meta.bottleneck_count + 1;

        // max(C / N, (C - S_limited) / N_unlimited)
        dividend = meta.capacity_kbps;
        divisor = present;
        if ((bit<64>) rest_kbps * (bit<64>) present > (bit<64>) meta.capacity_kbps * (bit<64>) unlimited) {
            dividend = rest_kbps;
            divisor = unlimited;
        }
        divide.apply(dividend, divisor, level_kbps, remainder);
        meta.verdict = VERDICT_SHARE;
        meta.share_kbps = level_kbps;
        meta.transmission_share_kbps = level_kbps;
        if (meta.group_count != 0) {
            subflow_share.apply(meta, 0);       // a source does not keep its former rates: the level is the same for all
        }

        // No transmission that was admitted goes below its Min (decision "Mins are kept") as long as the reserved rates fit.
        if (meta.is_known == 1 && meta.share_kbps < meta.min_kbps
            && meta.port_reserved_sum_kbps <= (bit<64>) meta.capacity_kbps) {
            meta.share_kbps = meta.min_kbps;
        }
    }
}

#endif
