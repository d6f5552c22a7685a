error { TooLarge }
const error e = error.TooSmall;
