const int x = 5 |+| 2;
