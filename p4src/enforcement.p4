// Enforcement and classes: the first switch meters data by its record, marks packets above the rate, and drops packets far above it.
// A host without a record can open a connection all the same (decision "opening connections").
//
// The meters are token buckets in registers: only the control plane can set the rate of a P4 meter. A record's rate changes with every message,
// also while there is no controller.
#ifndef ENFORCEMENT_P4
#define ENFORCEMENT_P4

#include "headers_v2.p4"
#include "keyed_hash.p4"
#include "records.p4"

register<bit<32>>(SLOTS) flow_record_0;         // slot of a connection's record, plus 1: two places for each connection
register<bit<32>>(SLOTS) flow_record_1;
register<bit<32>>(SLOTS) record_connection;     // source port ++ destination port
register<bit<9>>(SLOTS) record_ingress_port;    // the port by which its requests come, and so its data
register<bit<48>>(SLOTS) record_filled_us;      // when the buckets were filled last
register<bit<64>>(SLOTS) record_bucket;         // kbit/s times µs: a bit is 1000
register<bit<64>>(SLOTS) record_excess_bucket;
register<bit<48>>(SLOTS) record_answers_filled_us;
register<bit<64>>(SLOTS) record_answers_bucket;
register<bit<48>>(PORTS) control_filled_us;
register<bit<64>>(PORTS) control_bucket;

// A bucket that fills by `filling`, to `most` units at most: does it have `cost` units for a packet, if `left` units are to stay?
control Bucket(inout bit<64> level, in bit<64> filling, in bit<64> most, in bit<64> cost, in bit<64> left, out bit<1> fits) {
    apply {
        level = level + filling;
        if (level > most) {
            level = most;
        }
        fits = 0;
        if (level >= cost + left) {
            level = level - cost;
            fits = 1;
        }
    }
}

// The two places at which a connection's record is looked up: indices of as many bits as those of the store's slots, by default 14.
control FlowPlaces(in bit<32> sender_ip, in bit<32> receiver_ip, in bit<32> connection, in bit<16> data_port,
                   out bit<32> place_0, out bit<32> place_1) {
    KeyedHash() keyed_hash;
    bit<64> key;
    bit<64> hashed;

    apply {
        secret_key.read(key, INDEX_KEY);
        keyed_hash.apply(key, sender_ip, receiver_ip, connection, (bit<32>) data_port, 0, hashed);
        place_0 = hashed[31:0] & (SLOTS - 1);
        place_1 = (bit<32>) (hashed >> (NODECTL_WAY_BITS + 2)) & (SLOTS - 1);
    }
}

// Is it the record of this connection that stands in a slot (plus 1)? Then slot is set.
control MatchFlow(in bit<32> slot_plus_1, in bit<32> sender_ip, in bit<32> receiver_ip, in bit<32> connection, in bit<16> data_port,
                  inout bit<32> slot) {
    bit<16> port;
    bit<32> record_sender;
    bit<32> record_receiver;
    bit<32> ports;
    bit<32> candidate;

    apply {
        if (slot_plus_1 != 0) {
            candidate = slot_plus_1 - 1;
            record_port.read(port, candidate);
            record_sender_ip.read(record_sender, candidate);
            record_receiver_ip.read(record_receiver, candidate);
            record_connection.read(ports, candidate);
            if (port == (IN_USE | data_port) && record_sender == sender_ip && record_receiver == receiver_ip && ports == connection) {
                slot = candidate;
            }
        }
    }
}

control FindFlow(in bit<32> sender_ip, in bit<32> receiver_ip, in bit<32> connection, in bit<16> data_port, out bit<32> slot) {
    FlowPlaces() flow_places;
    MatchFlow() match_0;
    MatchFlow() match_1;
    bit<32> place_0;
    bit<32> place_1;
    bit<32> found_0;
    bit<32> found_1;

    apply {
        flow_places.apply(sender_ip, receiver_ip, connection, data_port, place_0, place_1);
        flow_record_0.read(found_0, place_0);
        flow_record_1.read(found_1, place_1);
        slot = NO_SLOT;
        match_0.apply(found_0, sender_ip, receiver_ip, connection, data_port, slot);
        match_1.apply(found_1, sender_ip, receiver_ip, connection, data_port, slot);
    }
}

// A request that was admitted tells which connection its record is about. A new record's buckets are empty: a host could have full ones again with
// each new record. They fill from the request on, by the rate that is confirmed later.
control NoteConnection(inout headers_t hdr, inout metadata_t meta, in bit<9> ingress_port) {
    FlowPlaces() flow_places;
    bit<32> connection;
    bit<32> place_0;
    bit<32> place_1;
    bit<32> there;
    bit<16> port;

    apply {
        if (meta.event == EVENT_ADMITTED && hdr.nodectl_v2.isValid()) {
            connection = hdr.nodectl_v2.source_port ++ hdr.nodectl_v2.destination_port;
            record_connection.write(meta.slot, connection);
            record_ingress_port.write(meta.slot, ingress_port);
            if (meta.is_known == 0) {
                record_filled_us.write(meta.slot, meta.now_us);
                record_bucket.write(meta.slot, 0);
                record_excess_bucket.write(meta.slot, 0);
            }
            flow_places.apply(meta.sender_ip, meta.receiver_ip, connection, meta.data_port, place_0, place_1);
            flow_record_0.read(there, place_0);
            port = 0;
            if (there != 0 && there != meta.slot + 1) {
                record_port.read(port, there - 1);
            }
            if ((port & IN_USE) == 0) {
                flow_record_0.write(place_0, meta.slot + 1);
            } else {
                flow_record_1.write(place_1, meta.slot + 1);
            }
        }
    }
}

// Meters a packet of a connection with a record: is_over if it is above the rate, is_dropped if it is far above.
control Meter(inout metadata_t meta, in bit<32> slot, in bit<32> length, out bit<1> is_over, out bit<1> is_dropped) {
    Bucket() bucket;
    Bucket() excess_bucket;
    bit<32> rate;
    bit<32> target;
    bit<48> grace_until_us;
    bit<48> filled_us;
    bit<64> elapsed_us;
    bit<64> level;
    bit<64> cost;
    bit<1> fits;

    apply {
        record_confirmed_kbps.read(rate, slot);
        record_rate_kbps.read(target, slot);
        record_grace_us.read(grace_until_us, slot);
        if (target < rate && meta.now_us >= grace_until_us) {
            rate = target;                              // it was told, and had the time to obey
        }
        rate = rate + (rate >> SLACK);                  // pacing is not exact
        record_filled_us.read(filled_us, slot);
        elapsed_us = 0;
        if (meta.now_us > filled_us) {
            elapsed_us = (bit<64>) (meta.now_us - filled_us);
        }
        if (elapsed_us > LONGEST_FILLING_US) {
            elapsed_us = LONGEST_FILLING_US;
        }
        cost = (bit<64>) length * UNITS_PER_BYTE;
        record_bucket.read(level, slot);
        bucket.apply(level, elapsed_us * (bit<64>) rate, BUCKET_BURST + BURST_US * (bit<64>) rate, cost, 0, fits);
        record_bucket.write(slot, level);
        is_over = fits ^ 1;
        if (fits == 1) {
            cost = 0;
        }
        record_excess_bucket.read(level, slot);
        excess_bucket.apply(level, elapsed_us * (bit<64>) (rate >> 2), BUCKET_BURST, cost, 0, fits);
        record_excess_bucket.write(slot, level);
        is_dropped = fits ^ 1;
        record_filled_us.write(slot, meta.now_us);
    }
}

// Meters the answers to a connection with a record: is_over if they take more than they may have.
control MeterAnswers(in bit<48> now_us, in bit<32> slot, in bit<32> rate, in bit<32> length, out bit<1> is_over) {
    Bucket() bucket;
    bit<32> part;
    bit<48> filled_us;
    bit<64> elapsed_us;
    bit<64> level;
    bit<1> fits;

    apply {
        part = rate >> ANSWERS_PART;
        record_answers_filled_us.read(filled_us, slot);
        elapsed_us = 0;
        if (now_us > filled_us) {
            elapsed_us = (bit<64>) (now_us - filled_us);
        }
        if (elapsed_us > LONGEST_FILLING_US) {
            elapsed_us = LONGEST_FILLING_US;
        }
        record_answers_bucket.read(level, slot);
        bucket.apply(level, elapsed_us * (bit<64>) part, ANSWERS_BURST + BURST_US * (bit<64>) part, (bit<64>) length * UNITS_PER_BYTE, 0, fits);
        record_answers_bucket.write(slot, level);
        record_answers_filled_us.write(slot, now_us);
        is_over = fits ^ 1;
    }
}

// The budget that a port with hosts has for messages. Packets that open connections take of it too, but leave `left` units to messages.
control ControlBudget(in bit<48> now_us, in bit<32> ingress_port, in bit<32> length, in bit<64> left, out bit<1> fits) {
    Bucket() bucket;
    bit<48> filled_us;
    bit<64> elapsed_us;
    bit<64> level;

    apply {
        control_filled_us.read(filled_us, ingress_port);
        control_bucket.read(level, ingress_port);
        elapsed_us = 0;
        if (now_us > filled_us) {
            elapsed_us = (bit<64>) (now_us - filled_us);
        }
        if (elapsed_us > LONGEST_FILLING_US) {
            elapsed_us = LONGEST_FILLING_US;
        }
        bucket.apply(level, elapsed_us * CONTROL_KBPS, BUCKET_BURST, (bit<64>) length * UNITS_PER_BYTE, left, fits);
        control_bucket.write(ingress_port, level);
        control_filled_us.write(ingress_port, now_us);
    }
}

// Between switches the class stands in the packet; hosts have no say in it.
control ClassFromMark(in headers_t hdr, out bit<3> traffic_class) {
    apply {
        traffic_class = CLASS_OTHERS;
        if (hdr.nodectl.isValid() || hdr.ipv4.dscp_ecn[7:2] == DSCP_OPENING) {
            traffic_class = CLASS_CONTROL;
        } else if (hdr.ipv4.dscp_ecn[7:2] == DSCP_NEGOTIATED) {
            traffic_class = CLASS_NEGOTIATED;
        }
    }
}

// Sets the class of a packet from a host, and its mark. Answers (ACKs) come back by the port that the data goes out of.
control Enforce(inout headers_t hdr, inout metadata_t meta, in bit<9> ingress_port, in bit<9> egress_port, in bit<32> length,
                out bit<3> traffic_class, out bit<1> is_dropped) {
    ControlBudget() control_budget;
    FindFlow() find_flow;
    FindFlow() find_answered;
    Meter() meter;
    MeterAnswers() meter_answers;
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> slot;
    bit<9> expected_port;
    bit<32> confirmed_kbps;
    bit<64> left;
    bit<6> dscp;
    bit<1> is_opening;
    bit<1> is_answer;
    bit<1> is_over;
    bit<1> fits;

    apply {
        traffic_class = CLASS_OTHERS;
        dscp = DSCP_OTHERS;
        is_dropped = 0;
        is_opening = 0;
        left = 0;
        if (hdr.tcp.isValid() && (hdr.tcp.flags & TCP_SYN) != 0 && length <= LONGEST_OPENING) {
            is_opening = 1;
            left = LEFT_FOR_MESSAGES;
        }
        fits = 0;
        if (hdr.nodectl.isValid() || is_opening == 1) {
            control_budget.apply(meta.now_us, (bit<32>) ingress_port, length, left, fits);
        }
        if (hdr.nodectl.isValid()) {
            traffic_class = CLASS_CONTROL;
            is_dropped = fits ^ 1;
        } else if (fits == 1) {
            traffic_class = CLASS_CONTROL;
            dscp = DSCP_OPENING;
        } else if (hdr.tcp.isValid()) {
            source_port = hdr.tcp.source_port;
            destination_port = hdr.tcp.destination_port;
            is_answer = 0;
            if (length <= LONGEST_ANSWER) {
                find_answered.apply(hdr.ipv4.destination, hdr.ipv4.source, destination_port ++ source_port, (bit<16>) ingress_port, slot);
                if (slot != NO_SLOT) {
                    record_confirmed_kbps.read(confirmed_kbps, slot);
                    if (confirmed_kbps != 0) {
                        is_answer = 1;
                    }
                }
            }
            if (is_answer == 0) {
                find_flow.apply(hdr.ipv4.source, hdr.ipv4.destination, source_port ++ destination_port, (bit<16>) egress_port, slot);
                if (slot != NO_SLOT) {
                    record_ingress_port.read(expected_port, slot);
                    if (ingress_port != expected_port) {
                        slot = NO_SLOT;                         // somebody else, under the connection's addresses
                    } else {
                        record_confirmed_kbps.read(confirmed_kbps, slot);
                        if (confirmed_kbps == 0) {
                            slot = NO_SLOT;                     // as good as without a record
                        }
                    }
                }
            }
            if (slot != NO_SLOT) {
                if (is_answer == 1) {
                    meter_answers.apply(meta.now_us, slot, confirmed_kbps, length, is_over);
                } else {
                    meter.apply(meta, slot, length, is_over, is_dropped);
                }
                if (is_over == 0) {
                    traffic_class = CLASS_NEGOTIATED;
                    dscp = DSCP_NEGOTIATED;
                }
            }
        }
        if (!hdr.nodectl.isValid()) {
            hdr.ipv4.dscp_ecn = dscp ++ hdr.ipv4.dscp_ecn[1:0];
        }
    }
}

#endif
