// RCP: a router that tells every sender the same rate, and finds it from the data that comes and the data that waits.
//
// Source: N. Dukkipati, "Rate Control Protocol (RCP): Congestion control to make flows complete quickly", PhD thesis, Stanford (2007).
// The parts of hosts and switches are in docs/rcp.md, and protocol/model/rcp_model.py is the same router in Python.
#include <core.p4>
#include <v1model.p4>

#include "rate_law.p4"
#include "rate_questions.p4"

// Behind the queue: measures how long the packet waited, and computes the rate.
control RcpEgress(inout headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    register<bit<32>>(PORTS) port_rate_kbps;        // R
    register<bit<32>>(PORTS) port_rtt_q3;           // d, in 1/8 us; 0: nobody has said it yet
    register<bit<32>>(PORTS) interval_begin_us;     // arrival of the packet with which the present interval began
    register<bit<64>>(PORTS) interval_begin_bytes;  // bytes that had come by then

    RateLaw() rate_law;
    ManagedPort() managed_port;
    LeaveQueue() leave_queue;

    bit<1> is_managed;
    bit<32> link_kbps;
    bit<32> port;
    bit<32> rate_kbps;
    bit<32> rtt_q3;
    bit<32> rtt_us;
    bit<32> begin_us;
    bit<64> begin_bytes;
    bit<32> elapsed_us;
    bit<32> interval_us;

    apply {
        port = (bit<32>) standard_metadata.egress_port;
        managed_port.apply(standard_metadata.egress_port, is_managed, link_kbps);
        if (is_managed == 1) {
            port_rate_kbps.read(rate_kbps, port);
            port_rtt_q3.read(rtt_q3, port);
            interval_begin_us.read(begin_us, port);
            interval_begin_bytes.read(begin_bytes, port);
            elapsed_us = standard_metadata.enq_timestamp - begin_us;
            rtt_us = rtt_q3 >> 3;

            // A port that nobody has used for so long is as good as new.
            if (rate_kbps == 0 || elapsed_us > IDLE_US) {
                rate_kbps = link_kbps;
                rtt_q3 = 0;
                begin_us = standard_metadata.enq_timestamp;
                begin_bytes = meta.arrived_bytes;
            } else {
                interval_us = INTERVAL_US;
                if (rtt_us < INTERVAL_US) {
                    interval_us = rtt_us;
                }
                if (rtt_us != 0 && elapsed_us >= interval_us) {
                    rate_law.apply(rate_kbps, link_kbps, rtt_us, elapsed_us, meta.arrived_bytes - begin_bytes,
                                   standard_metadata.deq_timedelta);
                    begin_us = standard_metadata.enq_timestamp;
                    begin_bytes = meta.arrived_bytes;
                }
            }

            if (hdr.request.isValid() && hdr.request.rtt_us != 0 && hdr.request.rtt_us <= MAX_RTT_US) {
                if (rtt_q3 == 0) {
                    rtt_q3 = hdr.request.rtt_us << 3;
                } else {
                    rtt_q3 = rtt_q3 - (rtt_q3 >> 3) + hdr.request.rtt_us;
                }
                if (hdr.request.max_kbps > rate_kbps) {
                    hdr.request.max_kbps = rate_kbps;
                }
            }

            port_rate_kbps.write(port, rate_kbps);
            port_rtt_q3.write(port, rtt_q3);
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
         RcpEgress(),
         UpdateQuestion(),
         QuestionDeparser()) main;
