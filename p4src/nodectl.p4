// Nodectl: switches that take part in rate control (Liu, Ni, Han 2023; see docs/protocol.md).
//
// The switch forwards IPv4. Besides, it keeps a record of every transmission that negotiates its rate, offers each a
// share of the port it leaves by, and tells its controller of every change.
#include <core.p4>
#include <v1model.p4>

#include "headers.p4"
#include "parser.p4"
#include "records.p4"
#include "subflows.p4"
#include "messages.p4"
#include "entries.p4"
#include "operations.p4"
#ifdef NODECTL_DEPLOYABLE
#include "enforcement.p4"
#include "load.p4"
#endif

control NodectlIngress(inout headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    counter(ERROR_REASONS, CounterType.packets) nodectl_errors;

    TakeEntry() take_entry;
    ClassifyMessage() classify_message;
    CheckMessage() check_message;
    CheckEntry() check_entry;
    CheckRecord() check_record;
    ReadSlot() read_slot;
    FindRecord() find_record;
    FindGroup() find_group;
    LoadState() load_state;
    TakeOut() take_out;
    CARRY_OUT() carry_out;
    PutIn() put_in;
    UdpChecksum() udp_checksum;
#ifdef NODECTL_DEPLOYABLE
    CheckSequence() check_sequence;
    LoadReserve() load_reserve;
    StoreReserve() store_reserve;
    MarkPath() mark_path;
    CheckSource() check_source;
    NoteConnection() note_connection;
    Enforce() enforce;
    ClassFromMark() class_from_mark;
    LessLoad() less_load;
    counter(PORTS, CounterType.packets) nodectl_overcommitted;
#endif

    bit<1> is_refused;
    bit<1> is_copied;
#ifdef NODECTL_DEPLOYABLE
    bit<1> is_challenged;
    bit<1> is_believed;
    bit<1> is_dropped;
    bit<3> traffic_class;
#endif
    bit<16> new_checksum;
    bit<48> received_from;
    bit<48> received_at;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<9> port, bit<48> source_mac, bit<48> destination_mac) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source_mac;
        hdr.ethernet.destination = destination_mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.is_routed = 1;
    }

    table ipv4_lpm {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; drop; }
        const default_action = drop();
        size = 1024;
    }

    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        meta.is_managed = 1;
        meta.capacity_kbps = capacity_kbps;
        meta.tolerance_kbps = tolerance_kbps;
#ifdef NODECTL_DEPLOYABLE
        meta.least_kbps = capacity_kbps;
#endif
    }

#ifdef NODECTL_DEPLOYABLE
    // The same, less what others send: of it, least_kbps is kept for those who negotiate.
    action set_capacity_beside_load(bit<32> capacity_kbps, bit<32> tolerance_kbps, bit<32> least_kbps) {
        meta.is_managed = 1;
        meta.capacity_kbps = capacity_kbps;
        meta.tolerance_kbps = tolerance_kbps;
        meta.least_kbps = least_kbps;
    }

#endif
    table port_capacity {
        key = { meta.data_port: exact @name("data_port"); }
#ifdef NODECTL_DEPLOYABLE
        actions = { set_capacity; set_capacity_beside_load; NoAction; }
#else
        actions = { set_capacity; NoAction; }
#endif
        const default_action = NoAction();
        size = PORTS;
    }

#ifdef NODECTL_DEPLOYABLE
    action from_host() {
        meta.is_from_host = 1;
    }

    // Ports with hosts behind them: nobody there is believed for what he says he is.
    table host_port {
        key = { standard_metadata.ingress_port: exact @name("ingress_port"); }
        actions = { from_host; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

#endif
    // Back to where the request came from, as a failure.
    action turn_round() {
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        hdr.ethernet.source = received_at;
        hdr.ethernet.destination = received_from;
        hdr.ipv4.ttl = NEW_MESSAGE_TTL;
        hdr.ipv4.source = meta.receiver_ip;
        hdr.ipv4.destination = meta.sender_ip;
        hdr.nodectl.type = TYPE_FAILURE;
        meta.is_changed = 1;
    }

    // What an entry brought about goes to the controller, instead of a message to a sender.
    action answer_entry() {
        standard_metadata.egress_spec = CPU_PORT;
        hdr.ethernet.setInvalid();
        hdr.ipv4.setInvalid();
        hdr.udp.setInvalid();
        hdr.nodectl.setInvalid();
#ifdef NODECTL_DEPLOYABLE
        hdr.nodectl_v2.setInvalid();
#endif
    }

    apply {
        if (meta.is_continuation == 0) {
            meta.now_us = standard_metadata.ingress_global_timestamp;
        }
        is_refused = 0;
#ifdef NODECTL_DEPLOYABLE
        is_challenged = 0;
#endif
        meta.slot = NO_SLOT;
        received_from = hdr.ethernet.source;
        received_at = hdr.ethernet.destination;

        // A packet-out's entry becomes a message or a command.
        if (hdr.packet_out.isValid()) {
            if (standard_metadata.ingress_port == CPU_PORT || meta.is_continuation == 1) {
                if (hdr.entry.isValid() && hdr.packet_out.count != 0) {
                    take_entry.apply(hdr, meta);
                }
            } else {
                meta.has_error = 1;
                meta.error_reason = ERROR_FORGED_BATCH;
            }
        }

        // Forwarding.
        if (hdr.ipv4.isValid() && hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5
            && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            ipv4_lpm.apply();
        } else {
            drop();
        }

#ifdef NODECTL_DEPLOYABLE
        // Whose data is it, and is that not too much? Messages, and what opens connections, have a queue of their own.
        traffic_class = CLASS_CONTROL;
        if (meta.is_entry == 0 && meta.is_routed == 1) {
            host_port.apply();
            is_dropped = 0;
            if (meta.is_from_host == 1) {
                enforce.apply(hdr,
                              meta,
                              standard_metadata.ingress_port,
                              standard_metadata.egress_spec,
                              standard_metadata.packet_length,
                              traffic_class,
                              is_dropped);
            } else {
                class_from_mark.apply(hdr, traffic_class);
            }
            if (is_dropped == 1) {
                drop();
                meta.is_routed = 0;
            }
        }
        standard_metadata.priority = traffic_class;
#endif

        // A message on its way?
        if (meta.is_entry == 0 && meta.is_routed == 1 && hdr.udp.isValid()
            && hdr.udp.source_port == NODECTL_PORT && hdr.udp.destination_port == NODECTL_PORT) {
            classify_message.apply(hdr, meta, standard_metadata.ingress_port, standard_metadata.egress_spec);
            check_message.apply(hdr, meta);
#ifdef NODECTL_DEPLOYABLE
            is_believed = 1;
            if (meta.is_from_host == 1 && meta.has_error == 0) {
                check_source.apply(hdr, meta, is_challenged, is_believed);
            } else if (meta.is_from_host == 1 && meta.error_reason == ERROR_TYPE && hdr.nodectl.type == TYPE_CHALLENGE) {
                is_believed = 0;                                // only switches send these
            }
            if (is_believed == 0) {
                drop();
            }
#endif
        }

        // That is all for a data packet.
#ifdef NODECTL_DEPLOYABLE
        if (meta.operation != DO_NOTHING || meta.is_entry == 1 || meta.has_error == 1 || is_challenged == 1) {
#else
        if (meta.operation != DO_NOTHING || meta.is_entry == 1 || meta.has_error == 1) {
#endif
            // Which port and which record is it about, and can it be done?
            if (meta.operation == DO_READ_SLOT) {
                read_slot.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                port_capacity.apply();
#ifdef NODECTL_DEPLOYABLE
                less_load.apply((bit<32>) meta.data_port, meta.now_us, meta.least_kbps, meta.capacity_kbps);
#endif
                if (meta.is_managed == 1 && meta.operation != DO_READ_PORT) {
                    find_record.apply(meta);
                }
            }
            if (meta.is_entry == 1) {
                check_entry.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                check_record.apply(meta);
#ifdef NODECTL_DEPLOYABLE
                if (meta.is_from_host == 1 && (hdr.nodectl.type == TYPE_SUCCESS || hdr.nodectl.type == TYPE_FAILURE)) {
                    if (meta.is_managed == 0) {
                        meta.has_error = 1;
                        meta.error_reason = ERROR_NOT_BELIEVED;
                    }
                    if (meta.has_error == 1) {
                        drop();                                 // an answer to what nobody has asked by this port
                    }
                }
                if (meta.operation != DO_NOTHING) {
                    check_sequence.apply(hdr, meta);
                }
#endif
            }

            // Take the record out, change it, put it back.
            meta.group_slot = NO_SLOT;
            if (meta.operation != DO_NOTHING && meta.operation != DO_READ_PORT) {
                find_group.apply(meta);
            }
            if (meta.operation != DO_NOTHING) {
                load_state.apply(meta);
#ifdef NODECTL_DEPLOYABLE
                load_reserve.apply(meta);
#endif
                take_out.apply(meta);
                carry_out.apply(hdr, meta, is_refused);
                put_in.apply(meta);
#ifdef NODECTL_DEPLOYABLE
                store_reserve.apply(meta);
                if (is_refused == 0 && (meta.operation == DO_REQUEST || meta.operation == DO_SUCCESS)) {
                    mark_path.apply(hdr, meta);
                }
                note_connection.apply(hdr, meta, standard_metadata.ingress_port);
                if (meta.is_overcommitted == 1) {
                    nodectl_overcommitted.count((bit<32>) meta.data_port);
                }
#endif
            }

            // Send the message on, and tell the controller.
            if (is_refused == 1) {
                turn_round();
            }
#ifdef NODECTL_DEPLOYABLE
            if (is_challenged == 1) {
                turn_round();
                hdr.nodectl.type = TYPE_CHALLENGE;
            }
#endif
            if (meta.is_changed == 1) {
                udp_checksum.apply(hdr, new_checksum);
                hdr.udp.checksum = new_checksum;
            }
            if (meta.has_error == 1) {
                nodectl_errors.count(meta.error_reason);
            }
            is_copied = 0;
            if (meta.is_entry == 1) {
                if (meta.event != EVENT_NONE) {
                    answer_entry();
                }
                if (meta.entries_left != 0) {
                    is_copied = 1;
                }
            } else if (meta.event != EVENT_NONE) {
                is_copied = 1;
            }
            if (is_copied == 1) {
                clone_preserving_field_list(CloneType.I2E, CLONE_SESSION, KEEP_EVENT);
            }
        }
    }
}

control NodectlEgress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
#ifdef NODECTL_DEPLOYABLE
    ClassFromMark() class_from_mark;
    CountLoad() count_load;
    bit<3> traffic_class;

#endif
    action prepend_event() {
        hdr.packet_in.setValid();
        hdr.packet_in.event = meta.event;
        hdr.packet_in.verdict = meta.verdict;
        hdr.packet_in.data_port = meta.data_port;
        hdr.packet_in.rate_kbps = meta.rate_kbps;
        hdr.packet_in.previous_rate_kbps = meta.previous_rate_kbps;
        hdr.packet_in.share_kbps = meta.share_kbps;
        hdr.packet_in.transmission_share_kbps = meta.transmission_share_kbps;
        hdr.packet_in.port_sum_kbps = meta.port_sum_kbps;
        hdr.packet_in.port_count = meta.port_count;
        hdr.packet_in.bottleneck_sum_kbps = meta.bottleneck_sum_kbps;
        hdr.packet_in.bottleneck_count = meta.bottleneck_count;
        hdr.packet_in.expected_arrivals_q8 = meta.expected_arrivals_q8;
        hdr.packet_in.slot = meta.slot;
        hdr.packet_in.is_bottleneck = meta.is_bottleneck;
        hdr.packet_in.reserved = 0;
        hdr.packet_in.content_id = meta.content_id;
        hdr.packet_in.destination_id = meta.destination_id;
        hdr.packet_in.subflow = meta.subflow;
        hdr.packet_in.sender_ip = meta.sender_ip;
        hdr.packet_in.receiver_ip = meta.receiver_ip;
        hdr.packet_in.last_seen_us = meta.last_seen_us;
#ifdef NODECTL_DEPLOYABLE
        hdr.packet_in.reserved_kbps = meta.reserved_kbps;
        hdr.packet_in.min_kbps = meta.min_kbps;
        hdr.packet_in.sequence = meta.sequence;
        hdr.packet_in.port_reserved_sum_kbps = meta.port_reserved_sum_kbps;
#endif
    }

    // The copy of a packet-out goes round again without the entry that has been handled.
    action next_entry() {
        hdr.packet_out.count = hdr.packet_out.count - 1;
        hdr.entry.setInvalid();
        meta.is_continuation = 1;
        recirculate_preserving_field_list(KEEP_CONTINUATION);
    }

    apply {
        if (standard_metadata.instance_type == INSTANCE_TYPE_INGRESS_CLONE) {
            if (hdr.packet_out.isValid()) {
                next_entry();
            } else {
                prepend_event();
            }
        } else if (meta.is_entry == 1) {
            // What follows are the entries that are still to come: the copy has them.
            if (meta.event != EVENT_NONE) {
                prepend_event();
#ifdef NODECTL_DEPLOYABLE
                truncate(PACKET_IN_V2_LENGTH);
            } else if (hdr.nodectl_v2.isValid()) {
                truncate(NODECTL_V2_FRAME_LENGTH);
#else
                truncate(PACKET_IN_LENGTH);
#endif
            } else {
                truncate(NODECTL_FRAME_LENGTH);
            }
#ifdef NODECTL_DEPLOYABLE
        } else {
            class_from_mark.apply(hdr, traffic_class);
            count_load.apply((bit<32>) standard_metadata.egress_port, standard_metadata.egress_global_timestamp,
                             standard_metadata.packet_length, traffic_class);
#endif
        }
    }
}

V1Switch(NodectlParser(),
         NodectlVerifyChecksum(),
         NodectlIngress(),
         NodectlEgress(),
         NodectlComputeChecksum(),
         NodectlDeparser()) main;
