// Who is believed: requests that carry the token which their source was told, from ports with hosts behind them. What of a source counts: one share, one arrival a window.
// The deployable variant alone.
#ifndef BELIEVING_P4
#define BELIEVING_P4

#include "headers.p4"
#include "keyed_hash.p4"

// Given by the controller when it has loaded the program: the first for indices, the second for tokens.
register<bit<64>>(KEYS) secret_key;

register<bit<32>>(SOURCE_SLOTS) source_window;      // in which a source last counted as an arrival, plus 1

// A message from a port with hosts behind it. is_challenged: it turns round, with the token that it lacks. What is not believed goes no further:
// the switches behind this one believe what comes from it.
control CheckSource(inout headers_t hdr, inout metadata_t meta, out bit<1> is_challenged, out bit<1> is_believed) {
    KeyedHash() keyed_hash;
    bit<64> key;
    bit<64> token;

    apply {
        is_challenged = 0;
        is_believed = 1;
        if (meta.operation == DO_REQUEST || meta.operation == DO_TERMINATE) {
            is_believed = 0;
            if (hdr.nodectl_v2.isValid()) {
                secret_key.read(key, TOKEN_KEY);
                keyed_hash.apply(key, meta.sender_ip, 0, 0, 0, 0, token);
                if (hdr.nodectl_v2.token == token) {
                    is_believed = 1;
                    hdr.nodectl_v2.token = 0;               // nobody else is to know it
                    meta.is_changed = 1;
                } else if (meta.operation == DO_REQUEST) {
                    is_challenged = 1;
                    hdr.nodectl_v2.token = token;
                    meta.operation = DO_NOTHING;
                    is_believed = 1;
                }
            }
        } else if (meta.operation == DO_PASSING_REDUCE || meta.operation == DO_PASSING_INCREASE) {
            is_believed = 0;                                // only switches send these
        }
        if (is_believed == 0) {
            meta.has_error = 1;
            meta.error_reason = ERROR_NOT_BELIEVED;
            meta.operation = DO_NOTHING;
        }
    }
}

// A source counts as one arrival a window, however often it comes.
control CountSource(inout metadata_t meta, inout bit<1> is_new) {
    bit<32> counted;
    bit<32> window;

    apply {
        if (is_new == 1) {
            window = (bit<32>) (meta.now_us >> 20) + 1;
            source_window.read(counted, meta.source_index);
            if (counted == window) {
                is_new = 0;
            } else {
                source_window.write(meta.source_index, window);
            }
        }
    }
}

// 48 bits, as CRCs give them elsewhere, that nobody can tell in advance who does not know the key.
control RecordHash(inout metadata_t meta, out bit<64> hashed) {
    KeyedHash() keyed_hash;
    bit<64> key;

    apply {
        secret_key.read(key, INDEX_KEY);
        keyed_hash.apply(key, meta.content_id[63:32], meta.content_id[31:0], meta.destination_id, meta.subflow,
                         (bit<32>) meta.data_port, hashed);
    }
}

control SourceHash(inout metadata_t meta, out bit<64> hashed) {
    KeyedHash() keyed_hash;
    bit<64> key;

    apply {
        secret_key.read(key, INDEX_KEY);
        keyed_hash.apply(key, meta.sender_ip, 0, 0, 0, (bit<32>) meta.data_port, hashed);
        meta.source_index = (bit<32>) hashed[59:48];
    }
}

#endif
