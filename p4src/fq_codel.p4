// A router with FQ-CoDel (RFC 8290) at chosen ports.
#include <core.p4>
#include <v1model.p4>

#include "fq_codel_queue.p4"
#include "managed_router.p4"
