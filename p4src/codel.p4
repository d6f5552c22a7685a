// A router with CoDel (RFC 8289) at chosen ports.
#include <core.p4>
#include <v1model.p4>

#include "codel_queue.p4"
#include "managed_router.p4"
