// XCP: a router that tells each sender by how much to change its rate, and divides the change without knowing the senders.
//
// Source: D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", ACM SIGCOMM 2002, section 3.
// The parts of hosts and switches are in docs/xcp.md, and protocol/model/xcp_model.py is the same router in Python.
//
// In a request (message.p4), min_kbps is the sender's present rate, or max_kbps where a router on the way has allowed less than that.
#include <core.p4>
#include <v1model.p4>

#include "rate_questions.p4"
#include "xcp_law.p4"

const bit<32> LONGEST_INTERVAL_US = 500000;

// Behind the queue: measures how long the packet waited, and answers questions.
control XcpEgress(inout headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    register<bit<1>>(PORTS)  port_is_used;
    register<bit<32>>(PORTS) port_rtt_q3;           // d, in 1/8 us; 0: nobody has said it yet
    register<bit<32>>(PORTS) port_rtt_sum_us;       // of the questions in this interval
    register<bit<32>>(PORTS) port_longest_us;       // of their RTTs
    register<bit<32>>(PORTS) port_longest_last_us;  // of those in the last interval
    register<bit<32>>(PORTS) port_least_wait_us;    // of a packet in this interval
    register<bit<64>>(PORTS) port_up_q16;           // what the last interval came to
    register<bit<64>>(PORTS) port_down_q32;
    register<bit<32>>(PORTS) interval_begin_us;     // arrival of the packet with which the present interval began
    register<bit<64>>(PORTS) interval_begin_bytes;  // bytes that had come by then

    XcpLaw() law;
    XcpAnswer() answer;
    ManagedPort() managed_port;
    LeaveQueue() leave_queue;

    bit<1> is_managed;
    bit<1> is_used;
    bit<32> link_kbps;
    bit<32> port;
    bit<32> rtt_q3;
    bit<32> rtt_sum_us;
    bit<32> longest_us;
    bit<32> longest_last_us;
    bit<32> interval_us;
    bit<32> least_wait_us;
    bit<64> up_q16;
    bit<64> down_q32;
    bit<32> begin_us;
    bit<64> begin_bytes;
    bit<32> elapsed_us;
    bit<32> allowed_kbps;

    apply {
        port = (bit<32>) standard_metadata.egress_port;
        managed_port.apply(standard_metadata.egress_port, is_managed, link_kbps);
        if (is_managed == 1) {
            port_is_used.read(is_used, port);
            port_rtt_q3.read(rtt_q3, port);
            port_rtt_sum_us.read(rtt_sum_us, port);
            port_longest_us.read(longest_us, port);
            port_longest_last_us.read(longest_last_us, port);
            port_least_wait_us.read(least_wait_us, port);
            port_up_q16.read(up_q16, port);
            port_down_q32.read(down_q32, port);
            interval_begin_us.read(begin_us, port);
            interval_begin_bytes.read(begin_bytes, port);
            elapsed_us = standard_metadata.enq_timestamp - begin_us;

            // Each sender asks in such an interval, so the sum of RTTs has a part of each.
            interval_us = rtt_q3 >> 3;
            if (interval_us < longest_us) {
                interval_us = longest_us;
            }
            if (interval_us < longest_last_us) {
                interval_us = longest_last_us;
            }
            if (interval_us > LONGEST_INTERVAL_US) {
                interval_us = LONGEST_INTERVAL_US;
            }

            // A port that nobody has used for so long is as good as new.
            if (is_used == 0 || elapsed_us > IDLE_US) {
                is_used = 1;
                rtt_q3 = 0;
                rtt_sum_us = 0;
                longest_us = 0;
                longest_last_us = 0;
                least_wait_us = MAX_WAIT_US;
                up_q16 = 0;
                down_q32 = 0;
                begin_us = standard_metadata.enq_timestamp;
                begin_bytes = meta.arrived_bytes;
            } else if (rtt_q3 != 0 && elapsed_us != 0 && elapsed_us >= interval_us) {
                law.apply(link_kbps, rtt_q3 >> 3, elapsed_us, meta.arrived_bytes - begin_bytes, least_wait_us, rtt_sum_us,
                          up_q16, down_q32);
                rtt_sum_us = 0;
                longest_last_us = longest_us;
                longest_us = 0;
                least_wait_us = MAX_WAIT_US;
                begin_us = standard_metadata.enq_timestamp;
                begin_bytes = meta.arrived_bytes;
            }
            if (standard_metadata.deq_timedelta < least_wait_us) {
                least_wait_us = standard_metadata.deq_timedelta;
            }

            if (hdr.request.isValid() && hdr.request.rtt_us != 0 && hdr.request.rtt_us <= MAX_RTT_US) {
                if (rtt_q3 == 0) {
                    rtt_q3 = hdr.request.rtt_us << 3;
                } else {
                    rtt_q3 = rtt_q3 - (rtt_q3 >> 3) + hdr.request.rtt_us;
                }
                rtt_sum_us = rtt_sum_us |+| hdr.request.rtt_us;
                if (longest_us < hdr.request.rtt_us) {
                    longest_us = hdr.request.rtt_us;
                }
                answer.apply(link_kbps, hdr.request.rtt_us, up_q16, down_q32, hdr.request.min_kbps, allowed_kbps);
                if (hdr.request.max_kbps > allowed_kbps) {
                    hdr.request.max_kbps = allowed_kbps;
                }
                if (hdr.request.min_kbps > hdr.request.max_kbps) {
                    hdr.request.min_kbps = hdr.request.max_kbps;
                }
            }

            port_is_used.write(port, is_used);
            port_rtt_q3.write(port, rtt_q3);
            port_rtt_sum_us.write(port, rtt_sum_us);
            port_longest_us.write(port, longest_us);
            port_longest_last_us.write(port, longest_last_us);
            port_least_wait_us.write(port, least_wait_us);
            port_up_q16.write(port, up_q16);
            port_down_q32.write(port, down_q32);
            interval_begin_us.write(port, begin_us);
            interval_begin_bytes.write(port, begin_bytes);
        }
        if (hdr.ipv4.isValid()) {
            leave_queue.apply(hdr.ipv4, meta.traffic_manager, standard_metadata);
        }
    }
}

V1Switch(QuestionParser(),
         NodectlVerifyChecksum(),
         CountArrivals(),
         XcpEgress(),
         UpdateQuestion(),
         QuestionDeparser()) main;
