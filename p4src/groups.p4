// The groups that a switch remembers: by default the subflows of one transmission on one port, records with the same content and
// destination id. To Algorithm 1 a group is one transmission, with the sum of its records' rates.
//
// Groups lie in 4 ways, like the records; a transmission with one subflow is a group of one. Which records belong together, and where
// their group may stand, is in slots_by_crc.p4 or slots_by_key.p4.
#ifndef NODECTL_GROUPS_P4
#define NODECTL_GROUPS_P4

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
    GroupPlaces() group_places;
    bit<32> low;
    bit<16> high;
    bit<16> more;

    apply {
        group_places.apply(meta, low, high, more);
        look_0.apply(meta, WAY_SLOT(0, low[11:0], more[3:0]));
        look_1.apply(meta, WAY_SLOT(1, low[23:12], more[7:4]));
        look_2.apply(meta, WAY_SLOT(2, low[31:24] ++ high[15:12], more[11:8]));
        look_3.apply(meta, WAY_SLOT(3, high[11:0], more[15:12]));

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

#endif
