// The places where a record and its group may stand, by CRCs of their keys. A slot that is free says nothing.
#ifndef NODECTL_SLOTS_P4
#define NODECTL_SLOTS_P4

#include "registers.p4"

// The subflows of one transmission are a group.
#define GROUP_CONTENT_ID meta.content_id
#define GROUP_DESTINATION_ID meta.destination_id

// 48 bits of hash, 12 for each way, and 16 more for where the ways are larger.
control RecordPlaces(inout metadata_t meta, out bit<32> low, out bit<16> high, out bit<16> more) {
    apply {
        hash(low, HashAlgorithm.crc32, 32w0,
             { meta.content_id, meta.destination_id, meta.subflow, meta.data_port }, 64w0x100000000);
        hash(high, HashAlgorithm.crc16, 16w0,
             { meta.content_id, meta.destination_id, meta.subflow, meta.data_port }, 32w0x10000);
        more = 0;
        if (NODECTL_WAY_BITS > 12) {
            hash(more, HashAlgorithm.crc16, 16w0,
                 { meta.data_port, meta.subflow, meta.destination_id, meta.content_id }, 32w0x10000);
        }
    }
}

control GroupPlaces(inout metadata_t meta, out bit<32> low, out bit<16> high, out bit<16> more) {
    apply {
        hash(low, HashAlgorithm.crc32, 32w0,
             { meta.content_id, meta.destination_id, meta.data_port }, 64w0x100000000);
        hash(high, HashAlgorithm.crc16, 16w0,
             { meta.content_id, meta.destination_id, meta.data_port }, 32w0x10000);
        more = 0;
        if (NODECTL_WAY_BITS > 12) {
            hash(more, HashAlgorithm.crc16, 16w0,
                 { meta.data_port, meta.destination_id, meta.content_id }, 32w0x10000);
        }
    }
}

control LookAtFreeSlot(inout metadata_t meta, in bit<32> slot, in bit<16> port) {
    apply {
    }
}

control FreeSlot(inout metadata_t meta) {
    apply {
        record_port.write(meta.slot, 0);
    }
}

#endif
