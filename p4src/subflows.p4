// The subflows of one transmission that leave by the same port share one share (Algorithm 2 of the paper, with two deviations of docs/protocol.md).
//
// They are a group: records with the same content and destination id. To Algorithm 1 a group is one transmission, with the sum of its
// records' rates. Groups lie in 4 ways, like the records; a transmission with one subflow is a group of one.
#ifndef NODECTL_SUBFLOWS_P4
#define NODECTL_SUBFLOWS_P4

#include "headers.p4"
#include "division.p4"
#ifdef NODECTL_DEPLOYABLE
#include "believing.p4"

// All that one source sends by a port has one share.
#define GROUP_CONTENT_ID (32w0 ++ meta.sender_ip)
#define GROUP_DESTINATION_ID 32w0
#else
#define GROUP_CONTENT_ID meta.content_id
#define GROUP_DESTINATION_ID meta.destination_id
#endif

register<bit<16>>(SLOTS) group_port;                // data port with IN_USE; 0: the slot is free
register<bit<64>>(SLOTS) group_content_id;
register<bit<32>>(SLOTS) group_destination_id;
register<bit<64>>(SLOTS) group_sum;                 // kbit/s
register<bit<32>>(SLOTS) group_count;
register<bit<32>>(SLOTS) group_bottleneck_count;    // records whose bottleneck this port is

// Looks at one slot: is it our group's, or free?
control LookAtGroup(inout metadata_t meta, in bit<32> slot) {
    bit<16> port;
    bit<64> content_id;
    bit<32> destination_id;

    apply {
        if (meta.group_slot == NO_SLOT) {
            group_port.read(port, slot);
            if (port == 0) {
                if (meta.has_free_group == 0) {
                    meta.has_free_group = 1;
                    meta.free_group_slot = slot;
                }
            } else if (port == (IN_USE | meta.data_port)) {
                group_content_id.read(content_id, slot);
                group_destination_id.read(destination_id, slot);
                if (content_id == GROUP_CONTENT_ID && destination_id == GROUP_DESTINATION_ID) {
                    meta.group_slot = slot;
                }
            }
        }
    }
}

// Finds the group of the key in meta, and reads it: group_slot, free_group_slot, group_…
control FindGroup(inout metadata_t meta) {
    // One instance a way, as in FindRecord.
    LookAtGroup() look_0;
    LookAtGroup() look_1;
    LookAtGroup() look_2;
    LookAtGroup() look_3;
#ifdef NODECTL_DEPLOYABLE
    SourceHash() source_hash;
    bit<64> hashed;
#endif
    bit<32> crc32;
    bit<16> crc16;
    bit<16> more;

    apply {
#ifdef NODECTL_DEPLOYABLE
        source_hash.apply(meta, hashed);
        crc32 = hashed[31:0];
        crc16 = hashed[47:32];
        more = hashed[63:48];
#else
        hash(crc32, HashAlgorithm.crc32, 32w0,
             { meta.content_id, meta.destination_id, meta.data_port }, 64w0x100000000);
        hash(crc16, HashAlgorithm.crc16, 16w0,
             { meta.content_id, meta.destination_id, meta.data_port }, 32w0x10000);
        more = 0;
#if NODECTL_WAY_BITS > 12
        hash(more, HashAlgorithm.crc16, 16w0,
             { meta.data_port, meta.destination_id, meta.content_id }, 32w0x10000);
#endif
#endif

        look_0.apply(meta, WAY_SLOT(0, crc32[11:0], more[3:0]));
        look_1.apply(meta, WAY_SLOT(1, crc32[23:12], more[7:4]));
        look_2.apply(meta, WAY_SLOT(2, crc32[31:24] ++ crc16[15:12], more[11:8]));
        look_3.apply(meta, WAY_SLOT(3, crc16[11:0], more[15:12]));

        if (meta.group_slot != NO_SLOT) {
            group_sum.read(meta.group_sum_kbps, meta.group_slot);
            group_count.read(meta.group_count, meta.group_slot);
            group_bottleneck_count.read(meta.group_bottleneck_count, meta.group_slot);
        }
    }
}

// Writes the group back; one that has become empty goes.
control StoreGroup(inout metadata_t meta) {
    bit<16> port;

    apply {
        port = 0;
        if (meta.group_count != 0) {
            port = IN_USE | meta.data_port;
            if (meta.group_slot == NO_SLOT) {
                meta.group_slot = meta.free_group_slot;
                group_content_id.write(meta.group_slot, GROUP_CONTENT_ID);
                group_destination_id.write(meta.group_slot, GROUP_DESTINATION_ID);
            }
        }
        if (meta.group_slot != NO_SLOT) {
            group_port.write(meta.group_slot, port);
            group_sum.write(meta.group_slot, meta.group_sum_kbps);
            group_count.write(meta.group_slot, meta.group_count);
            group_bottleneck_count.write(meta.group_slot, meta.group_bottleneck_count);
        }
    }
}

// Algorithm 2, for a subflow with siblings. In meta: the share that Algorithm 1 gives the whole group, and the siblings' sum B_subs
// and number. `free_kbps` (B_v) is what the port has for the group. Sets share_kbps to the subflow's part.
control SubflowShare(inout metadata_t meta, in bit<32> free_kbps) {
    ShortDivision() divide;
    bit<64> present_kbps;
    bit<32> left_kbps;
    bit<32> part_kbps;
    bit<32> remainder;

    apply {
        // What the group has already it keeps, as far as that fits: nobody else has to change for it.
        present_kbps = meta.group_sum_kbps + (bit<64>) meta.previous_rate_kbps;
        if (present_kbps > (bit<64>) free_kbps) {
            present_kbps = (bit<64>) free_kbps;
        }
        if (present_kbps > (bit<64>) meta.transmission_share_kbps) {
            meta.transmission_share_kbps = (bit<32>) present_kbps;
            meta.verdict = VERDICT_SHARE;
        }

        // An equal part, which is B_subs · w / (B_subs + w) with the siblings' mean rate as w; more if they leave more.
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
