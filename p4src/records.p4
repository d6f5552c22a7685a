// The store: find a record, take it out of its port's sums, put it back changed.
//
// Records lie in 4 ways of 4096 slots (NODECTL_WAY_BITS). A record may stand in one slot of each way, given by a hash (slots_by_crc.p4,
// slots_by_key.p4); which of the four is the first free one when it is made.
#ifndef NODECTL_RECORDS_P4
#define NODECTL_RECORDS_P4

#include "registers.p4"
#include "groups.p4"

// Looks at one slot: is it our record's, or free?
control LookAtSlot(inout metadata_t meta, in bit<32> slot) {
    LookAtFreeSlot() look_at_free_slot;
    bit<16> port;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;

    apply {
        if (meta.slot == NO_SLOT) {
            record_port.read(port, slot);
            if ((port & IN_USE) == 0) {
                if (meta.has_free_slot == 0) {
                    meta.has_free_slot = 1;
                    meta.free_slot = slot;
                }
                look_at_free_slot.apply(meta, slot, port);
            } else if (port == (IN_USE | meta.data_port)) {
                record_content_id.read(content_id, slot);
                record_destination_id.read(destination_id, slot);
                record_subflow.read(subflow, slot);
                if (content_id == meta.content_id && destination_id == meta.destination_id && subflow == meta.subflow) {
                    meta.slot = slot;
                }
            }
        }
    }
}

// Finds the record of the key in meta: slot, is_known, is_collision, free_slot.
control FindRecord(inout metadata_t meta) {
    // One instance a way: with one applied four times, p4c copies all of meta, and does it wrong.
    LookAtSlot() look_0;
    LookAtSlot() look_1;
    LookAtSlot() look_2;
    LookAtSlot() look_3;
    RecordPlaces() record_places;
    bit<32> low;
    bit<16> high;
    bit<16> more;
    bit<32> sender_ip;
    bit<32> receiver_ip;

    apply {
        record_places.apply(meta, low, high, more);
        look_0.apply(meta, WAY_SLOT(0, low[11:0], more[3:0]));
        look_1.apply(meta, WAY_SLOT(1, low[23:12], more[7:4]));
        look_2.apply(meta, WAY_SLOT(2, low[31:24] ++ high[15:12], more[11:8]));
        look_3.apply(meta, WAY_SLOT(3, high[11:0], more[15:12]));

        if (meta.slot != NO_SLOT) {
            record_sender_ip.read(sender_ip, meta.slot);
            record_receiver_ip.read(receiver_ip, meta.slot);
            if (sender_ip == meta.sender_ip && receiver_ip == meta.receiver_ip) {
                meta.is_known = 1;
            } else {
                meta.is_collision = 1;
                meta.slot = NO_SLOT;
            }
        }
    }
}

// The key of whatever record stands in slot `value`, for the controller to read. A free slot: nothing is to be done.
control ReadSlot(inout metadata_t meta) {
    bit<16> port;

    apply {
        if (meta.value < SLOTS) {
            record_port.read(port, meta.value);
            if ((port & IN_USE) == 0) {
                meta.operation = DO_NOTHING;
                meta.is_free_slot = 1;
            } else {
                meta.is_known = 1;
                meta.slot = meta.value;
                meta.data_port = port & ~IN_USE;
                record_content_id.read(meta.content_id, meta.slot);
                record_destination_id.read(meta.destination_id, meta.slot);
                record_subflow.read(meta.subflow, meta.slot);
                record_sender_ip.read(meta.sender_ip, meta.slot);
                record_receiver_ip.read(meta.receiver_ip, meta.slot);
            }
        }
    }
}

// Reads the record (if there is one) and the sums of its port into meta.
control LoadState(inout metadata_t meta) {
    bit<32> port;

    apply {
        port = (bit<32>) meta.data_port;
        port_sum.read(meta.port_sum_kbps, port);
        port_count.read(meta.port_count, port);
        port_bottleneck_sum.read(meta.bottleneck_sum_kbps, port);
        port_bottleneck_count.read(meta.bottleneck_count, port);
        if (meta.is_known == 1) {
            record_rate_kbps.read(meta.previous_rate_kbps, meta.slot);
            record_share_kbps.read(meta.share_kbps, meta.slot);
            record_is_bottleneck.read(meta.previous_is_bottleneck, meta.slot);
            record_last_seen_us.read(meta.last_seen_us, meta.slot);
        }
        meta.new_rate_kbps = meta.previous_rate_kbps;
        meta.is_bottleneck = meta.previous_is_bottleneck;
    }
}

// Takes the group out of the port's sums in meta, and the old record out of the group's …
control TakeOut(inout metadata_t meta) {
    FindGroup() find_group;
    LoadState() load_state;

    apply {
        meta.group_slot = NO_SLOT;
        if (meta.operation != DO_READ_PORT) {
            find_group.apply(meta);
        }
        load_state.apply(meta);
        if (meta.group_count != 0) {
            meta.port_sum_kbps = meta.port_sum_kbps - meta.group_sum_kbps;
            meta.port_count = meta.port_count - 1;
            if (meta.group_bottleneck_count != 0) {
                meta.bottleneck_sum_kbps = meta.bottleneck_sum_kbps - meta.group_sum_kbps;
                meta.bottleneck_count = meta.bottleneck_count - 1;
            }
        }
        if (meta.is_known == 1) {
            meta.group_sum_kbps = meta.group_sum_kbps - (bit<64>) meta.previous_rate_kbps;
            meta.group_count = meta.group_count - 1;
            if (meta.previous_is_bottleneck == 1) {
                meta.group_bottleneck_count = meta.group_bottleneck_count - 1;
            }
        }
    }
}

// … and puts the new one in, and writes everything back. new_rate_kbps = 0: there is none.
control PutIn(inout metadata_t meta) {
    StoreGroup() store_group;
    FreeSlot() free_slot;
    bit<32> port;

    apply {
        if (meta.new_rate_kbps != 0) {
            meta.group_sum_kbps = meta.group_sum_kbps + (bit<64>) meta.new_rate_kbps;
            meta.group_count = meta.group_count + 1;
            if (meta.is_bottleneck == 1) {
                meta.group_bottleneck_count = meta.group_bottleneck_count + 1;
            }
            if (meta.is_known == 0) {
                record_port.write(meta.slot, IN_USE | meta.data_port);
                record_content_id.write(meta.slot, meta.content_id);
                record_destination_id.write(meta.slot, meta.destination_id);
                record_subflow.write(meta.slot, meta.subflow);
                record_sender_ip.write(meta.slot, meta.sender_ip);
                record_receiver_ip.write(meta.slot, meta.receiver_ip);
            }
            record_rate_kbps.write(meta.slot, meta.new_rate_kbps);
            record_share_kbps.write(meta.slot, meta.share_kbps);
            record_is_bottleneck.write(meta.slot, meta.is_bottleneck);
            record_last_seen_us.write(meta.slot, meta.last_seen_us);
        } else {
            meta.is_bottleneck = 0;
            if (meta.is_known == 1) {
                free_slot.apply(meta);
            }
        }
        if (meta.group_count != 0) {
            meta.port_sum_kbps = meta.port_sum_kbps + meta.group_sum_kbps;
            meta.port_count = meta.port_count + 1;
            if (meta.group_bottleneck_count != 0) {
                meta.bottleneck_sum_kbps = meta.bottleneck_sum_kbps + meta.group_sum_kbps;
                meta.bottleneck_count = meta.bottleneck_count + 1;
            }
        }
        store_group.apply(meta);
        port = (bit<32>) meta.data_port;
        port_sum.write(port, meta.port_sum_kbps);
        port_count.write(port, meta.port_count);
        port_bottleneck_sum.write(port, meta.bottleneck_sum_kbps);
        port_bottleneck_count.write(port, meta.bottleneck_count);
    }
}

#endif
