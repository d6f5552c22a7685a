// A router with PIE (RFC 8033) at chosen ports.
#include <core.p4>
#include <v1model.p4>

#include "pie_queue.p4"
#include "managed_router.p4"
