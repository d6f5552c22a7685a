error { Odd, Even, Odd }
