// What switches of this exercise run.
#include "../forwarder/forwarder.p4"
