// The number of ports that a v1model switch has: port numbers are bit<9>.
#ifndef PORTS_P4
#define PORTS_P4

const bit<32> PORTS = 512;

#endif
