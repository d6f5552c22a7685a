// Of queues whose controller does something at each tick of a timer, and whose packets are that timer (pie_queue.p4, dualpi2_queue.p4).
#ifndef QUEUE_TICKS_P4
#define QUEUE_TICKS_P4

// A queue of 2^this ticks without a packet is as new.
const bit<8> FORGOTTEN_TICKS_SHIFT = 6;

#endif
