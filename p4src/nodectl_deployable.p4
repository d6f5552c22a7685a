// The deployable variant of Nodectl (docs/protocol/deployable.md): nodectl.p4, and besides reserves, authentication of hosts, and enforcement.
//
// Files whose names have v2, version_2, by_key or reserved in them stand in the place of those that nodectl.p4 includes.
#include <core.p4>
#include <v1model.p4>

#include "headers_v2.p4"
#include "parser_v2.p4"
#include "version_2.p4"
#include "slots_by_key.p4"
#include "records.p4"
#include "arrivals.p4"
#include "entries.p4"

#include "pre_allocation.p4"
#include "allocation.p4"
#include "reserved_negotiation.p4"

control CarryOut(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    CarryOutReserved() carry_out_reserved;

    apply {
        carry_out_reserved.apply(hdr, meta, is_refused);
    }
}

#include "pipeline_v2.p4"

V1Switch(NodectlParser(), NodectlVerifyChecksum(), NodectlIngress(), NodectlEgress(),
         NodectlComputeChecksum(), NodectlDeparser()) main;
