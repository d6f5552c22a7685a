// Authentication of hosts: from a port with hosts behind it, a request counts only with the token that its source was told (decision "tokens").
#ifndef AUTHENTICATION_P4
#define AUTHENTICATION_P4

#include "headers_v2.p4"
#include "keyed_hash.p4"

// The controller writes these keys when it has loaded the program: the first is for indices, the second for tokens.
register<bit<64>>(KEYS) secret_key;

// A message from a port with hosts behind it. is_challenged: it turns round, with the token that it lacks. A message that is not
// believed goes no further, since the switches behind this one believe every message from it.
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

#endif
