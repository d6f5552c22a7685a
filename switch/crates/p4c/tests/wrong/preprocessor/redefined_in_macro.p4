#define WIDTH 8
#define FIELD bit<WIDTH> size size
header h_t { FIELD; }
