// A router with DualPI2 (RFC 9332) at chosen ports.
#include <core.p4>
#include <v1model.p4>

#include "dualpi2_queue.p4"
#include "managed_router.p4"
