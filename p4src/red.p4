// A router with RED (Floyd and Jacobson 1993) at chosen ports.
#include <core.p4>
#include <v1model.p4>

#include "red_queue.p4"
#include "managed_router.p4"
