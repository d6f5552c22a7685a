const int x = 5 / 0;
