// What a switch remembers: one record a transmission, and the sums of the records of each port.
//
// Records lie in 4 ways of 4096 slots (NODECTL_WAY_BITS). A record may stand in one slot of each way, given by a hash; which of the
// four is the first free one when it is made.
#ifndef NODECTL_RECORDS_P4
#define NODECTL_RECORDS_P4

#include "headers.p4"
#include "subflows.p4"
#ifdef NODECTL_DEPLOYABLE
#include "reserves.p4"
#endif

register<bit<16>>(SLOTS) record_port;           // data port with IN_USE; without: the slot is free
register<bit<64>>(SLOTS) record_content_id;
register<bit<32>>(SLOTS) record_destination_id;
register<bit<32>>(SLOTS) record_subflow;
register<bit<32>>(SLOTS) record_sender_ip;
register<bit<32>>(SLOTS) record_receiver_ip;
register<bit<32>>(SLOTS) record_rate_kbps;       // what is reserved for it
register<bit<32>>(SLOTS) record_share_kbps;      // what the port offered it, or reduced it to: B_c
register<bit<8>>(SLOTS)  record_is_bottleneck;
register<bit<48>>(SLOTS) record_last_seen_us;

// A transmission counts once, with the sum of its subflows (subflows.p4); this port is its bottleneck if it is that of one of them.
register<bit<64>>(PORTS) port_sum;              // kbit/s
register<bit<32>>(PORTS) port_count;
register<bit<64>>(PORTS) port_bottleneck_sum;   // of the transmissions whose bottleneck this port is: B_ctl
register<bit<32>>(PORTS) port_bottleneck_count; // Q_ctl

// Looks at one slot: is it our record's, or free?
control LookAtSlot(inout metadata_t meta, in bit<32> slot) {
    bit<16> port;
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
#ifdef NODECTL_DEPLOYABLE
    bit<32> sequence;
#endif

    apply {
        if (meta.slot == NO_SLOT) {
            record_port.read(port, slot);
            if ((port & IN_USE) == 0) {
                if (meta.has_free_slot == 0) {
                    meta.has_free_slot = 1;
                    meta.free_slot = slot;
                }
#ifdef NODECTL_DEPLOYABLE
                record_content_id.read(content_id, slot);
                record_destination_id.read(destination_id, slot);
                record_subflow.read(subflow, slot);
                record_sequence.read(sequence, slot);
                if (port == meta.data_port && content_id == meta.content_id && destination_id == meta.destination_id
                    && subflow == meta.subflow && sequence > meta.ended_sequence) {
                    meta.ended_sequence = sequence;         // it was this record's
                }
#endif
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
#ifdef NODECTL_DEPLOYABLE
    RecordHash() record_hash;
    bit<64> hashed;
#endif
    bit<32> crc32;
    bit<16> crc16;
    bit<16> more;
    bit<32> sender_ip;
    bit<32> receiver_ip;

    apply {
        // 48 bits of hash, 12 for each way, and 16 more where the ways are larger
#ifdef NODECTL_DEPLOYABLE
        record_hash.apply(meta, hashed);
        crc32 = hashed[31:0];
        crc16 = hashed[47:32];
        meta.path_mark = hashed[63:48];
        more = hashed[63:48];
#else
        hash(crc32, HashAlgorithm.crc32, 32w0,
             { meta.content_id, meta.destination_id, meta.subflow, meta.data_port }, 64w0x100000000);
        hash(crc16, HashAlgorithm.crc16, 16w0,
             { meta.content_id, meta.destination_id, meta.subflow, meta.data_port }, 32w0x10000);
        more = 0;
#if NODECTL_WAY_BITS > 12
        hash(more, HashAlgorithm.crc16, 16w0,
             { meta.data_port, meta.subflow, meta.destination_id, meta.content_id }, 32w0x10000);
#endif
#endif

        look_0.apply(meta, WAY_SLOT(0, crc32[11:0], more[3:0]));
        look_1.apply(meta, WAY_SLOT(1, crc32[23:12], more[7:4]));
        look_2.apply(meta, WAY_SLOT(2, crc32[31:24] ++ crc16[15:12], more[11:8]));
        look_3.apply(meta, WAY_SLOT(3, crc16[11:0], more[15:12]));

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
    apply {
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
#ifdef NODECTL_DEPLOYABLE
                record_port.write(meta.slot, meta.data_port);
#else
                record_port.write(meta.slot, 0);
#endif
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
