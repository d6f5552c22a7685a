#define WANTED 2
#if WANTED > 1
#error this program wants too much
#endif
