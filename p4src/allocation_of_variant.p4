// What a port offers: the rate of Algorithm 1, or the fair-level variant's one level.
#ifndef ALLOCATION_OF_VARIANT_P4
#define ALLOCATION_OF_VARIANT_P4

#include "allocation.p4"

#ifdef NODECTL_FAIR_LEVEL
#include "fair_level.p4"
#define ALLOCATION FairLevel
#else
#define ALLOCATION Allocation
#endif

#endif
