#define V1MODEL_VERSION 20300101
#include <v1model.p4>
