// The places where a record and its group may stand, by hashes that nobody without the key can tell in advance (decision "places by a keyed hash").
// In the place of slots_by_crc.p4. A slot that is free tells the number of the record that has gone (decision "stale messages").
#ifndef NODECTL_SLOTS_P4
#define NODECTL_SLOTS_P4

#include "registers.p4"
#include "reserves.p4"
#include "authentication.p4"

// All records of one source on a port are a group, which has one share (decision "sources").
#define GROUP_CONTENT_ID (32w0 ++ meta.sender_ip)
#define GROUP_DESTINATION_ID 32w0

// 48 bits of hash, 12 for each way, and 16 more for where the ways are larger. These are the switch's mark as well.
control RecordPlaces(inout metadata_t meta, out bit<32> low, out bit<16> high, out bit<16> more) {
    KeyedHash() keyed_hash;
    bit<64> key;
    bit<64> hashed;

    apply {
        secret_key.read(key, INDEX_KEY);
        keyed_hash.apply(key, meta.content_id[63:32], meta.content_id[31:0], meta.destination_id, meta.subflow,
                         (bit<32>) meta.data_port, hashed);
        low = hashed[31:0];
        high = hashed[47:32];
        more = hashed[63:48];
        meta.path_mark = hashed[63:48];
    }
}

control GroupPlaces(inout metadata_t meta, out bit<32> low, out bit<16> high, out bit<16> more) {
    KeyedHash() keyed_hash;
    bit<64> key;
    bit<64> hashed;

    apply {
        secret_key.read(key, INDEX_KEY);
        keyed_hash.apply(key, meta.sender_ip, 0, 0, 0, (bit<32>) meta.data_port, hashed);
        meta.source_index = (bit<32>) hashed[59:48];
        low = hashed[31:0];
        high = hashed[47:32];
        more = hashed[63:48];
    }
}

control LookAtFreeSlot(inout metadata_t meta, in bit<32> slot, in bit<16> port) {
    bit<64> content_id;
    bit<32> destination_id;
    bit<32> subflow;
    bit<32> sequence;

    apply {
        record_content_id.read(content_id, slot);
        record_destination_id.read(destination_id, slot);
        record_subflow.read(subflow, slot);
        record_sequence.read(sequence, slot);
        if (port == meta.data_port && content_id == meta.content_id && destination_id == meta.destination_id
            && subflow == meta.subflow && sequence > meta.ended_sequence) {
            meta.ended_sequence = sequence;         // it was this record's
        }
    }
}

control FreeSlot(inout metadata_t meta) {
    apply {
        record_port.write(meta.slot, meta.data_port);
    }
}

#endif
