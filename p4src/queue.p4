// The queue discipline of a program that has other work besides: by default drop tail. The compiler option -DQUEUE='"codel_queue.p4"'
// includes another one.
#ifndef QUEUE_P4
#define QUEUE_P4

#ifndef QUEUE
#define QUEUE "drop_tail_queue.p4"
#endif

#include QUEUE

#endif
