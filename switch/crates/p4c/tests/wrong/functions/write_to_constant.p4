const bit<8> limit = 5;
control c() { apply { limit = 6; } }
