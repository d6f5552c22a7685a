// The way of a packet through the paper's program. It forwards IPv4; a message, or an entry of the controller's, is carried out besides.
#ifndef NODECTL_PIPELINE_P4
#define NODECTL_PIPELINE_P4

#include "forwarding.p4"
#include "messages.p4"
#include "answers.p4"
#include "events.p4"

control NodectlIngress(inout headers_t hdr,
                       inout metadata_t meta,
                       inout standard_metadata_t standard_metadata) {
    counter(ERROR_REASONS, CounterType.packets) nodectl_errors;

    TakePacketOut() take_packet_out;
    @name(".NodectlIngress") Forwarding() forwarding;
    TakeMessage() take_message;
    ReadSlot() read_slot;
    FindRecord() find_record;
    CheckEntry() check_entry;
    CheckRecord() check_record;
    TakeOut() take_out;
    CarryOut() carry_out;
    PutIn() put_in;
    TurnRound() turn_round;
    RenewChecksum() renew_checksum;
    TellController() tell_controller;
    EnterQueue() enter_queue;

    bit<1> is_refused;
    bit<48> received_from;
    bit<48> received_at;

    action set_capacity(bit<32> capacity_kbps, bit<32> tolerance_kbps) {
        meta.is_managed = 1;
        meta.capacity_kbps = capacity_kbps;
        meta.tolerance_kbps = tolerance_kbps;
    }

    table port_capacity {
        key = { meta.data_port: exact @name("data_port"); }
        actions = { set_capacity; NoAction; }
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
        take_message.apply(hdr, meta, standard_metadata.ingress_port, standard_metadata.egress_spec);

        // That is all for a data packet.
        if (meta.operation != DO_NOTHING || meta.is_entry == 1 || meta.has_error == 1) {
            // Which port and which record is it about, and can it be done?
            if (meta.operation == DO_READ_SLOT) {
                read_slot.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                port_capacity.apply();
                if (meta.is_managed == 1 && meta.operation != DO_READ_PORT) {
                    find_record.apply(meta);
                }
            }
            if (meta.is_entry == 1) {
                check_entry.apply(meta);
            } else if (meta.operation != DO_NOTHING) {
                check_record.apply(meta);
            }

            // Take the record out, change it, put it back.
            is_refused = 0;
            if (meta.operation != DO_NOTHING) {
                take_out.apply(meta);
                carry_out.apply(hdr, meta, is_refused);
                put_in.apply(meta);
            }

            if (is_refused == 1) {
                turn_round.apply(hdr, meta, standard_metadata, received_from, received_at);
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

control NodectlEgress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    NextEntry() next_entry;
    PrependEvent() prepend_event;
    PrependEvent() prepend_answer;
    LeaveQueue() leave_queue;

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
                truncate(PACKET_IN_LENGTH);
            } else {
                truncate(NODECTL_FRAME_LENGTH);
            }
        } else if (hdr.ipv4.isValid()) {
            leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
        }
    }
}

#endif
