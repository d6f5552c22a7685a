#include <core.p4>
const bool fine = static_assert(8 < 3, "eight is not less than three");
