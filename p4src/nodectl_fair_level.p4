// The fair-level variant of Nodectl (docs/decisions/one-level-a-port.md): the deployable variant, with one level a port in the place of Algorithm 1,
// which senders follow.
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
#include "fair_level.p4"
#include "level_following.p4"

control CarryOut(inout headers_t hdr, inout metadata_t meta, out bit<1> is_refused) {
    CarryOutFollowing() carry_out_following;

    apply {
        carry_out_following.apply(hdr, meta, is_refused);
    }
}

#include "pipeline_v2.p4"

V1Switch(NodectlParser(), NodectlVerifyChecksum(), NodectlIngress(), NodectlEgress(),
         NodectlComputeChecksum(), NodectlDeparser()) main;
