// Units and limits of routers with rates.
#ifndef RATE_UNITS_P4
#define RATE_UNITS_P4

const bit<32> IDLE_US = 1000000;
const bit<32> MAX_WAIT_US = 0xFFFFFF;   // longer waits are taken for this: 2^24 times a capacity of 32 bits fits into 64
const bit<64> MAX_RATE_KBPS = 0xFFFFFFFF;
const bit<64> BIT_PER_MS = 8000;        // of a byte per us
const bit<8>  LEAST_PART = 10;          // a rate stays above C / 2^10, or it could not grow again

#endif
