// The program of this exercise's switches.
#include "../forwarder/forwarder.p4"
