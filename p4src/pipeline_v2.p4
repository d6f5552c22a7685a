// The way of a packet through the variants with version 2 of the messages, in the place of pipeline.p4. The first switch sees to it
// that hosts are who they say, and send no more than they may.
#ifndef NODECTL_PIPELINE_P4
#define NODECTL_PIPELINE_P4

#include "forwarding.p4"
#include "messages.p4"
#include "authentication.p4"
#include "enforcement.p4"
#include "load.p4"
#include "answers.p4"
#include "events.p4"

control NodectlIngress(inout headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    counter(ERROR_REASONS, CounterType.packets) nodectl_errors;
    counter(PORTS, CounterType.packets) nodectl_overcommitted;

    TakePacketOut() take_packet_out;
    @name(".NodectlIngress") Forwarding() forwarding;
    Enforce() enforce;
    ClassFromMark() class_from_mark;
    TakeMessage() take_message;
    CheckSource() check_source;
    ReadSlot() read_slot;
    LessLoad() less_load;
    FindRecord() find_record;
    CheckEntry() check_entry;
    CheckRecord() check_record;
    CheckSequence() check_sequence;
    TakeOut() take_out;
    LoadReserve() load_reserve;
    CarryOut() carry_out;
    PutIn() put_in;
    StoreReserve() store_reserve;
    MarkPath() mark_path;
    NoteConnection() note_connection;
    TurnRound() turn_round;
    TurnRound() turn_round_challenged;
    RenewChecksum() renew_checksum;
    TellController() tell_controller;
    EnterQueue() enter_queue;

    bit<1> is_refused;
    bit<1> is_challenged;
    bit<1> is_believed;
    bit<1> is_dropped;
    bit<3> traffic_class;
    bit<48> received_from;
    bit<48> received_at;

    action drop_message() {
        mark_to_drop(standard_metadata);
    }

    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        meta.is_managed = 1;
        meta.capacity_kbps = capacity_kbps;
        meta.tolerance_kbps = tolerance_kbps;
        meta.least_kbps = capacity_kbps;
    }

    // The same, less the load of others. Of the capacity, least_kbps is kept for those who negotiate.
    action set_capacity_beside_load(bit<32> capacity_kbps, bit<32> tolerance_kbps, bit<32> least_kbps) {
        meta.is_managed = 1;
        meta.capacity_kbps = capacity_kbps;
        meta.tolerance_kbps = tolerance_kbps;
        meta.least_kbps = least_kbps;
    }

    table port_capacity {
        key = { meta.data_port: exact @name("data_port"); }
        actions = { set_capacity; set_capacity_beside_load; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    action from_host() {
        meta.is_from_host = 1;
    }

    // Ports with hosts behind them: no host there is believed without proof of its address.
    table host_port {
        key = { standard_metadata.ingress_port: exact @name("ingress_port"); }
        actions = { from_host; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (meta.is_continuation == 0) {
            meta.now_us = standard_metadata.ingress_global_timestamp;
        }
        meta.slot = NO_SLOT;
        received_from = hdr.ethernet.source;
        received_at = hdr.ethernet.destination;

        take_packet_out.apply(hdr, meta, standard_metadata.ingress_port);
        forwarding.apply(hdr.ethernet, hdr.ipv4, standard_metadata, meta.is_routed);

        // Whose data is it, and is that not too much? Messages, and packets that open connections, have a queue of their own.
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
                drop_message();
                meta.is_routed = 0;
            }
        }
        standard_metadata.priority = traffic_class;

        take_message.apply(hdr, meta, standard_metadata.ingress_port, standard_metadata.egress_spec);
        is_challenged = 0;
        if (meta.is_from_host == 1 && (meta.operation != DO_NOTHING || meta.has_error == 1)) {
            is_believed = 1;
            if (meta.has_error == 0) {
                check_source.apply(hdr, meta, is_challenged, is_believed);
            } else if (meta.error_reason == ERROR_TYPE && hdr.nodectl.type == TYPE_CHALLENGE) {
                is_believed = 0;                                    // only switches send these
            }
            if (is_believed == 0) {
                drop_message();
            }
        }

        // That is all for a data packet.
        if (meta.operation != DO_NOTHING || meta.is_entry == 1 || meta.has_error == 1 || is_challenged == 1) {
            // Which port and which record is it about, and can it be done?
            if (meta.operation == DO_READ_SLOT) {
                read_slot.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                port_capacity.apply();
                less_load.apply((bit<32>) meta.data_port, meta.now_us, meta.least_kbps, meta.capacity_kbps);
                if (meta.is_managed == 1 && meta.operation != DO_READ_PORT) {
                    find_record.apply(meta);
                }
            }
            if (meta.is_entry == 1) {
                check_entry.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                check_record.apply(meta);
                if (meta.is_from_host == 1 && (hdr.nodectl.type == TYPE_SUCCESS || hdr.nodectl.type == TYPE_FAILURE)) {
                    if (meta.is_managed == 0) {
                        meta.has_error = 1;
                        meta.error_reason = ERROR_NOT_BELIEVED;
                    }
                    if (meta.has_error == 1) {
                        drop_message();                             // an answer that nobody has asked for by this port
                    }
                }
                if (meta.operation != DO_NOTHING) {
                    check_sequence.apply(hdr, meta);
                }
            }

            // Take the record out, change it, put it back.
            is_refused = 0;
            if (meta.operation != DO_NOTHING) {
                take_out.apply(meta);
                load_reserve.apply(meta);
                carry_out.apply(hdr, meta, is_refused);
                put_in.apply(meta);
                store_reserve.apply(meta);
                if (is_refused == 0 && (meta.operation == DO_REQUEST || meta.operation == DO_SUCCESS)) {
                    mark_path.apply(hdr, meta);
                }
                note_connection.apply(hdr, meta, standard_metadata.ingress_port);
                if (meta.is_overcommitted == 1) {
                    nodectl_overcommitted.count((bit<32>) meta.data_port);
                }
            }

            if (is_refused == 1) {
                turn_round.apply(hdr, meta, standard_metadata, received_from, received_at);
            }
            if (is_challenged == 1) {
                turn_round_challenged.apply(hdr, meta, standard_metadata, received_from, received_at);
                hdr.nodectl.type = TYPE_CHALLENGE;
            }
            renew_checksum.apply(hdr, meta);
            if (meta.has_error == 1) {
                nodectl_errors.count(meta.error_reason);
            }
            tell_controller.apply(hdr, meta, standard_metadata);
        }
        if (meta.is_entry == 0 && meta.is_routed == 1) {
            enter_queue.apply(hdr.ipv4, 0, meta.traffic_manager, standard_metadata);
        }
    }
}

// An event, with the fields that these variants add.
control PrependReservedEvent(inout headers_t hdr, inout metadata_t meta) {
    PrependEvent() prepend_event;

    apply {
        prepend_event.apply(hdr, meta);
        hdr.packet_in.reserved_kbps = meta.reserved_kbps;
        hdr.packet_in.min_kbps = meta.min_kbps;
        hdr.packet_in.sequence = meta.sequence;
        hdr.packet_in.port_reserved_sum_kbps = meta.port_reserved_sum_kbps;
    }
}

control NodectlEgress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    NextEntry() next_entry;
    PrependReservedEvent() prepend_event;
    PrependReservedEvent() prepend_answer;
    ClassFromMark() class_from_mark;
    CountLoad() count_load;
    LeaveQueue() leave_queue;
    bit<3> traffic_class;

    apply {
        if (standard_metadata.instance_type == INSTANCE_TYPE_INGRESS_CLONE) {
            if (hdr.packet_out.isValid()) {
                next_entry.apply(hdr, meta);
            } else {
                prepend_event.apply(hdr, meta);
            }
        } else if (meta.is_entry == 1) {
            // The rest of the packet is the entries that are still to come. It is cut off, since the copy has them.
            if (meta.event != EVENT_NONE) {
                prepend_answer.apply(hdr, meta);
                truncate(PACKET_IN_V2_LENGTH);
            } else if (hdr.nodectl_v2.isValid()) {
                truncate(NODECTL_V2_FRAME_LENGTH);
            } else {
                truncate(NODECTL_FRAME_LENGTH);
            }
        } else {
            class_from_mark.apply(hdr, traffic_class);
            count_load.apply((bit<32>) standard_metadata.egress_port, standard_metadata.egress_global_timestamp,
                             standard_metadata.packet_length, traffic_class);
            if (hdr.ipv4.isValid()) {
                leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
            }
        }
    }
}

#endif
